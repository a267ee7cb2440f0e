"""Reading along the expert's trace is the closed loop, for right and for damaged readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dfst.experiments.baselines.reading import ReadingUnit
from dfst.experts import expert
from dfst.machines.agent import Agent
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.unit import hold_against

TEXTS = ["0+0", "1+1", "10+1", "111+1", "1011+111", "1+11111", "10101010+1111"]


@dataclass
class TableReader:
    """A table as a reader; all (Q, Σ). What is missing acts as rule 0 does."""

    following: NDArray[np.int64]
    write: NDArray[np.uint8]
    motion: NDArray[np.uint8]
    context: int | None = None

    def read(self, x: NDArray[np.uint8], state: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Any]:
        states = np.zeros(len(x), dtype=np.int64) if state is None else state
        s, m = np.empty_like(x), np.empty_like(x)
        for t, symbols in enumerate(x.T):
            s[:, t], m[:, t] = self.write[states, symbols], self.motion[states, symbols]
            states = np.maximum(self.following[states, symbols], 0)
        return s, m, states


def table_of(agent: Agent) -> TableReader:
    """The expert's own table as a reader."""
    return TableReader(agent.next.astype(np.int64), agent.write.copy(), agent.action.astype(np.uint8))


def outcome(run: Run) -> tuple[object, ...]:
    return run.steps, run.halted, run.head, run.cells, run.difference


def test_the_experts_own_table_is_exact() -> None:
    agent = expert("add2")
    subject = ReadingUnit(table_of(agent), agent, "table")
    runs = list(subject.run_each(TEXTS, Limits(), agent))
    assert [run.answer for run in runs] == [agent.run(text).answer for text in TEXTS]
    assert [run.steps for run in runs] == [agent.run(text).steps for text in TEXTS]
    assert [run.answer for run in subject.run_each(TEXTS)] == [run.answer for run in runs]


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_table_fails_where_the_closed_loop_does(seed: int) -> None:
    agent = expert("add2")
    rng = np.random.default_rng(seed)
    reader = table_of(agent)
    rules = np.argwhere(agent.next >= 0)
    q, x = rules[rng.integers(len(rules))]
    if seed % 2:
        reader.motion[q, x] = (reader.motion[q, x] + 1) % 4
    else:
        reader.following[q, x] = rng.integers(len(reader.following))
    subject = ReadingUnit(reader, agent, "damaged")
    runs = list(subject.run_each(TEXTS, Limits(), agent))
    together = [outcome(run) for run in runs]
    assert together == [outcome(hold_against(subject, agent, text)) for text in TEXTS]
    assert together == [outcome(run) for text in TEXTS for run in subject.run_each([text], Limits(), agent)]
    if seed % 2:
        assert any(run.difference for run in runs), "every rule of add2 is used by some of these inputs"


def test_a_history_longer_than_the_context_is_not_finished() -> None:
    agent = expert("add2")
    reader = table_of(agent)
    steps = agent.run("111+1").steps
    for context, halted in ((steps, True), (steps - 1, False), (1, False)):
        reader.context = context
        run = next(ReadingUnit(reader, agent, "short").run_each(["111+1"], Limits(), agent))
        assert (run.halted, run.steps, run.difference) == (halted, context, None)
