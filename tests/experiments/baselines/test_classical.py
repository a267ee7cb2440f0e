"""State merging: right where the data suffice, and never quietly wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from evidence import slow

from dfst.errors import DfstError
from dfst.experiments.baselines import state_merging
from dfst.experiments.baselines.assignment import Assignment, Train
from dfst.experiments.baselines.state_merging import merge_by_evidence
from dfst.experiments.comparison.measure import merged_verdict
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.traces.traceset import TraceSet, gather
from dfst.train.settings import configure
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
def test_edsm_finds_the_machine_when_every_history_is_shown(seed: int) -> None:
    traces = every_history(states=3, symbols=2, length=8, seed=seed)
    table = merge_by_evidence(traces)
    assert len(table) <= 3
    assert table.acts_as(traces)


@pytest.mark.parametrize(("name", "states"), [("parity", 2), ("s3", 9)])
def test_evidence_leads_to_the_expert_of_regular_tasks(name: str, states: int) -> None:
    """State merging is no straw man: it finds what the DFST is proved to have learnt."""
    agent = expert(name)
    assert agent.task is not None
    table = merge_by_evidence(configure(agent).problem.training_set().traces)
    assert len(table) == states
    assert table.agent("edsm", agent).run(agent.task.example).answer == agent.run(agent.task.example).answer


@pytest.mark.parametrize("train", [state_merging.train, *slow(state_merging.train_told)])
def test_state_merging_is_right_on_its_examples_and_lost_beyond_them(tmp_path: Path, train: Train) -> None:
    plan = configure(expert("add2"))
    trained = train(Assignment(plan, 0, tmp_path, "cpu"))
    traces = plan.problem.training_set().traces
    runs = list(trained.subject.run_each(traces.inputs, Limits(), plan.problem.agent))
    assert all(run.halted and run.difference is None for run in runs)
    assert trained.machine is not None
    check_unit(trained.machine, [*traces.inputs[:3], "101+11"])
    assert trained.parameters == trained.settings["rules"] == trained.machine.rule_count
    assert abs(trained.settings["states"] - plan.problem.hidden_size(None)) <= 2
    assert merged_verdict(trained.machine, plan.problem.agent)["verdict"] == "refuted"


def test_traces_that_contradict_each_other_are_refused() -> None:
    x = np.zeros(1, dtype=np.uint8)
    one = Trace("two", "", ("0", "λ"), x, x, x)
    other = Trace("two", "", ("0", "λ"), x, x + 1, x)
    with pytest.raises(DfstError, match="contradict each other"):
        merge_by_evidence(gather([one, other], "two", ("0", "λ"), MOTIONS))


def test_an_overflow_ends_a_run_without_ending_the_evaluation() -> None:
    agent = expert("add2")
    exact = compile_agent(agent)
    grown = replace(exact, A=exact.A * np.float32(3e38), B=exact.B, C=exact.C)
    runs = list(Rollout(grown).run_each(["1+1", "111+111"], Limits(), agent))
    assert [(run.halted, run.answer) for run in runs] == [(False, None)] * 2
    assert all(0 < run.steps < agent.run("1+1").steps for run in runs)
    steady = Rollout(exact).run_each(["1+1"], Limits(), agent)
    assert [run.answer for run in steady] == ["10"]
