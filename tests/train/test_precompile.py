"""Precompiling: who is started when, that nobody is left, and that what follows a training is compiled."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.event import end_event, start_event

from dfst.model.rollout.compiled import roll
from dfst.states.follow import walk
from dfst.train import engine_cpu, precompile
from dfst.train.order import pick
from dfst.train.precompile import compile_the_rest, precompiling
from dfst.train.workers import Worker


def compile_event(dispatcher) -> None:
    """What numba tells right before and after it compiles a function."""
    data = {"dispatcher": dispatcher, "args": (), "return_type": None}
    start_event("numba:compile", data)
    end_event("numba:compile", data)


@pytest.fixture
def workers(monkeypatch):
    """Those who were started; what they are told to do takes no time."""
    started: list[subprocess.Popen[bytes]] = []

    class Noted(Worker):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.process)

    monkeypatch.setattr(precompile, "Worker", Noted)
    monkeypatch.setattr(precompile, "compile_the_rest", len)
    monkeypatch.setattr(precompile, "worker_count", lambda tasks: tasks)
    return started


def test_a_worker_is_started_for_the_training_loop_and_dismissed(workers) -> None:
    with precompiling():
        compile_event(pick)
        assert not workers
        compile_event(engine_cpu._ADVANCE[False])
        assert [worker.poll() for worker in workers] == [None]
    assert workers[0].returncode is not None
    compile_event(engine_cpu._ADVANCE[False])
    assert len(workers) == 1


def test_nobody_helps_on_one_core_or_where_nobody_can_be_started(workers, monkeypatch) -> None:
    monkeypatch.setattr(precompile, "worker_count", lambda tasks: 1)
    with precompiling():
        compile_event(engine_cpu._ADVANCE[False])
    assert not workers

    def no_process() -> Worker:
        raise OSError("no more processes")

    monkeypatch.setattr(precompile, "worker_count", lambda tasks: tasks)
    monkeypatch.setattr(precompile, "Worker", no_process)
    with precompiling():
        compile_event(engine_cpu._ADVANCE[False])


def test_a_worker_that_dies_at_once_disturbs_nobody(monkeypatch) -> None:
    def dead() -> Worker:
        worker = Worker()
        worker.process.kill()
        worker.process.wait()
        return worker

    monkeypatch.setattr(precompile, "worker_count", lambda tasks: tasks)
    monkeypatch.setattr(precompile, "Worker", dead)
    with precompiling():
        compile_event(engine_cpu._ADVANCE[False])


def test_a_worker_runs_in_both_precisions_and_polishes() -> None:
    assert pickle.loads(pickle.dumps(compile_the_rest)) is compile_the_rest
    compile_the_rest(("add2", "1+1"))
    precisions = {str(signature[5].dtype) for signature in roll.signatures}
    assert precisions >= {"float32", "float64"}
    assert walk.signatures


@pytest.mark.slow
def test_after_its_loop_a_training_then_compiles_nothing(tmp_path: Path) -> None:
    script = f"""
from dataclasses import replace
from numba.core.event import install_recorder
from dfst.experts import expert
from dfst.train.precompile import EXAMPLE, compile_the_rest
from dfst.learning import learn
from dfst.train.settings import configure

compile_the_rest(EXAMPLE)
with install_recorder("numba:compile") as compiled:
    learn(replace(configure(expert("add2")), sizes=(500,)), {str(tmp_path / "run")!r})
functions = [event.data["dispatcher"].py_func for _, event in compiled.buffer]
names = [function.__name__ for function in functions if function.__module__.startswith("dfst")]
print(names[len(names) - names[::-1].index("advance") :])
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    # a raw model's hidden states may or may not be worth remembering, by the clock: then `keep_all` is due
    assert found.stdout.strip() in ("[]", "['keep_all', 'keep_all']")
