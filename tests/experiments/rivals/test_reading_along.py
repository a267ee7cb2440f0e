"""Reading along the expert's trace is the closed loop, and holes are never right."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.agents.agent import HALT, MISSING, Agent
from dfst.evaluation.length import evaluate
from dfst.experiments.rivals.reading import NO_ACTION, ReadingUnit
from dfst.experiments.rivals.state_merging import LOST, MachineReader
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.unit import hold_against

TEXTS = ["0+0", "1+1", "10+1", "111+1", "1011+111", "1+11111", "10101010+1111"]


def table_of(agent: Agent) -> MachineReader:
    """The expert's own table as a reader."""
    given = agent.next != MISSING
    following = np.where(agent.next == HALT, 0, np.where(given, agent.next, LOST)).astype(np.int64)
    return MachineReader(
        following,
        np.where(given, agent.write, NO_ACTION).astype(np.uint8),
        np.where(given, agent.action, NO_ACTION).astype(np.uint8),
    )


def outcome(run: Run) -> tuple[object, ...]:
    return run.steps, run.halted, run.head, run.cells, run.difference


def test_the_experts_own_table_is_exact() -> None:
    agent = expert("add2")
    subject = ReadingUnit(table_of(agent), agent, "table")
    runs = subject.run_many(TEXTS, Limits(), agent)
    assert [run.answer for run in runs] == [agent.run(text).answer for text in TEXTS]
    assert [run.steps for run in runs] == [agent.run(text).steps for text in TEXTS]
    assert evaluate(subject, "table", agent, 40).failures == []
    assert [run.answer for run in subject.run_many(TEXTS)] == [run.answer for run in runs]


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_table_fails_where_the_closed_loop_does(seed: int) -> None:
    agent = expert("add2")
    rng = np.random.default_rng(seed)
    reader = table_of(agent)
    rules = np.argwhere(agent.next >= 0)
    q, x = rules[rng.integers(len(rules))]
    kind = seed % 3
    if kind == 0:
        reader.following[q, x], reader.write[q, x], reader.motion[q, x] = LOST, NO_ACTION, NO_ACTION
    elif kind == 1:
        reader.motion[q, x] = (reader.motion[q, x] + 1) % 4
    else:
        reader.following[q, x] = rng.integers(len(reader.following))
    subject = ReadingUnit(reader, agent, "damaged")
    runs = subject.run_many(TEXTS, Limits(), agent)
    together = [outcome(run) for run in runs]
    assert together == [outcome(hold_against(subject, agent, text)) for text in TEXTS]
    assert together == [outcome(run) for text in TEXTS for run in subject.run_many([text], Limits(), agent)]
    if kind < 2:
        assert any(run.difference for run in runs), "every rule of add2 is used by some of these inputs"


def test_what_a_difference_says() -> None:
    agent = expert("add2")
    reader = table_of(agent)
    read = agent.trace("1+1").x[0]
    reader.following[0, read], reader.write[0, read], reader.motion[0, read] = LOST, NO_ACTION, NO_ACTION
    run: Run = ReadingUnit(reader, agent, "holed").run_many(["1+1"], Limits(), agent)[0]
    assert run.difference is not None
    assert (run.difference.step, run.difference.cell, run.difference.read) == (0, (0, 0), "+")
    assert run.difference.found == ("no rule", "")
    assert (run.halted, run.steps, run.nonblank) == (False, 0, 3)


def test_a_history_longer_than_the_context_is_not_finished() -> None:
    agent = expert("add2")
    reader = table_of(agent)
    steps = agent.run("111+1").steps
    for context, halted in ((steps, True), (steps - 1, False), (1, False)):
        reader.context = context  # type: ignore[assignment]
        run = ReadingUnit(reader, agent, "short").run_many(["111+1"], Limits(), agent)[0]
        assert (run.halted, run.steps, run.difference) == (halted, context, None)
