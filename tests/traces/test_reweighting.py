"""Steps that are seldom shown count for more, by what the traces show and nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dfst.experts import expert
from dfst.traces.reweighting import step_weights
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.traces.traceset import TraceSet


@pytest.fixture(scope="module")
def traces() -> TraceSet:
    return sample_traces(expert("add10"), PAPER_SAMPLING["add10"])


def kinds(traces: TraceSet) -> list[tuple[object, ...]]:
    """Of each token, one after the other: what was done in it and in the one before."""
    found: list[tuple[object, ...]] = []
    for i in range(len(traces)):
        trace = traces[i]
        steps = list(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True))
        found += zip([None, *steps], steps, strict=False)
    return found


@pytest.mark.parametrize("power", [0.3, 0.5, 1.0])
def test_a_step_counts_by_its_share_to_that_power(traces: TraceSet, power: float) -> None:
    found = kinds(traces)
    shown = Counter(found)
    expected = np.array([shown[kind] ** -power for kind in found])
    np.testing.assert_allclose(step_weights(traces, power), expected / expected.mean(), rtol=1e-12)


def test_all_count_alike_without_it(traces: TraceSet) -> None:
    assert (step_weights(traces, 0) == 1).all()


def test_with_power_one_every_kind_counts_for_as_much_as_any_other(traces: TraceSet) -> None:
    found, weight = kinds(traces), step_weights(traces, 1)
    sums = Counter[tuple[object, ...]]()
    for kind, each in zip(found, weight, strict=True):
        sums[kind] += each  # type: ignore[assignment]
    np.testing.assert_allclose(list(sums.values()), len(found) / len(sums))


def test_empty_traces_are_no_trouble(traces: TraceSet) -> None:
    nothing = traces.subset([])
    assert step_weights(nothing, 0.5).shape == (0,)
