"""In which order tokens are computed: each once, after what it depends on, and in large groups."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from dfst.experts import expert
from dfst.kernels.cpu.schedule import SHARDS, deal, plan, share
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


@njit
def schedule(x, start, lengths, chosen, symbols, shard, links, groups, queue, small, blocks):
    """The groups of one shard, and how many tokens it has."""
    mine = small[0, : deal(lengths, chosen, shard, small[0])]
    count = plan(
        x, start, mine, symbols, links[0], links[1], links[2], links[3], groups, blocks, queue, small
    )  # fmt: skip
    return count, blocks[symbols, 0]


def test_each_token_once_and_after_the_one_before_it() -> None:
    traces = sample_traces(expert("add10"), PAPER_SAMPLING["add10"])
    chosen = np.random.default_rng(0).choice(len(traces), 9, replace=False)
    k, b, rows = len(traces.alphabet), len(chosen), int(traces.lengths[chosen].sum()) + len(chosen)
    tokens: list[int] = []
    for shard in range(SHARDS):
        links, groups = np.zeros((4, rows), np.int64), np.zeros((rows, 3), np.int64)
        count, total = schedule(
            traces.x, traces.start, traces.lengths, chosen, k, shard, links, groups,
            np.zeros((k, b), np.int64), np.zeros((4, b + k + 1), np.int64), np.zeros((k + 1, 3), np.int64),
        )  # fmt: skip
        done: set[int] = set()
        for row, many, symbol in groups[:count]:
            here = list(range(row, row + many))
            assert (traces.x[links[2, here]] == symbol).all()
            assert all(before in done or before >= total for before in links[1, here])
            assert not done & set(here)
            done |= set(here)
        assert done == set(range(total))
        tokens += links[2, :total].tolist()
    assert sorted(tokens) == sorted(t for i in chosen for t in range(traces.start[i], traces.start[i + 1]))


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
