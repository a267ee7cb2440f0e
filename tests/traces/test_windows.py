"""The runs of symbols that traces show."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.traces.windows import windows


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_every_run_once_and_none_from_one_trace_into_the_next(length: int) -> None:
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    runs = set()
    for i in range(len(traces)):
        x = traces[i].x.tolist()
        runs |= {tuple(x[at : at + length]) for at in range(len(x) - length + 1)}
    found = [tuple(run) for run in windows(traces, length).tolist()]
    assert found == sorted(runs)


def test_traces_that_are_too_short_show_none() -> None:
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    assert windows(traces.subset([]), 3).shape == (0, 3)
    assert windows(traces, traces.tokens + 1).shape == (0, traces.tokens + 1)


@pytest.mark.parametrize(
    ("task", "rounds"), [("add2", 6), ("add10", 6), ("mult2", 6), ("mult2", 3), ("mult10", 3)]
)
def test_walks_over_three_symbols_settle_in_the_experts_of_the_paper(task: str, rounds: int) -> None:
    """So a right model has nothing to lose by a penalty on those that do not (`--settle-over 3`)."""
    agent = expert(task)
    nowhere = len(agent.states)
    after = np.vstack([np.where(agent.next < 0, nowhere, agent.next), np.full(len(agent.alphabet), nowhere)])
    for walk in windows(sample_traces(agent, PAPER_SAMPLING[task]), 3):
        state = np.arange(nowhere + 1)
        for symbol in np.tile(walk, rounds):
            state = after[state, symbol]
        again = state[state]
        assert ((again == state) | (again == nowhere)).all(), "".join(agent.alphabet[x] for x in walk)
