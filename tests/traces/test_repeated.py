"""What traces read three times in a row."""

from __future__ import annotations

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert
from dfst.problems import as_problem
from dfst.traces.reweighting import LONGEST, TIMES, repeated_words, words_of_length
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
def test_every_repeated_word_is_found_and_nothing_else(task: str) -> None:
    traces = sample_traces(expert(task), PAPER_SAMPLING[task])
    some = traces.subset(range(min(len(traces), 100)))
    found = repeated_words(some)
    assert set(found) == one_by_one(some)
    assert found == sorted(found, key=lambda symbols: (len(symbols), symbols))


def test_mult2_copies_1_in_a_word_of_three_symbols() -> None:
    assert (0, 1, 1) in repeated_words(sample_traces(expert("mult2"), PAPER_SAMPLING["mult2"]))


def test_traces_that_are_too_short_have_none() -> None:
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    assert repeated_words(traces.subset([])) == []
    assert words_of_length(traces.subset([]), 6).shape == (0, 6)


def test_words_of_several_symbols_are_repeated_to_one_length() -> None:
    traces = sample_traces(expert("mult2"), PAPER_SAMPLING["mult2"])
    expected = {word * (6 // len(word)) for word in repeated_words(traces) if len(word) in (2, 3, 6)}
    found = {tuple(word) for word in words_of_length(traces, 6).tolist()}
    assert found == expected
    assert len(found) > 3


@pytest.mark.parametrize("task", ["add2", "mult2", "div2", *slow("add10", "cycle", "sort")])
def test_sixty_symbols_leave_nothing_to_penalise_in_an_expert(task: str) -> None:
    """Every loop, chain and cycle of its states is through by then: a right model has nothing to lose."""
    agent = expert(task)
    traces, nowhere = as_problem(task).training_set().traces, len(agent.states)
    after = np.vstack([np.where(agent.next < 0, nowhere, agent.next), np.full(len(agent.alphabet), nowhere)])
    single = np.repeat(np.arange(len(agent.alphabet)), 6).reshape(-1, 6)
    for word in np.vstack([single, words_of_length(traces, 6)]):
        state = np.arange(nowhere + 1)
        for symbol in np.tile(word, 10):
            state = after[state, symbol]
        np.testing.assert_array_equal(state[state], state)
