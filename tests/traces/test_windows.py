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


def unsettled(task: str, length: int, rounds: int) -> dict[str, bool]:
    """The walks that traces show and that change some state of the expert once more after so many rounds;
    whether that is only because they end: a state on the way has no rule for what it reads."""
    agent = expert(task)
    nowhere = len(agent.states)
    after = np.vstack([np.where(agent.next < 0, nowhere, agent.next), np.full(len(agent.alphabet), nowhere)])
    found = {}
    for walk in windows(sample_traces(agent, PAPER_SAMPLING[task]), length):
        state = np.arange(nowhere + 1)
        for symbol in np.tile(walk, rounds):
            state = after[state, symbol]
        changed = state[state] != state
        if changed.any():
            found["".join(agent.alphabet[x] for x in walk)] = bool((state[state][changed] == nowhere).all())
    return found


@pytest.mark.parametrize("task", ["add2", "add10", "mult2", "mult10"])
@pytest.mark.parametrize("length", [1, 3])
def test_six_rounds_settle_every_walk_of_the_experts_of_the_paper(task: str, length: int) -> None:
    """So a right model has nothing to lose by a penalty on those that do not (`--settle-by 6`)."""
    assert not unsettled(task, length, 6)


@pytest.mark.parametrize(("task", "ending"), [("mult2", 15), ("mult10", 134)])
def test_three_rounds_of_three_symbols_settle_all_that_go_on_in_the_multipliers(
    task: str, ending: int
) -> None:
    """Some walks end later than that, so here a right model is not free of the penalty."""
    found = unsettled(task, 3, 3)
    assert all(found.values())
    assert len(found) == ending
