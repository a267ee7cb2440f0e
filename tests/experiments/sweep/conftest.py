"""Sweeps as a person starts them: `dfst sweep …` in a process, with checkpoints written often.

Trials run in processes that the sweep (or a cluster) starts, where no test can change a constant. Python
imports a `sitecustomize` module in every process it starts; the one made here makes checkpoints frequent in
those that carry out trials: our workers, and those of Ray.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dfst.experiments.sweep.conduct import results_of
from dfst.experts import expert
from dfst.learning import learn
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure

OFTEN = """
import sys
if any(word in argument for word in ("workers import serve", "default_worker") for argument in sys.orig_argv):
    import dfst.train.train
    dfst.train.train.CHECKPOINT_SECONDS = 0.1
"""
PATIENCE = 600
"""Seconds; the first run on a machine compiles."""


@pytest.fixture(scope="session")
def often(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process whose trials save often."""
    folder = tmp_path_factory.mktemp("often")
    (folder / "sitecustomize.py").write_text(OFTEN, "utf-8")
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def trained_alone(folder: Path, seeds: int, iterations: int) -> list[str]:
    """Fingerprints of add2 by the paper's recipe, each seed trained alone in this process."""
    plans = [
        configure(expert("add2"), "paper", seeds=1, first_seed=seed, steps=iterations)
        for seed in range(seeds)
    ]
    return [
        learn(replace(plan, device="cpu", sizes=(1,)), folder / str(seed)).weights.fingerprint()
        for seed, plan in enumerate(plans)
    ]


@pytest.fixture(scope="module")
def unbroken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the trials of a test module must end in, whatever befalls them."""
    module = request.module
    return trained_alone(tmp_path_factory.mktemp("unbroken"), len(module.TRIALS), module.ITERATIONS)


class UnderWay:
    """`dfst sweep …`, and its folder."""

    def __init__(self, folder: Path, words: list[str], environment: dict[str, str], code: str) -> None:
        self.folder = folder
        command = [sys.executable, "-c", f"import sys\nfrom dfst.cli import main\n{code}\nmain(sys.argv[1:])"]
        self.process = subprocess.Popen(
            [*command, "sweep", *words, "--out", str(folder)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def wait_for(self, what: Callable[[], Any]) -> Any:
        """Wait until something is there; it is given back."""
        until = time.monotonic() + PATIENCE
        while not (found := what()):
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < until, "nothing happened"
            time.sleep(0.01)
        return found

    def finish(self) -> tuple[int, str, str]:
        """Exit status, standard output and standard error."""
        out, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, said

    def end(self, how: signal.Signals) -> tuple[int, str, str]:
        self.process.send_signal(how)
        return self.finish()

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """The table by trial; a trial that is in it twice fails the test."""
        records = results_of(self.folder)
        names = [record["trial"] for record in records]
        assert len(names) == len(set(names)), names
        return dict(zip(names, records, strict=True))

    def run(self, trial: str) -> RunFolder:
        return RunFolder(self.folder / "trials" / trial)

    def iteration(self, trial: str) -> int:
        """How far a trial's newest checkpoint is; 0 where there is none."""
        state = self.run(trial).read_checkpoint()
        return 0 if state is None else state.iteration

    def holder(self, trial: str) -> int:
        """The process that holds a trial's folder; 0 where it is just being taken."""
        return int((self.run(trial).path / ".lock").read_text() or 0)


@pytest.fixture
def sweep(tmp_path: Path, often: dict[str, str]) -> Iterator[Callable[..., UnderWay]]:
    """Starts sweeps in one folder; none outlives the test."""
    begun: list[UnderWay] = []

    def start(*words: object, code: str = "") -> UnderWay:
        begun.append(UnderWay(tmp_path / "sweep", [str(word) for word in words], often, code))
        return begun[-1]

    yield start
    for one in begun:
        if one.process.poll() is None:
            one.end(signal.SIGINT)
