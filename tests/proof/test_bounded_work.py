"""A hostile proof is refused before its work is done: sizes are checked before products, rows and terms."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from forging import at, forged, put

from dfst.experts import expert
from dfst.proof import prove
from dfst.proof.checker import check
from dfst.proof.reading import MOST_BYTES, MOST_WORK, PATIENT, Unreadable


def bomb(numbers):
    """An array of as many zeros, a kilobyte for each million of its bytes."""
    data = base64.b64encode(zlib.compress(bytes(4 * numbers), 9)).decode()
    return {"dtype": "int32", "shape": [numbers // 5, 5], "data": data}


def many_terms(proof):
    """A product of 64 unknowns, each of which becomes a sum of two: 2^64 terms."""
    shape = proof["answer"]["shapes"][0]
    shape["kept"] = [{"*".join(["h@0", "len h"] * 32): 1}]


def wide_sums(proof):
    """Each of many pieces is worth a sum, and a product of all of them is asked for."""
    for shape in proof["answer"]["shapes"]:
        names = [piece[0] for piece in [*shape["left"], *shape["right"]]][:4]
        shape["bound"] = {"*".join(f"R^{name}" for name in names for _ in range(6)): 1}


def many_pieces(proof):
    shape = proof["answer"]["shapes"][0]
    shape["left"] = [[f"n{i}", shape["head"], True] for i in range(2_000)]


def repeated_rows(proof):
    put(proof, ("left", "edges"), np.tile(at(proof, "left", "edges"), (2_000, 1)))


def everything_inside_everything(proof):
    nodes = np.unique(at(proof, "left", "edges")[:, 0])
    pairs = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    put(proof, ("left", "inside"), pairs.astype(np.int32))


def edges_between_all(proof):
    count = 700
    grid = np.stack(np.meshgrid(np.arange(count), [0], np.arange(count)), axis=-1).reshape(-1, 3)
    put(proof, ("left", "edges"), grid.astype(np.int32))


def laid_everywhere(proof):
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(60_000)), axis=-1).reshape(-1, 2)
    put(proof, ("left", "laid"), grid.astype(np.int32))
    put(proof, ("right", "laid"), grid.astype(np.int32))


def nothing_inside_much(proof):
    """Nodes without edges are inside any other: each time all of its edges are looked at."""
    count, nodes = 200_000, np.arange(20_000)
    much = np.stack([np.full(count, 10**6), np.zeros(count), 10**7 + np.arange(count)], axis=-1)
    put(proof, ("left", "edges"), np.concatenate([at(proof, "left", "edges"), much.astype(np.int32)]))
    put(proof, ("left", "inside"), np.stack([nodes + 10**8, np.full(len(nodes), 10**6)], axis=-1))


def any_two_states(proof):
    symbols, states = 255, 150
    proof["alphabet"] = [chr(0x4E00 + k) for k in range(symbols)]
    for part in ("subject", "reference"):
        for rules in ("write", "motion", "next"):
            put(proof, (part, "table", rules), np.zeros((states, symbols), np.int32))
    put(proof, ("pairs",), np.stack(np.divmod(np.arange(states**2), states), axis=-1).astype(np.int32))


def a_long_name_often(proof):
    """What is read is told in words, in which this name would stand 200 times."""
    proof["alphabet"][0] = "x" * 8_000_000
    proof["inputs"]["before"] += [[state, 1, state] for state in range(5, 205)]


def note(item):
    """A field of 6 MB of these."""
    count = 6_000_000 // (len(json.dumps(json.loads(item))) + 2)
    return lambda proof: proof.update(note=[json.loads(item)] * count)


HOSTILE = {
    "nested lists": note("[[[]]]"),
    "small objects": note('{"":{}}'),
    "nothing inside much": nothing_inside_much,
    "any two states": any_two_states,
    "a long name often": a_long_name_often,
    "a bomb of 100 million numbers": lambda p: p.update(invariant=bomb(100_000_000)),
    "a bomb of 2 million": lambda p: p.update(invariant=bomb(2_000_000)),
    "a shape of a million sizes": lambda p: p["invariant"].update(shape=[2**30] * 1_000_000),
    "2^64 terms": many_terms,
    "sums multiplied": wide_sums,
    "2,000 pieces": many_pieces,
    "rows over and over": repeated_rows,
    "each node inside each": everything_inside_everything,
    "an edge between any two nodes": edges_between_all,
    "inputs laid everywhere": laid_everywhere,
    "a file too large": lambda p: p.update(note="x" * MOST_BYTES),
    "a table of many states": lambda p: [
        put(p, ("subject", "table", part), np.zeros((300_000, 4), np.int32))
        for part in ("write", "motion", "next")
    ],
}
LARGE = ("nested lists", "small objects", "a bomb of 100 million numbers")
"""These take long to write."""
PROGRAM = """
import os, resource, sys
from dfst.proof.checker import main
for file in sys.stdin:
    if os.fork() == 0:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            status = main([file.strip()])
            used = resource.getrusage(resource.RUSAGE_SELF)
            # ru_maxrss would count what the parent held when it forked
            peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
            print(status, used.ru_utime + used.ru_stime, peak, flush=True)
        finally:
            os._exit(0)
    os.wait()
    print(flush=True)
"""
"""Checks each file that it is told in a process of its own, forked from one that has everything loaded."""


@pytest.fixture(scope="module")
def checked():
    """What is said of a file, its last line the status, the seconds and the kilobytes."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as checker:

        def check(file):
            checker.stdin.write(f"{file}\n")
            checker.stdin.flush()
            return list(iter(checker.stdout.readline, "\n"))

        yield check
        checker.stdin.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind in LARGE else ()) for kind in HOSTILE]
)
def test_is_refused_within_five_seconds_and_a_gigabyte(subjects, checked, tmp_path, kind):
    file = tmp_path / "hostile.json"
    file.write_bytes(forged(subjects["machine"][0], HOSTILE[kind]))
    *said, used = checked(file)
    status, seconds, kilobytes = used.split()
    assert status in ("1", "2"), said
    assert float(seconds) < 5
    assert int(kilobytes) < 1 << 20


def test_what_is_honest_has_room_to_spare(monkeypatch):
    """The work that a proof is granted is twice what all but the largest take."""
    from dfst.proof import checker, reading

    left = []

    class Watched(reading.Work):
        def spend(self, steps):
            super().spend(steps)
            left.append(self.left)

    monkeypatch.setattr(checker, "Work", Watched)
    for name in ("add2", "add10", "mult3", "sort10", "sum10"):
        left.clear()
        prove(expert(name), expert(name))
        assert PATIENT - left[-1] < MOST_WORK / 2, name


def test_who_trusts_a_proof_has_patience(subjects):
    data = forged(subjects["machine"][0])
    with pytest.raises(Unreadable, match="--patient"):
        check(data, most_work=1_000)
    assert check(data, most_work=PATIENT)["ends"]
