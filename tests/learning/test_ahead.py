"""Compiling ahead: who is started when, that nobody is left, and that what follows a training is compiled."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.event import end_event, start_event

from dfst.learning import ahead, engine_cpu
from dfst.learning.ahead import compile_the_rest, compiling_ahead
from dfst.learning.order import pick
from dfst.learning.processes import Helper
from dfst.rollout.compiled import roll
from dfst.states.follow import _follow


def compile_event(dispatcher) -> None:
    """What numba tells right before and after it compiles a function."""
    data = {"dispatcher": dispatcher, "args": (), "return_type": None}
    start_event("numba:compile", data)
    end_event("numba:compile", data)


@pytest.fixture
def helpers(monkeypatch):
    """Those who were started; what they are told to do takes no time."""
    started: list[subprocess.Popen[bytes]] = []

    class Noted(Helper):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.process)

    monkeypatch.setattr(ahead, "Helper", Noted)
    monkeypatch.setattr(ahead, "compile_the_rest", len)
    monkeypatch.setattr(ahead, "hands", lambda tasks: tasks)
    return started


def test_a_helper_is_started_for_the_training_loop_and_dismissed(helpers) -> None:
    with compiling_ahead():
        compile_event(pick)
        assert not helpers
        compile_event(engine_cpu._ADVANCE[False])
        assert [helper.poll() for helper in helpers] == [None]
    assert helpers[0].returncode is not None
    compile_event(engine_cpu._ADVANCE[False])
    assert len(helpers) == 1


def test_nobody_helps_on_one_core_or_where_nobody_can_be_started(helpers, monkeypatch) -> None:
    monkeypatch.setattr(ahead, "hands", lambda tasks: 1)
    with compiling_ahead():
        compile_event(engine_cpu._ADVANCE[False])
    assert not helpers

    def no_process() -> Helper:
        raise OSError("no more processes")

    monkeypatch.setattr(ahead, "hands", lambda tasks: tasks)
    monkeypatch.setattr(ahead, "Helper", no_process)
    with compiling_ahead():
        compile_event(engine_cpu._ADVANCE[False])


def test_a_helper_that_dies_at_once_disturbs_nobody(monkeypatch) -> None:
    def dead() -> Helper:
        helper = Helper()
        helper.process.kill()
        helper.process.wait()
        return helper

    monkeypatch.setattr(ahead, "hands", lambda tasks: tasks)
    monkeypatch.setattr(ahead, "Helper", dead)
    with compiling_ahead():
        compile_event(engine_cpu._ADVANCE[False])


def test_a_helper_runs_in_both_precisions_and_polishes() -> None:
    assert pickle.loads(pickle.dumps(compile_the_rest)) is compile_the_rest
    compile_the_rest(("add2", "1+1"))
    precisions = {str(signature[5].dtype) for signature in roll.signatures}
    assert precisions >= {"float32", "float64"}
    assert _follow.signatures


@pytest.mark.slow
def test_after_its_loop_a_training_then_compiles_nothing(tmp_path: Path) -> None:
    script = f"""
from numba.core.event import install_recorder
from dfst.agents import expert
from dfst.learning.ahead import EXAMPLE, compile_the_rest
from dfst.learning.learn import learn
from dfst.learning.plan import make_plan

compile_the_rest(EXAMPLE)
with install_recorder("numba:compile") as compiled:
    learn(make_plan(expert("add2")), {str(tmp_path / "run")!r}, digits=(500,))
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
