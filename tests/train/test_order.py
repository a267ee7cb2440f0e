"""The order of the traces: each epoch a shuffle, a function of (seed, step) alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dfst.train.order import batch


@settings(deadline=None)
@given(seed=st.integers(0, 2**40), epoch=st.integers(0, 10**6), n=st.integers(2, 300))
def test_every_epoch_shows_every_trace_once(seed: int, epoch: int, n: int) -> None:
    shown = [int(batch(seed, epoch * n + i, n, 1)[0]) for i in range(n)]
    assert sorted(shown) == list(range(n))


@pytest.mark.parametrize(("n", "size"), [(20, 32), (20, 20), (1, 32)])
def test_a_set_no_larger_than_the_batch_is_taken_whole_and_in_order(n: int, size: int) -> None:
    for iteration in (0, 1, 99):
        np.testing.assert_array_equal(batch(5, iteration, n, size), np.arange(n))


def test_batches_run_on_over_the_end_of_an_epoch() -> None:
    stream = np.concatenate([batch(7, i, 10, 4) for i in range(10)])
    for epoch in range(4):
        assert sorted(stream[10 * epoch : 10 * epoch + 10]) == list(range(10))


def test_epochs_and_seeds_differ() -> None:
    first, second, other = batch(0, 0, 100, 50), batch(0, 2, 100, 50), batch(1, 0, 100, 50)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_first_places_are_spread_evenly() -> None:
    """Over many seeds each trace comes first about equally often (χ², 19 degrees of freedom, p = 1e-4)."""
    counts = np.bincount([batch(seed, 0, 20, 1)[0] for seed in range(4000)], minlength=20)
    assert ((counts - 200) ** 2 / 200).sum() < 52
