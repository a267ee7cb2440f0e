"""State merging and spectral learning: right where the data suffice, and never quietly wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dfst.agents import expert
from dfst.errors import DfstError
from dfst.experiments.rivals import spectral, state_merging
from dfst.experiments.rivals.assignment import Assignment
from dfst.experiments.rivals.reading import ReadingUnit
from dfst.experiments.rivals.state_merging import merge_states
from dfst.learning.plan import make_plan
from dfst.model import compile_agent
from dfst.model.weights import Shape
from dfst.rollout.compiled import Rollout
from dfst.traces.traceset import TraceSet, gather
from dfst.world.check import check_unit
from dfst.world.grid import MOTIONS, Limits
from dfst.world.trace import Trace


def every_history(states: int, symbols: int, length: int, seed: int) -> TraceSet:
    """A random transducer's answers to all strings of a length: nothing is left unknown."""
    rng = np.random.default_rng(seed)
    following = rng.integers(states, size=(states, symbols))
    write, motion = rng.integers(symbols, size=(states, symbols)), rng.integers(4, size=(states, symbols))
    traces = []
    for x in product(range(symbols), repeat=length):
        q, s, m = 0, [], []
        for symbol in x:
            s.append(write[q, symbol])
            m.append(motion[q, symbol])
            q = following[q, symbol]
        columns = (np.array(column, dtype=np.uint8) for column in (x, s, m))
        traces.append(Trace("all", "", ("0", "λ"), *columns))
    return gather(traces, "all", ("0", "λ"), MOTIONS)


@pytest.mark.parametrize("seed", range(4))
def test_rpni_finds_the_machine_when_every_history_is_shown(seed: int) -> None:
    traces = every_history(states=3, symbols=2, length=8, seed=seed)
    machine = merge_states(traces)
    assert len(machine.following) <= 3
    s, m, _ = machine.read(traces.x.reshape(-1, 8), None)
    assert (s == traces.s.reshape(-1, 8)).all()
    assert (m == traces.m.reshape(-1, 8)).all()


@pytest.mark.parametrize(("name", "states"), [("parity", 2), ("s3", 9)])
def test_evidence_leads_to_the_expert_of_regular_tasks(name: str, states: int) -> None:
    """State merging is no straw man: it finds what the DFST is proved to have learnt."""
    agent = expert(name)
    assert agent.task is not None
    machine = merge_states(make_plan(agent).traces(), "edsm")
    assert len(machine.following) == states
    run = ReadingUnit(machine, agent, "edsm").run_many([agent.task.example])[0]
    assert run.answer == agent.run(agent.task.example).answer


def test_rpni_is_right_on_its_examples_and_lost_beyond_them(tmp_path: Path) -> None:
    plan = make_plan(expert("add2"))
    trained = state_merging.train(Assignment(plan, 0, tmp_path, "cpu"))
    traces = plan.traces()
    runs = trained.subject.run_many(traces.inputs, Limits(), plan.agent)
    assert all(run.halted and run.difference is None for run in runs)
    assert isinstance(trained.subject, ReadingUnit)
    check_unit(trained.subject, [*traces.inputs[:3], "10110+111"])
    assert trained.parameters == trained.settings["rules"]
    long = trained.subject.run_many(["1" * 30 + "+" + "1" * 30], Limits(), plan.agent)[0]
    assert long.difference is not None


def test_traces_that_contradict_each_other_are_refused() -> None:
    x = np.zeros(1, dtype=np.uint8)
    one = Trace("two", "", ("0", "λ"), x, x, x)
    other = Trace("two", "", ("0", "λ"), x, x + 1, x)
    with pytest.raises(DfstError, match="contradict each other"):
        merge_states(gather([one, other], "two", ("0", "λ"), MOTIONS))


@pytest.mark.parametrize("seed", range(4))
def test_spectral_learning_is_exact_when_every_history_is_shown(seed: int) -> None:
    traces = every_history(states=3, symbols=2, length=9, seed=seed)
    hankel = spectral.hankel_matrix(traces, most_rows=31, most_columns=14)
    assert hankel.known.all()
    h = spectral.complete(hankel, 3, np.random.default_rng(seed), rounds=40)
    shape = Shape(2, len(traces.motions), 3)
    assert spectral.loss_of(spectral.operators(hankel, h, traces), shape, traces) < 1e-6


def test_an_overflow_ends_a_run_without_ending_the_evaluation() -> None:
    agent = expert("add2")
    exact = compile_agent(agent)
    grown = replace(exact, A=exact.A * np.float32(1e4), B=exact.B, C=exact.C)
    runs = Rollout(grown).run_many(["1+1", "111+111"], Limits(), agent)
    assert [(run.halted, run.answer) for run in runs] == [(False, None)] * 2
    assert all(0 < run.steps < agent.run("1+1").steps for run in runs)
    steady = Rollout(exact).run_many(["1+1"], Limits(), agent)
    assert [run.answer for run in steady] == ["10"]
