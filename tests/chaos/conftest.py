"""The ground that faults are tried on, and the table of what was tried, held and failed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ground import TRIES, Ground

from dfst.train import train


@pytest.fixture(scope="module")
def ground(tmp_path_factory) -> Iterator[Ground]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "LOG_POINTS", 4)
        patch.setattr(train, "CHECKPOINT_SECONDS", 0.0)  # a checkpoint at every logging point
        yield Ground(tmp_path_factory.mktemp("chaos"))


def pytest_terminal_summary(terminalreporter) -> None:
    kinds = sorted({kind for kind, _ in TRIES})
    if kinds:
        terminalreporter.write_line(f"{'fault':<14}{'tries':>7}{'held':>7}{'failed':>7}")
    for kind in kinds:
        held, failed = TRIES[kind, True], TRIES[kind, False]
        terminalreporter.write_line(f"{kind:<14}{held + failed:>7}{held:>7}{failed:>7}")
