"""What traces read three times in a row."""

from __future__ import annotations

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert
from dfst.problems import as_problem
from dfst.traces.reweighting import LONGEST, NO_SYMBOL, TIMES, repeated_words, shown_words
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


def one_by_one(traces, times: int) -> set[tuple[int, ...]]:
    found = set()
    for i in range(len(traces)):
        x = tuple(traces[i].x.tolist())
        for length in range(1, LONGEST + 1):
            for at in range(len(x) - times * length + 1):
                turn = x[at : at + length]
                parts = {turn[:k] * (length // k) for k in range(1, length) if length % k == 0}
                if x[at : at + times * length] == turn * times and turn not in parts:
                    found.add(min(turn[k:] + turn[:k] for k in range(length)))
    return found


@pytest.mark.parametrize(("task", "times"), [("add2", 1), ("add2", 2), ("add10", TIMES), ("mult2", TIMES)])
def test_every_repeated_word_is_found_and_nothing_else(task: str, times: int) -> None:
    traces = sample_traces(expert(task), PAPER_SAMPLING[task])
    some = traces.subset(range(min(len(traces), 100)))
    found = repeated_words(some, times)
    assert set(found) == one_by_one(some, times)
    assert found == sorted(found, key=lambda symbols: (len(symbols), symbols))


def test_mult2_copies_1_in_a_word_of_three_symbols() -> None:
    assert (0, 1, 1) in repeated_words(sample_traces(expert("mult2"), PAPER_SAMPLING["mult2"]))


def test_traces_that_are_too_short_have_none() -> None:
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    assert repeated_words(traces.subset([])) == []
    assert shown_words(traces.subset([])).shape == (0, LONGEST)


def test_words_of_several_symbols_are_filled_up_to_one_length() -> None:
    traces = sample_traces(expert("mult2"), PAPER_SAMPLING["mult2"])
    found = [tuple(x for x in word if x != NO_SYMBOL) for word in shown_words(traces).tolist()]
    assert found == [word for word in repeated_words(traces, times=1) if len(word) > 1]
    assert len(found) > 300


@pytest.mark.parametrize("task", ["add2", "s3", "stack", *slow("a5", "d4", "cycle", "sum2", "sort")])
def test_twelve_or_twenty_rounds_more_leave_nothing_to_penalise_in_an_expert(task: str) -> None:
    """Every loop, chain and cycle of its states is through by then: a right model has nothing to lose."""
    agent = expert(task)
    traces, nowhere = as_problem(task).training_set().traces, len(agent.states)
    after = np.vstack([np.where(agent.next < 0, nowhere, agent.next), np.full(len(agent.alphabet), nowhere)])
    for word in [*((x,) for x in range(len(agent.alphabet))), *repeated_words(traces, times=1)]:
        once = np.arange(nowhere + 1)
        for symbol in word:
            once = after[once, symbol]
        rounds = [np.arange(nowhere + 1)]
        for _ in range(72):
            rounds.append(once[rounds[-1]])
        assert any((rounds[n] == rounds[52]).all() for n in (64, 72)), word
