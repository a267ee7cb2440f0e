"""The trusted part for models whose errors add up along sweeps over the tape only, and shrink between them.

Errors are measured by rows, not by a norm: at some learnt states a set is given, |l e| at most so much for
each of its rows l. Bounds are rounded up as in drift.py. Standard library and numpy only.

Why a run stays inside: at first e = 0. A step of a sweep is checked at its beginning and at its end, and
what is compared is affine in k; paths begin with the bounds of the longest sweep. All rules of the table are
followed, so all that the invariant lets a run meet. How often a run sweeps does not matter, as every arrival
begins anew at k = 0; how long it sweeps is bounded by room.py, in symbols of the input. Where nothing is
added from step to step, a loop is a path like any other, on whose arrival h is divided anew; if that is so at
all nodes, no sweep is too long, and what is shown holds on inputs of every length.

Why no number over- or underflows: runs multiply h by 2^±60 if its largest component is beyond 2^±60 and the
first one beyond 2^±40 (transducer.py). At nodes |h₀| > 2^-12 σ and |h| < 2^5 σ, so 2^-65 < σ < 2^72; on a
path |h| > 2^-20 σ, so it is not taken beyond, and sums stay below 2^40 σ. Underflow takes 2^-126 at most from
each of 2 d operations, flushed to zero or not, so less than TINY σ from a sum.
"""

from typing import Any

import numpy as np

from dfst.proof.drift import UP, rounding
from dfst.proof.floats import ANY_ORDER, Model, decisions
from dfst.proof.reading import HALT, MISSING, Array, Table, Work, array, demand, whole

LONGEST_PATH = 16  # steps from one node to the next
SLOP = 2.0**-40  # more than products of LONGEST_PATH matrices err by, relative to those of their sizes
TINY = 2.0**-50  # more than underflow takes from a sum, divided by σ
LEAST = 2.0**-40  # a row's largest component; what smaller rows lose would underflow here, and not be seen


def swept(model: Model, hidden: Array, table: Table, measure: dict[str, Any], work: Work) -> dict[str, Any]:
    """The same where errors add up along sweeps only; the proof says how long they may be."""
    nodes, owners, bases = (array(measure[part], "int32", work) for part in ("nodes", "owners", "bases"))
    rows, bounds = (array(measure[part], "float64", work) for part in ("rows", "bounds"))
    longest, listed = whole(measure["longest"], 1), nodes[:, 0].tolist()
    sets = Sweeps(model, hidden, table, longest, listed, owners[:, 0], rows, bounds, bases, work)
    return sets.check()


