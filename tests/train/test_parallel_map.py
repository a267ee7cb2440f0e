"""What comes out of a parallel map is what `map` would have brought, and no process is left."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from split_graph import split
from worked import MOMENT, divide_by, only_in, slowly

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.proof.certificate import to_bytes
from dfst.states.follow import follow
from dfst.states.polish import solved
from dfst.train import workers as processes
from dfst.train.choose import prove_seeds, ranked
from dfst.train.finish import Polisher, finish_seeds
from dfst.train.learnt import Outcome
from dfst.train.prepare import Prepared
from dfst.train.settings import configure
from dfst.train.state import initial_state
from dfst.train.workers import Workers, parallel_map


@pytest.fixture
def helpers(monkeypatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A worker at once, whatever there is to do; who they were. In the end none of them may be alive."""
    started = []

    class Noted(processes.Worker):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.process)

    monkeypatch.setattr(processes, "Worker", Noted)
    monkeypatch.setattr(processes, "thread_count", lambda threads, tasks: min(2, tasks))
    monkeypatch.setattr(processes, "PATIENCE", 0.0)
    yield started
    assert all(helper.wait(timeout=20) is not None for helper in started)


def test_others_help_and_results_stay_in_order(helpers) -> None:
    found = []
    for result in parallel_map(slowly, range(200)):
        found.append(result)
        if len({process for _, process in found}) > 1 and len(found) > 20:
            break
    assert [thing for thing, _ in found] == list(range(len(found)))
    assert len({process for _, process in found}) > 1


def test_what_is_done_in_a_moment_starts_nobody(monkeypatch) -> None:
    monkeypatch.setattr(processes, "Worker", lambda: pytest.fail("a worker was started"))
    assert list(parallel_map(abs, [-3, 2, -1])) == [3, 2, 1]
    assert list(parallel_map(abs, [])) == []


def test_a_worker_that_dies_leaves_its_work_to_others(helpers) -> None:
    assert list(parallel_map(partial(only_in, os.getpid()), range(30))) == list(range(30))


def test_work_that_cannot_be_sent_is_done_here(helpers) -> None:
    assert list(parallel_map(lambda thing: time.sleep(MOMENT) or thing + 1, range(20))) == list(range(1, 21))


@pytest.mark.parametrize("zero", [1, 19])
def test_work_that_fails_fails_here(helpers, zero: int) -> None:
    things = [thing - zero for thing in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(parallel_map(divide_by, things))


def test_an_interrupt_ends_everybody(helpers) -> None:
    results = parallel_map(slowly, range(200))
    next(results)
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]


def test_who_has_helped_helps_again_and_at_once(helpers, monkeypatch) -> None:
    with Workers() as kept:
        assert len({process for _, process in parallel_map(slowly, range(60), kept)}) == 2
        monkeypatch.setattr(processes, "PATIENCE", 600.0)
        assert kept
        assert len({process for _, process in parallel_map(slowly, range(60), kept)}) == 2
        assert len(helpers) == 1


def test_who_is_still_at_work_is_not_kept(helpers) -> None:
    with Workers() as kept:
        kept.start(1, needed=slowly)
        with ThreadPoolExecutor(1) as thread:
            waiting = thread.submit(kept.call, time.sleep, 600)
            while not kept._busy:
                time.sleep(MOMENT)
            list(parallel_map(abs, [], kept))
            with pytest.raises(ChildProcessError, match="SIGKILL"):
                waiting.result(timeout=20)
        assert helpers[0].wait(timeout=20) is not None
        assert not kept
        assert list(parallel_map(abs, [-1] * 3, kept)) == [1] * 3


def test_seeds_in_parallel_are_what_they_are_one_after_another(helpers, monkeypatch) -> None:
    plan = configure(expert("sort3"), seeds=3, hidden_size=9)
    traces = plan.problem.training_set().traces
    right = follow(compile_agent(plan.problem.agent, d=9, dtype=np.float64), traces, 0.1)
    assert right is not None
    start = [solved(graph) for graph in (right, split(right, 1), split(right, 2))]
    state = initial_state(plan.shape(traces), plan.recipe.seed_numbers, np.float64, start)
    state.losses[:] = 1e-9

    def learnt() -> tuple[list[tuple], list[str]]:
        told: list[str] = []
        with Workers() as kept:
            run = Prepared(plan, None, "cpu", traces, None, state, [], None, ())
            outcomes = finish_seeds(run, told.append, Polisher(run, kept))
            outcomes = prove_seeds(plan.problem, ranked(outcomes, traces, told.append), told.append, kept)
        return [everything(outcome) for outcome in outcomes], told

    here = threading.current_thread()

    class ForOthers(deque[int]):
        def popleft(self) -> int:
            if threading.current_thread() is here:
                raise IndexError
            return super().popleft()

    with monkeypatch.context() as idle:
        idle.setattr(processes, "deque", ForOthers)
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
        outcome.weights.provenance,
        verdict and (verdict.sentence(), verdict.proof and to_bytes(verdict.proof)),
    )
