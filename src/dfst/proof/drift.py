"""The trusted part for models that do not repeat their hidden states to the bit: how long they decide right.

One measure: let e part the hidden state from its learnt state h. A step makes it A[x] e, plus what parts
A[x] h from the next learnt state, plus rounding. It is measured by |e| = ‖Z e‖₁; the proof chooses Z, and Y
near its inverse (any will do, a good choice covers more steps). With `growth` at least the norm of every A[x]
in this measure and `noise` at least what an edge adds, |e| is at most noise · (1 + growth + … + growth^(t-1))
after t steps; decisions stand while this is below `allowed`, the smallest lead over the slope of its scores.

Where slow steps, over which errors add up, go one way, `room` makes of a bound on steps one on symbols.

Every bound is rounded up. A sum of n products errs by γ = n·unit/(1 - n·unit) times the sum of their sizes,
whatever its order; UP makes up for the roundings of a bound itself. Standard library and numpy only.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dfst.proof.floats import ANY_ORDER, Model, decisions
from dfst.proof.reading import HALT, MISSING, OFFSETS, Array, Column, Table, Work, demand

MOST_ROOM = 40  # symbols by which a run makes its tape longer, before it is taken for endless
FARTHEST = 10**18  # steps beyond which no bound is given
UP = 1 + 2.0**-40  # more than two sums of 2,048 float64 numbers of one sign can be off by, relatively


class Bounds(NamedTuple):
    """What errors can do to a model in the measure, and how near it is without; rounded to the safe side."""

    growth: float
    noise: float
    allowed: float
    radius: float  # the farthest that a learnt state is carried from the next one, largest component
    margin: float  # the smallest lead of a decision, at the learnt states


def bounded(model: Model, hidden: Array, table: Table, Z: Array, Y: Array) -> dict[str, Any]:
    """For how many steps no rounding in the file's own format can change a decision; else `Rejected`."""
    with np.errstate(all="ignore"):
        found = error_bounds(model, hidden, table, Z, Y)
    growth, noise, allowed, radius, margin = found
    shown = {"arithmetic": f"in {model.h0.dtype.name} as it runs", "sums": ANY_ORDER}
    return {**shown, "radius": radius, "margin": margin, "steps": covered_steps(growth, noise, allowed)}


def error_bounds(model: Model, hidden: Array, table: Table, Z: Array, Y: Array) -> Bounds:
    """See the head of this file."""
    write, motion, following = table
    W, d, info = model.stacked.astype("<f8"), len(model.h0), np.finfo(model.h0.dtype)
    here, there = rounding(d, float(info.eps))
    tiny = max(4.0 * d * float(info.tiny), 2.0**-700)
    """More than underflow takes from a sum, in either, as no number here is beyond 2^200"""
    demand(Z.shape == Y.shape == (d, d), "the measure is malformed")
    demand(all((np.abs(part) <= 2.0**200).all() for part in (W, hidden, Z, Y)), "the numbers may overflow")
    demand((hidden[0] == model.h0).all(), "the first learnt state is not h0")
    lost, back = _inverted(Z, Y, here, tiny)
    growth, noise, radius, margin, allowed = 1.0, 0.0, 0.0, np.inf, 1e6
    for A in W[(following >= 0).any(axis=0), :d]:
        # Z A e = Z A Y (Z e) + Z A (I - YZ) e, and its rounding
        size = np.abs(Z) @ np.abs(A)
        kept = _norm(np.abs(Z @ A @ Y) + 3 * here * (size @ np.abs(Y)) + tiny)
        growth = max(growth, (kept + _norm(size) * (lost + there) * back) * UP)
    for c, x in np.argwhere(following != MISSING).tolist():
        out, size = W[x] @ hidden[c], np.abs(W[x]) @ np.abs(hidden[c]) * UP + tiny
        for rows, wanted in decisions(model, write[c, x], motion[c, x], following[c, x]):
            lead = float((out[rows][wanted] - np.delete(out[rows], wanted)).min(initial=np.inf))
            sure = lead - 4 * (here + there) * float(size[rows].max()) - 2 * tiny
            demand(sure > 0, f"the weights do not decide so at learnt state {c}, symbol {x}")
            slope = 2 * (1 + there) * float(np.abs(W[x, rows]).max()) * back
            margin, allowed = min(margin, lead), min(allowed, sure / (slope * UP + tiny) / UP)
        if following[c, x] != HALT:
            away = np.abs(out[:d] - hidden[following[c, x]]) * UP + 2 * here * size[:d]
            radius = max(radius, float(away.max()))
            noise = max(noise, float((np.abs(Z) @ (away + 2 * there * size[:d] + tiny)).sum()) * UP)
    top = float(np.abs(W).max()) * d * (float(np.abs(hidden).max()) + back * allowed)
    least = float(abs(hidden[(following != MISSING).any(1)]).max(1).min(initial=np.inf))
    demand(top < 2**59 and least > 2**-56, "the numbers may overflow")  # nor be rescaled
    return Bounds(growth, noise, min(allowed, 0.9 * least / back), radius, margin)


