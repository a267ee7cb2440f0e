"""What traces read three times in a row."""

from __future__ import annotations

import pytest

from dfst.agents import expert
from dfst.traces.rounds import LONGEST, TIMES, rounds
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


def one_by_one(traces) -> set[tuple[int, ...]]:
    found = set()
    for i in range(len(traces)):
        x = tuple(traces[i].x.tolist())
        for length in range(1, LONGEST + 1):
            for at in range(len(x) - TIMES * length + 1):
                turn = x[at : at + length]
                parts = {turn[:k] * (length // k) for k in range(1, length) if length % k == 0}
                if x[at : at + TIMES * length] == turn * TIMES and turn not in parts:
                    found.add(min(turn[k:] + turn[:k] for k in range(length)))
    return found


@pytest.mark.parametrize("task", ["add2", "add10", "mult2"])
def test_every_round_is_found_and_nothing_else(task: str) -> None:
    traces = sample_traces(expert(task), PAPER_SAMPLING[task])
    some = traces.subset(range(min(len(traces), 100)))
    found = rounds(some)
    assert set(found) == one_by_one(some)
    assert found == sorted(found, key=lambda symbols: (len(symbols), symbols))


def test_mult2_copies_1_in_a_round_over_three_symbols() -> None:
    assert (0, 1, 1) in rounds(sample_traces(expert("mult2"), PAPER_SAMPLING["mult2"]))


def test_traces_that_are_too_short_have_none() -> None:
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    assert rounds(traces.subset([])) == []
