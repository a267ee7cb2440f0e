"""In which order tokens are computed: each once, after what it depends on, and in large groups."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from dfst.experts import expert
from dfst.kernels.cpu.schedule import SHARDS, deal, march, plan, share
from dfst.traces.sample import NUMBER_SAMPLING, sample_traces
from dfst.traces.traceset import TraceSet


@njit
def schedule(
    x, start, lengths, chosen, symbols, first, last, links, groups, steps, ends, queue, small, blocks
):
    """March the shards first, …, last − 1 together: groups, traces and the end of the rows."""
    begin, traces = np.int64(0), np.int64(0)
    for shard in range(first, last):
        mine = small[0, : deal(lengths, chosen, shard, small[0])]
        plan(
            x, start, mine, symbols, begin,
            links[0], links[1], links[2], links[3], groups, blocks, queue, small,
        )  # fmt: skip
        for i in range(len(mine)):
            ends[traces + i] = blocks[symbols, 0] + i
        begin, traces = blocks[symbols, 0] + len(mine), traces + len(mine)
    count = march(x, symbols, links[2], links[0], links[1], ends, traces, groups, steps, queue, small)
    return count, traces, begin


class Schedule(NamedTuple):
    groups: NDArray[np.int64]
    steps: NDArray[np.int64]
    token: NDArray[np.int64]
    after: NDArray[np.int64]
    ends: NDArray[np.int64]


def schedule_of(traces: TraceSet, chosen: NDArray[np.int64], first: int, last: int) -> Schedule:
    k, b = len(traces.alphabet), len(chosen)
    rows = int(traces.lengths[chosen].sum()) + b
    links, groups = np.zeros((4, rows), np.int64), np.zeros((rows, 3), np.int64)
    steps, ends = np.zeros((3, rows), np.int64), np.zeros(b, np.int64)
    count, many, _ = schedule(
        traces.x, traces.start, traces.lengths, chosen, k, np.int64(first), np.int64(last),
        links, groups, steps, ends, np.zeros((k, b), np.int64), np.zeros((4, b + k + 1), np.int64),
        np.zeros((k + 1, 3), np.int64),
    )  # fmt: skip
    return Schedule(groups[:count], steps, links[2], links[0], ends[:many])


@pytest.fixture(scope="module")
def gcd10() -> TraceSet:
    return sample_traces(expert("gcd10"), NUMBER_SAMPLING["gcd10"])


def test_each_token_once_and_after_the_one_before_it(gcd10: TraceSet) -> None:
    chosen = np.random.default_rng(0).choice(len(gcd10), 9, replace=False)
    found = schedule_of(gcd10, chosen, 0, SHARDS)
    done: set[int] = set()
    for place, rows, symbol in found.groups:
        here, after, before = found.steps[:, place : place + rows]
        assert (gcd10.x[found.token[here]] == symbol).all()
        assert not done & set(here.tolist())
        assert set(before.tolist()) <= done | set(found.ends.tolist())
        np.testing.assert_array_equal(after, found.after[here])
        done |= set(here.tolist())
    tokens = sorted(found.token[list(done)].tolist())
    assert tokens == sorted(t for i in chosen for t in range(gcd10.start[i], gcd10.start[i + 1]))


def test_more_traces_make_larger_groups(gcd10: TraceSet) -> None:
    """docs/research/performance.md: 1.4 rows where each shard marches alone, 3.2 together."""
    rng = np.random.default_rng(0)
    batches = [rng.choice(len(gcd10), 32, replace=False) for _ in range(10)]

    def mean_rows(several: int) -> float:
        groups = [
            schedule_of(gcd10, chosen, first, first + several).groups[:, 1]
            for chosen in batches
            for first in range(0, SHARDS, several)
        ]
        return float(np.concatenate(groups).mean())

    assert mean_rows(1) == pytest.approx(1.4, abs=0.05)
    assert mean_rows(SHARDS) == pytest.approx(3.2, abs=0.1)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("seeds", [1, 2, 3, 8])
def test_every_shard_is_one_thread_s(seeds: int, threads: int, apart: bool) -> None:
    python: Any = share.py_func
    done = [
        (seed, shard)
        for thread in range(threads)
        for seed in range(seeds)
        for shard in range(*python(seed, thread, threads, seeds, apart))
    ]
    assert sorted(done) == [(seed, shard) for seed in range(seeds) for shard in range(SHARDS)]