class Sweeps:
    """The sets of errors, and what is asked of them.

    A *loop* is a rule q → q; uses of loops in a row are a sweep. Nodes are states, all with a loop among
    them. At a node h = σ (v + e), σ > 0 any, v its learnt state; the proof gives rows l, and bounds: |l e| ≤
    first + k · more after k steps of a sweep, for k ≤ longest. A step of a sweep must keep them, and so must
    every path from a node to the next, which begins after any sweep and on whose arrival h is divided anew,
    such that e has no part along v. What has to be bounded is a row f A…A, and for each of them the proof
    names d rows of the node, a basis: f = c · basis, so |f e| ≤ Σ |c| · bounds.
    """

    def __init__(
        self, model: Model, hidden: Array, table: Table, longest: int, nodes: list[int], owners: Array,
        rows: Array, bounds: Array, bases: Array, work: Work,
    ) -> None:  # fmt: skip
        self.model, self.hidden, self.table, self.W = model, hidden, table, model.stacked.astype("<f8")
        self.d, self.longest, self.bases, self.used = len(model.h0), longest, bases, 0
        self.work = work
        info = np.finfo(model.h0.dtype)
        self.unit = rounding(self.d, float(info.eps))[1]
        fits = rows.shape == (len(owners), self.d) and bounds.shape == (len(rows), 2)
        demand(fits and bases.shape[1] == self.d and 2 <= self.d <= 200, "the measure is malformed")
        fits = (np.abs(self.W) <= 2.0**16).all()
        fits = fits and all((np.abs(part) <= 2.0**40).all() for part in (hidden, rows, bounds))
        demand(fits and (bounds >= 0).all() and 1 <= longest <= 2**40, "the numbers may overflow")
        demand((np.abs(rows).max(1) >= LEAST).all(), "a row sees nothing")
        demand((hidden[0] == model.h0).all(), "the first learnt state is not h0")
        states, following = range(len(hidden)), table[2]
        fits = len(set(nodes)) == len(nodes) and set(nodes) <= set(states)
        demand(
            fits and all(q in nodes for q in states if q in following[q]), "a state with a loop is no node"
        )
        at = {q: owners == i for i, q in enumerate(nodes)}
        self.rows = {q: rows[at[q]] for q in nodes}
        self.more = {q: bounds[at[q], 1] for q in nodes}
        self.first = {q: bounds[at[q], 0] for q in nodes}
        self.last = {q: (bounds[at[q], 0] + longest * bounds[at[q], 1]) * UP for q in nodes}
        self.sizes = {q: np.full(self.d, np.inf) for q in nodes}
        self.radius, self.margin = 0.0, np.inf

    def basis(self, q: int, wanted: Array) -> Array:
        """(n, d): of which rows of q each wanted row is made; any will do, a good choice bounds it better."""
        self.used += len(wanted)
        return self.bases[self.used - len(wanted) : self.used]

    def made_of(self, q: int, wanted: Array, size: Array) -> tuple[Array, Array, Array]:
        """|f e| of each wanted row f is at most the first at the beginning of a sweep, the second at its end,
        plus the third (n, d) times the sizes of e. size: f was computed to within SLOP times this."""
        self.work.spend(len(wanted) * self.d**3 // 500)
        chosen, rows = self.basis(q, wanted), self.rows[q]
        fits = chosen.shape == wanted.shape and ((chosen >= 0) & (chosen < len(rows))).all()
        demand(fits, "a basis is not of its node's rows")
        c = np.linalg.solve(rows[chosen].transpose(0, 2, 1), wanted[:, :, None])[:, :, 0]
        left = np.abs(wanted - np.einsum("ni,nij->nj", c, rows[chosen]))
        c = np.abs(c)
        left = (left + SLOP * (size + np.einsum("ni,nij->nj", c, np.abs(rows[chosen])))) * UP
        return (c * self.first[q][chosen]).sum(1) * UP, (c * self.last[q][chosen]).sum(1) * UP, left

    def bounded(self, q: int, wanted: Array, size: Array) -> tuple[Array, Array]:
        """What |f e| is at most, at the beginning and at the end of the longest sweep; none at the start."""
        if q not in self.rows:
            return np.zeros(len(wanted)), np.zeros(len(wanted))
        first, last, left = self.made_of(q, wanted, size)
        return (first + left @ self.sizes[q]) * UP, (last + left @ self.sizes[q]) * UP

    def check(self) -> dict[str, Any]:
        """What is shown; else `Rejected`."""
        with np.errstate(all="ignore"):
            for q in self.rows:
                _, last, left = self.made_of(q, np.eye(self.d), np.zeros((self.d, self.d)))
                lost = float(left.sum(1).max())
                demand(lost < 0.5, f"the rows of learnt state {q} are no measure")
                self.sizes[q] = (last + left.sum(1) * float(last.max()) / (1 - lost) * UP) * UP
                # runs are rescaled in time if the first component is never small (transducer.py)
                head, largest = abs(self.hidden[q, 0]) - self.sizes[q][0], float(np.abs(self.hidden[q]).max())
                fits = head > 2.0**-12 and 2.0**-4 <= largest <= 2.0**4 and (self.sizes[q] <= 2.0**4).all()
                demand(fits, "the numbers may overflow")
                self.radius = max(self.radius, float(self.sizes[q].max()))
            for q in sorted({0, *self.rows}):
                self.leave(q)
        demand(self.used == len(self.bases), "a basis is for nothing")
        shown = {"arithmetic": f"in {self.model.h0.dtype.name} as it runs", "sums": ANY_ORDER}
        steps = self.longest + 1 if any(more.any() for more in self.more.values()) else None
        return {**shown, "radius": self.radius, "margin": self.margin, "steps": steps}

    def leave(self, q: int) -> None:
        """Follow every path from this node, after any sweep, until the next node."""
        following, paths = self.table[2], [(q, Path(self.hidden[q], self.sizes.get(q, np.zeros(self.d))))]
        while paths:
            state, path = paths.pop()
            demand(path.length < LONGEST_PATH, "a path meets no node")
            for x in np.flatnonzero(following[state] != MISSING).tolist():
                self.decides(q, path, state, x)
                target = int(following[state, x])
                if target == HALT:
                    continue
                self.work.spend(1 + (1 + path.length) * self.d**3 // 200)
                further = path.step(self.W[x, : self.d], self.unit)
                fits = further.bulk.max() < 2.0**40 and further.least > 2.0**-20
                demand(fits, "the numbers may overflow")
                if target == state and self.more[q].any():
                    self.keeps(q, further)
                elif target in self.rows:
                    self.arrives(q, further, target)
                else:
                    paths.append((target, further))

    def decides(self, q: int, path: "Path", state: int, x: int) -> None:
        """The scores lead as the table says, on all of the set."""
        rule = (int(part[state, x]) for part in self.table)
        for rows, wanted in decisions(self.model, *rule):
            scores, others = self.W[x, rows], np.delete(self.W[x, rows], wanted, 0)
            self.work.spend(len(scores) * (1 + path.length) * self.d**2 // 200)
            ahead, size = scores[wanted] - others, np.abs(scores[wanted]) + np.abs(others)
            lead, off = path.carried(ahead, size)
            errors = self.bounded(q, ahead @ path.whole, size @ path.size)[1]
            sure = lead - (errors + off + self.unit * (size @ path.most) + 2 * TINY) * UP
            demand((size @ path.bulk < 2.0**40).all(), "the numbers may overflow")
            demand((sure > 0).all(), f"errors may change a decision at learnt state {state}, symbol {x}")
            self.margin = min(self.margin, float(lead.min(initial=np.inf)))

    def keeps(self, q: int, path: "Path") -> None:
        """One more step of a sweep: h is divided by what v grows by, whatever e is."""
        rows, v = self.rows[q], self.hidden[q]
        grows = float(v @ path.centre) / float(v @ v)
        demand(grows > 0.5, f"a loop turns learnt state {q} around")
        moved, off = path.carried(rows, np.abs(rows))
        off = off + np.abs(moved - grows * (rows @ v)) + SLOP * 2 * grows * (np.abs(rows) @ np.abs(v))
        first, last = self.bounded(q, rows @ path.whole, np.abs(rows) @ path.size)
        for error, held in ((first, self.first[q]), (last, self.last[q])):
            fits = (error + off) * UP <= (held + self.more[q]) / UP / UP * grows
            demand(fits.all(), f"a sweep leaves the set of learnt state {q}")

    def arrives(self, q: int, path: "Path", target: int) -> None:
        """At the next node, h divided such that its part along v is v."""
        v, rows = self.hidden[target], self.rows[target]
        along = v[None] / float(v @ v)
        beside = rows - (rows @ v)[:, None] * along
        size = np.abs(rows) + (np.abs(rows) @ np.abs(v))[:, None] * np.abs(along)
        scale, lost = path.carried(along, np.abs(along))
        slope = self.bounded(q, along @ path.whole, np.abs(along) @ path.size)[1]
        least = float((scale - (slope + lost) * UP)[0]) / UP
        demand(least > 2.0**-20, f"learnt state {target} is reached at no scale")
        away, off = path.carried(beside, size)
        error = self.bounded(q, beside @ path.whole, size @ path.size)[1]
        fits = (np.abs(away) + off + error) * UP <= self.first[target] * least
        demand(fits.all(), f"a path from learnt state {q} leaves the set of {target}")


class Path:
    """Some steps from a node on: h = σ (whole (v + e) + what rounding added on the way)."""

    def __init__(self, v: Array, sizes: Array) -> None:
        self.v, self.sizes, self.length = v, sizes, 0
        self.whole = self.size = np.eye(len(v))  # the product of the A, and that of their sizes
        self.added: list[tuple[Array, Array, Array]] = []
        """For each step: the same of the later A, and what the step adds at most, component by component"""
        self._end()

    def _end(self) -> None:
        self.centre, self.bulk = self.whole @ self.v, self.size @ (np.abs(self.v) + self.sizes) * UP
        errors = np.abs(self.whole) @ self.sizes + self.noise(np.eye(len(self.v)), np.eye(len(self.v)))
        errors = (errors + SLOP * self.bulk) * UP
        self.most = (np.abs(self.centre) + errors) * UP  # h / σ, component by component
        self.least = float((np.abs(self.centre) - errors).max())  # its largest component at least

    def step(self, A: Array, unit: float) -> "Path":
        after, size = Path(self.v, self.sizes), np.abs(A)
        after.length, after.whole, after.size = self.length + 1, A @ self.whole, size @ self.size
        after.added = [(A @ later, size @ sizes, noise) for later, sizes, noise in self.added]
        after.added.append((np.eye(len(A)), np.eye(len(A)), unit * (size @ self.most) * UP + TINY))
        after._end()
        return after

    def noise(self, rows: Array, size: Array) -> Array:
        """What rounding adds to each row of h / σ; the rows are known to within SLOP times their size."""
        terms = [(np.abs(rows @ later) + SLOP * size @ sizes) @ noise for later, sizes, noise in self.added]
        return np.asarray(sum(terms, np.zeros(len(rows))) * UP)

    def carried(self, rows: Array, size: Array) -> tuple[Array, Array]:
        """Each row of whole v, and by how much it may be off, rounding included."""
        return rows @ self.centre, (self.noise(rows, size) + SLOP * (size @ self.bulk)) * UP