def rounding(d: int, eps: float) -> tuple[float, float]:
    """γ of what is computed here, and of the model's own arithmetic"""
    here, there = (unit * (d + 1) / (1 - unit * (d + 1)) * UP for unit in (2.0**-53, eps / 2))
    return here, there


def _inverted(Z: Array, Y: Array, here: float, tiny: float) -> tuple[float, float]:
    """‖I - YZ‖₁, and how many times ‖e‖₁ is at most |e|, since e = (YZ)⁻¹ Y (Z e)."""
    lost = _norm(np.abs(np.eye(len(Z)) - Y @ Z) + 2 * here * (np.abs(Y) @ np.abs(Z)) + tiny)
    demand(lost < 0.25, "the measure is not inverted")
    return lost, _norm(np.abs(Y)) / (1 - lost) * UP


def _norm(matrix: Array) -> float:
    """‖·‖₁ of a matrix of positive numbers, rounded up."""
    return float(matrix.sum(axis=0).max()) * UP


def covered_steps(growth: float, noise: float, allowed: float) -> int:
    """How many decisions stand: n with noise · (1 + growth + … + growth^(t-1)) < allowed for all t < n.

    Step by step at first, then by growth^t ≤ exp(y) ≤ 1 + y + y² for y = t · (growth - 1) ≤ 1, in rationals.
    """
    n, error = 0, 0.0
    while n < 10_000 and error < allowed:
        n, error = n + 1, math.nextafter(math.nextafter(growth * error, math.inf) + noise, math.inf)
    if n < 10_000:
        return n
    rate, each, most = Fraction(growth) - 1, Fraction(noise), Fraction(allowed)
    fits, fails = n - 1, FARTHEST
    while fails - fits > 1:
        t = (fits + fails) // 2
        y = t * rate
        fits, fails = (t, fails) if y <= 1 and t * each * (1 + y + y * y) < most else (fits, t)
    return fits + 1


Step = tuple[tuple[int, ...], int, int, Column, Column, list[Any]]
"""Of an abstract run: configuration, its pair, symbols read, the column before and after, successors"""


def slow(states: Array, following: Array, loops: bool = False) -> list[int]:
    """For each pair, by its learnt state: the symbols (bits) over which errors add up; all, or only loops."""
    return [
        sum(1 << x for x, t in enumerate(following[q].tolist()) if (t == q if loops else t >= 0))
        for q in states.tolist()
    ]


def one_way(rules: Any, slowly: list[int]) -> bool:
    """Whether slow steps in a row go all to the left or all to the right."""

    def ways(p: int) -> set[int]:
        found = (rule for x, rule in enumerate(rules[p]) if slowly[p] >> x & 1 and rule and rule[2] >= 0)
        return {OFFSETS[rule[1]][0] for rule in found}

    after = [
        (p, rule[2])
        for p, row in enumerate(rules)
        for x, rule in enumerate(row)
        if slowly[p] >> x & 1 and rule
    ]
    return all(len(ways(p) | ways(t)) == 1 and 0 not in ways(p) for p, t in after if t >= 0)


def room(steps: list[Step], rules: Any, slowly: list[int], blank: int, work: Work) -> int | None:
    """A number such that on an input of n symbols at most n + this many *slow* steps are taken in a row, if
    one is found. slowly: for each pair, the symbols (bits) over which its rule is slow.

    Slow steps in a row go one way, so they pass each column once, as it was when the first of them was taken.
    Columns that are not blank are n at first at most; what a run adds to their number, taken together, is
    bounded over all paths of abstract steps. So is the number of blank columns that slow steps pass in a row.
    """
    if not one_way(rules, slowly):
        return None
    holds = [any(not cell >> blank & 1 for cell in before) for *_, before, _, _ in steps]
    empty = [all(cell == 1 << blank for cell in made) for *_, made, _ in steps]
    changes = [0 if s[3] == s[4] else (not b) - a for s, a, b in zip(steps, holds, empty, strict=True)]
    passed = [int(not a) if slowly[s[1]] & s[2] else None for s, a in zip(steps, holds, strict=True)]
    total = 0
    for costs in (changes, passed):
        most: dict[Any, int] = {}  # from here on
        edges = [(s[0], cost, s[5]) for s, cost in zip(steps, costs, strict=True) if cost is not None]
        for turn in range(MOST_ROOM**2):
            work.spend(len(edges))
            before = sum(most.values())
            for source, cost, targets in edges:
                ahead = cost + max((most.get(target, 0) for target in targets), default=0)
                most[source] = max(most.get(source, 0), ahead)
            if sum(most.values()) == before and turn:
                break
            if max(most.values(), default=0) > MOST_ROOM:
                return None
        else:
            return None
        total += max(most.values(), default=0)
    return total
