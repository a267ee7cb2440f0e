"""`dfst …` as a person types it, in this process: exit status, standard output, standard error."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dfst.cli import execute
from dfst.experts import expert
from dfst.traces.traceset import save_traces
from dfst.train.interrupts import SIGNALS
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure
from dfst.train.state import initial_state


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
        usual = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            status = execute([str(word) for word in words])
        finally:
            for number, handler in usual.items():
                signal.signal(number, handler)
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return call


@pytest.fixture(scope="session")
def unfinished(tmp_path_factory) -> Path:
    """A run of add2 that has taken no step yet."""
    folder = RunFolder(tmp_path_factory.mktemp("unfinished") / "RUN")
    plan = configure(expert("add2"), seeds=2)
    traces = plan.problem.training_set().traces
    with folder.locked():
        folder.write_config(plan.as_json(traces))
        save_traces(traces, folder.traces_file)
        folder.write_checkpoint(
            initial_state(plan.shape(traces), plan.recipe.seed_numbers, plan.recipe.dtype)
        )
    return folder.path


@pytest.fixture
def place(tmp_path, monkeypatch, unfinished) -> Path:
    """A folder to stand in, with RUN and an empty one."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "RUN").mkdir()
    for file in unfinished.iterdir():
        (tmp_path / "RUN" / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path
