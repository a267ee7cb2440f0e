"""What the checker of sweeps asks, in rationals: its twin, which shares no arithmetic with it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from forging import at

from dfst.model.weights import load_weights
from dfst.proof.floats import MOTIONS
from dfst.proof.reading import HALT, MISSING, PATIENT, Work, read
from dfst.subjects import WEIGHTS, shipped

NAME = "add2.descent"
EVERY_LENGTH = Path(__file__).parents[2] / "examples" / "every-length"
UNDERFLOW = Fraction(1, 2**52)  # of a sum, divided by σ

rational = np.vectorize(Fraction, otypes=[object])
sizes_of = np.vectorize(abs, otypes=[object])


class Twin:
    """In the words of `proof/sweeps.py`. Of what rows a row is made is solved in floats, then exact."""

    def __init__(self, proof, weights):
        nodes, owners, rows, bounds, self.bases = (
            at(proof, "weights", "measure", part) for part in ("nodes", "owners", "rows", "bounds", "bases")
        )
        self.d, self.weights, self.used = len(weights.h0), weights, 0
        self.longest = proof["weights"]["measure"]["longest"]
        self.W = rational(weights.stacked.astype(float))
        self.v = rational(at(proof, "weights", "hidden"))
        self.write, self.motion, self.next = (
            at(proof, "subject", "table", part) for part in ("write", "motion", "next")
        )
        own = {q: owners[:, 0] == i for i, q in enumerate(nodes[:, 0].tolist())}
        self.floats = {q: rows[mine] for q, mine in own.items()}
        self.rows = {q: rational(part) for q, part in self.floats.items()}
        self.first, self.more = ({q: rational(bounds[own[q], i]) for q in own} for i in (0, 1))
        self.one, self.none = rational(np.eye(self.d)), rational(np.zeros(self.d))
        unit = Fraction(self.d, 2**24)
        self.unit = unit / (1 - unit)
        self.sizes = {}
        for q in self.rows:
            _, last, left = self.made_of(q, self.one)
            left = left.sum(1)
            self.sizes[q] = last + left * max(last) / (1 - max(left))
            assert max(left) < 1

    def made_of(self, q, wanted):
        """|f e| at most, at the beginning and at the end of a sweep, and what is not made of rows."""
        chosen, n = self.bases[self.used : self.used + len(wanted)], len(wanted)
        self.used += n
        c = np.linalg.solve(self.floats[q][chosen].transpose(0, 2, 1), wanted.astype(float)[:, :, None])
        c = rational(c[:, :, 0])
        left = [sizes_of(f - c[i] @ self.rows[q][chosen[i]]) for i, f in enumerate(wanted)]
        first, more = ((sizes_of(c) * part[q][chosen]).sum(1) for part in (self.first, self.more))
        return first, first + self.longest * more, np.array(left)

    def bounded(self, q, wanted):
        if q not in self.rows:
            return self.none[:1], self.none[:1]
        first, last, left = self.made_of(q, wanted)
        return first + left @ self.sizes[q], last + left @ self.sizes[q]

    def noise(self, rows, added):
        return sum((sizes_of(rows @ later) @ each for later, each in added), 0 * rows[:, 0])

    def check(self):
        for q in sorted({0, *self.rows}):
            paths = [(q, self.one, [])]
            while paths:
                state, whole, added = paths.pop()
                centre = whole @ self.v[q]
                most = sizes_of(whole) @ self.sizes.get(q, self.none)
                most = most + sizes_of(centre) + self.noise(self.one, added)
                for x in np.flatnonzero(self.next[state] != MISSING).tolist():
                    target, A = int(self.next[state, x]), self.W[x, : self.d]
                    self.decides(q, state, x, (whole, added, centre, most))
                    further = [(A @ later, each) for later, each in added]
                    further.append((self.one, self.unit * (sizes_of(A) @ most) + UNDERFLOW))
                    if target == state and self.more[q].any():
                        self.keeps(q, A @ whole, further)
                    elif target in self.rows:
                        self.arrives(q, target, A @ whole, further)
                    elif target != HALT:
                        paths.append((target, A @ whole, further))

    def decides(self, q, state, x, path):
        whole, added, centre, most = path
        name = "S" if self.next[state, x] == HALT else MOTIONS[self.motion[state, x]]
        symbols = len(self.weights.alphabet)
        written, moved = self.W[x, self.d : self.d + symbols], self.W[x, self.d + symbols :]
        wanted = int(self.write[state, x]), self.weights.motions.index(name)
        for scores, best in zip((written, moved), wanted, strict=True):
            others = np.delete(scores, best, 0)
            ahead, size = scores[best] - others, sizes_of(scores[best]) + sizes_of(others)
            off = self.noise(ahead, added) + self.unit * (size @ most) + 2 * UNDERFLOW
            assert (self.bounded(q, ahead @ whole)[1] + off < ahead @ centre).all()

    def keeps(self, q, whole, added):
        v, rows, more = self.v[q], self.rows[q], self.more[q]
        grows = Fraction(float(v @ whole @ v / (v @ v)))
        off = sizes_of(rows @ whole @ v - grows * (rows @ v)) + self.noise(rows, added)
        first, last = self.bounded(q, rows @ whole)
        assert (first + off <= grows * (self.first[q] + more)).all()
        assert (last + off <= grows * (self.first[q] + (self.longest + 1) * more)).all()

    def arrives(self, q, target, whole, added):
        v, rows = self.v[target], self.rows[target]
        along = (v / (v @ v))[None]
        beside, centre = rows - (rows @ v)[:, None] * along, whole @ self.v[q]
        least = along @ centre - self.noise(along, added) - self.bounded(q, along @ whole)[1]
        off = sizes_of(beside @ centre) + self.noise(beside, added)
        assert least[0] > 0
        assert (self.bounded(q, beside @ whole)[1] + off <= self.first[target] * least[0]).all()


@pytest.mark.slow
def test_the_shipped_proof_holds_in_rationals():
    holds(WEIGHTS / f"{NAME}.proof.json", shipped(NAME))


def test_the_proof_for_every_length_holds_in_rationals():
    holds(EVERY_LENGTH / "bit_shift.proof.json", load_weights(EVERY_LENGTH / "bit_shift.safetensors"))


def holds(path, weights):
    twin = Twin(read(path.read_bytes(), Work(PATIENT)), weights)
    twin.check()
    assert twin.used == len(twin.bases)
