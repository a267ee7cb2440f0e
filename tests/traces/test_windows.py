"""The runs of symbols that traces show."""

from __future__ import annotations

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
