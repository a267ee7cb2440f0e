"""Whether recorded steps agree: compiled against plain Python, on traces right, damaged and half unknown."""

from __future__ import annotations

import numpy as np
import plainly_consistent as plain
import pytest

from dfst.errors import InputError
from dfst.traces import consistent
from dfst.traces.traceset import gather
from dfst.world.trace import UNKNOWN, Trace

ALPHABET = ("0", "1", "λ")


def random_trace(rng: np.random.Generator, unknown: float) -> Trace:
    """A walk that finds what it left behind, with some of it changed or not seen."""
    steps = int(rng.integers(1, 12))
    x, s = rng.integers(0, 3, (2, steps)).astype(np.uint8)
    m = np.append(rng.integers(0, 4, steps - 1), 4).astype(np.uint8)
    found = plain.on_the_plane(Trace("it", "", ALPHABET, np.full(steps, UNKNOWN, np.uint8), s, m), None, 2)
    assert isinstance(found, Trace)
    right = rng.random() < 0.7
    x = np.where((found.x != UNKNOWN) & right, found.x, x).astype(np.uint8)
    for column in (x, s, m):
        column[rng.random(steps) < unknown] = UNKNOWN
    return Trace("it", "", ALPHABET, x, s, m)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_compiled_and_plain_find_the_same_on_the_plane(unknown):
    rng = np.random.default_rng(100)
    refused = 0
    for number in range(300):
        trace = random_trace(rng, unknown)
        symbols = rng.integers(0, 3, rng.integers(1, 4, 2)).astype(np.uint8)
        laid = None if number % 3 else (symbols, (int(rng.integers(-2, 1)), int(rng.integers(0, 3))))
        wanted = plain.on_the_plane(trace, laid, 2)
        if isinstance(wanted, int):
            refused += 1
            with pytest.raises(InputError, match=rf"here: step {wanted} "):
                consistent.on_the_plane(trace, laid, 2, "here")
        else:
            assert consistent.on_the_plane(trace, laid, 2, "here").same_as(wanted)
    assert 0 < refused < 300


def test_compiled_and_plain_find_the_same_contradictions():
    rng = np.random.default_rng(100)
    found = set()
    for _ in range(200):
        few = [random_trace(rng, 0.0) for _ in range(int(rng.integers(1, 8)))]
        for trace in few:
            trace.x[:] %= 2
            unseen = rng.random(len(trace)) < 0.3
            trace.s[unseen] = trace.m[unseen] = UNKNOWN
        traces = gather(few, "it", ALPHABET)
        order = sorted(range(len(few)), key=lambda i: few[i].x.tobytes())
        arrays = traces.x, traces.s, traces.m, traces.start, np.array(order)
        wanted = plain.contradictions(traces)
        assert consistent._contradictions(*arrays, int(traces.lengths.max())) == wanted
        found.add(wanted[0])
    assert len(found) > 3
