"""`dfst …` as a person types it, in this process: exit status, standard output, standard error."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dfst.cli import execute


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Standard output as one strict JSON object a line: Infinity and NaN are no JSON."""
        return [json.loads(line, parse_constant=_refuse) for line in self.out.splitlines()]


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.fixture
def dfst(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def call(*words: object) -> Done:
        capsys.readouterr()
        usual = signal.getsignal(signal.SIGINT)
        try:
            status = execute([str(word) for word in words])
        finally:
            signal.signal(signal.SIGINT, usual)
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return call
