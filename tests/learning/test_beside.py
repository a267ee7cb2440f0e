"""Work beside each other: what comes out is what one after another would have brought, and nobody is left."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from helped import MOMENT, divide_by, only_in, slowly
from split_graph import parameters, split

from dfst.agents import expert
from dfst.learning import beside as module
from dfst.learning import processes
from dfst.learning.beside import beside
from dfst.learning.choose import choose
from dfst.learning.finish import finish_seeds
from dfst.learning.outcome import Outcome
from dfst.learning.plan import make_plan
from dfst.learning.processes import Helpers
from dfst.learning.state import initial_state
from dfst.model import compile_agent
from dfst.proof.certificate import to_bytes
from dfst.states.follow import follow


@pytest.fixture
def helpers(monkeypatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A helper at once, whatever there is to do; who they were. In the end none of them may be alive."""
    started = []

    class Noted(processes.Helper):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.process)

    monkeypatch.setattr(processes, "Helper", Noted)
    monkeypatch.setattr(processes, "thread_count", lambda threads, tasks: min(2, tasks))
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    yield started
    assert all(helper.wait(timeout=20) is not None for helper in started)


def test_others_help_and_results_stay_in_order(helpers) -> None:
    found = []
    for result in beside(slowly, range(200)):
        found.append(result)
        if len({process for _, process in found}) > 1 and len(found) > 20:
            break
    assert [thing for thing, _ in found] == list(range(len(found)))
    assert len({process for _, process in found}) > 1


def test_what_is_done_in_a_moment_starts_nobody(monkeypatch) -> None:
    monkeypatch.setattr(processes, "Helper", lambda: pytest.fail("a helper was started"))
    assert list(beside(abs, [-3, 2, -1])) == [3, 2, 1]
    assert list(beside(abs, [])) == []


def test_a_helper_that_dies_leaves_its_work_to_others(helpers) -> None:
    assert list(beside(partial(only_in, os.getpid()), range(30))) == list(range(30))


def test_work_that_cannot_be_sent_is_done_here(helpers) -> None:
    assert list(beside(lambda thing: time.sleep(MOMENT) or thing + 1, range(20))) == list(range(1, 21))


@pytest.mark.parametrize("zero", [1, 19])
def test_work_that_fails_fails_here(helpers, zero: int) -> None:
    things = [thing - zero for thing in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(beside(divide_by, things))


def test_an_interrupt_ends_everybody(helpers) -> None:
    results = beside(slowly, range(200))
    next(results)
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]


def test_who_has_helped_helps_again_and_at_once(helpers, monkeypatch) -> None:
    with Helpers() as kept:
        assert len({process for _, process in beside(slowly, range(60), kept)}) == 2
        monkeypatch.setattr(module, "PATIENCE", 600.0)
        assert kept
        assert len({process for _, process in beside(slowly, range(60), kept)}) == 2
        assert len(helpers) == 1


def test_who_is_still_at_work_is_not_kept(helpers) -> None:
    with Helpers() as kept:
        kept.start(1, needed=slowly)
        crew = module._Crew(time.sleep, [600, 600], kept)
        while not crew._busy:
            time.sleep(MOMENT)
        crew.dismiss()
        assert helpers[0].wait(timeout=20) is not None
        assert not kept
        assert list(beside(abs, [-1] * 3, kept)) == [1] * 3


def test_seeds_beside_each_other_are_what_they_are_one_after_another(helpers, monkeypatch) -> None:
    plan = make_plan(expert("add2"), seeds=3, hidden_size=16)
    traces = plan.traces()
    right = follow(compile_agent(plan.agent, d=16, dtype=np.float64), traces, 0.1)
    assert right is not None
    start = [parameters(graph) for graph in (right, split(right, 5), split(right, 9))]
    state = initial_state(plan.shape(traces), plan.seeds, np.float64, start)

    def learnt() -> tuple[list[tuple], list[str]]:
        told: list[str] = []
        with Helpers() as kept:
            outcomes = finish_seeds(plan, traces, state, [1e-9] * 3, told.append, kept)
            chosen, outcomes = choose(plan, traces, outcomes, True, told.append, kept)
        return [everything(outcome) for outcome in (chosen, *outcomes)], told

    take, here = module._Crew._take, threading.current_thread()

    def take_elsewhere(crew: module._Crew) -> int | None:
        return time.sleep(MOMENT) if threading.current_thread() is here else take(crew)

    with monkeypatch.context() as idle:
        idle.setattr(module._Crew, "_take", take_elsewhere)
        together = learnt()
    assert len(helpers) == 1, "one did all of the polish and all proofs"
    monkeypatch.setattr(processes, "thread_count", lambda threads, tasks: 1)
    assert learnt() == together
    assert len(helpers) == 1


def everything(outcome: Outcome) -> tuple:
    verdict = outcome.verdict
    return (
        outcome.as_json(),
        outcome.weights.flat().tobytes(),
        outcome.weights.training,
        verdict and (verdict.sentence(), verdict.proof and to_bytes(verdict.proof)),
    )
