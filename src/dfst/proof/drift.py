"""The trusted part for models that do not repeat their hidden states to the bit: how long they decide right.

Let e part the hidden state from its learnt state v. A step makes it A[x] e, plus what parts A[x] v from the
next learnt state, plus rounding. The proof gives coordinates Z e in *blocks*, and Y near the inverse of Z
(any will do, a good choice covers more steps); a block is measured by u = ‖(Z e)_I‖₁. Then u is at most

    first at the start, and growth · u + noise after each step,

in every block at once: growth (p, p) says how much of each block comes from each, over any symbol. So what
is kept, what dies out and what passes on but once each count by themselves. Decisions stand while slopes · u
< leads. Noise is raised such that u never falls; what stands after n steps then stood before.

Where steps go one way, room.py makes of a bound on steps one on symbols.

Every bound is rounded up. A sum of n products errs by γ = n·unit/(1 - n·unit) times the sum of their sizes,
whatever its order; UP makes up for the roundings of a bound itself. Standard library and numpy only.
"""

from typing import Any, NamedTuple

import numpy as np

from dfst.proof.floats import ANY_ORDER, Model, decisions
from dfst.proof.reading import HALT, MISSING, Array, Table, demand

MOST_BLOCKS = 8
DOUBLINGS = 44  # no bound is given beyond 2 to this many steps
UP = 1 + 2.0**-40  # more than two sums of 2,048 float64 numbers of one sign can be off by, relatively
LITTLE_UP = 1 + 2.0**-48  # the same of sums of MOST_BLOCKS products and one more number
LEAST = 2.0**-900  # more than underflow takes from these


class Bounds(NamedTuple):
    """What errors can do to a model, and how near it is without; rounded to the safe side."""

    growth: Array  # (p, p) what a step makes of each block (column), block by block
    noise: Array  # (p,) what it adds to each
    first: Array  # (p,) how far h0 is from its learnt state
    slopes: Array  # (n, p) what errors in each block take from a lead
    leads: Array  # (n,) of the decisions, and what keeps h from being rescaled
    radius: float  # the farthest that a learnt state is carried from the next one, largest component
    margin: float  # the smallest lead of a decision, at the learnt states


def bounded(model: Model, hidden: Array, table: Table, Z: Array, Y: Array, owners: Array) -> dict[str, Any]:
    """For how many steps no rounding in the file's own format can change a decision; else `Rejected`."""
    found = error_bounds(model, hidden, table, Z, Y, owners)
    shown = {"arithmetic": f"in {model.h0.dtype.name} as it runs", "sums": ANY_ORDER}
    return {**shown, "radius": found.radius, "margin": found.margin, "steps": covered_steps(found)}


@np.errstate(all="ignore")
def error_bounds(model: Model, hidden: Array, table: Table, Z: Array, Y: Array, owners: Array) -> Bounds:
    """See the head of this file. owners: (d,) the block of each coordinate"""
    write, motion, following = table
    W, d, info = model.stacked.astype("<f8"), len(model.h0), np.finfo(model.h0.dtype)
    here, there = rounding(d, float(info.eps))
    tiny = max(4.0 * d * float(info.tiny), 2.0**-700)
    """More than underflow takes from a sum, in either, as no number here is beyond 2^200"""
    demand(Z.shape == Y.shape == (d, d) and owners.shape == (d,), "the measure is malformed")
    demand(all((np.abs(part) <= 2.0**200).all() for part in (W, hidden, Z, Y)), "the numbers may overflow")
    demand(((owners >= 0) & (owners < MOST_BLOCKS)).all(), f"more than {MOST_BLOCKS} blocks, or an odd one")
    inside = owners == np.arange(owners.max() + 1)[:, None]

    def largest(rows: Array) -> Array:
        """(n, p) of rows (n, d) of positive numbers the largest in each block"""
        return np.where(inside, rows[:, None], 0.0).max(axis=2)

    def measured(error: Array, off: Array) -> Array:
        """(p,) of an error that is known to within `off`"""
        most = np.abs(Z @ error) + np.abs(Z) @ (off + 3 * here * np.abs(error) + tiny) * UP
        return np.asarray(inside @ most * UP)

    lost, back = _inverted(Z, Y, here, tiny)
    back = largest(back[None])[0]
    growth, noise = np.zeros((len(inside), len(inside))), np.zeros(len(inside))
    for A in W[(following >= 0).any(axis=0), :d]:
        # Z A e = Z A Y (Z e) + Z A (I - YZ) e, and its rounding
        size = np.abs(Z) @ np.abs(A)
        kept = np.abs(Z @ A @ Y) + 3 * here * (size @ np.abs(Y)) + tiny
        besides = (inside @ size).max(axis=1)[:, None] * (lost + there) * back
        growth = np.maximum(growth, (largest(inside @ kept) + besides) * UP * UP)
    slopes, leads, radius, margin = [back[None]], list[float](), 0.0, np.inf
    for c, x in np.argwhere(following != MISSING).tolist():
        out, size = W[x] @ hidden[c], np.abs(W[x]) @ np.abs(hidden[c]) * UP + tiny
        for rows, wanted in decisions(model, write[c, x], motion[c, x], following[c, x]):
            scores, others = W[x, rows][wanted], np.delete(W[x, rows], wanted, 0)
            lead = out[rows][wanted] - np.delete(out[rows], wanted)
            sure = lead - 4 * (here + there) * float(size[rows].max()) - 2 * tiny
            demand((sure > 0).all(), f"the weights do not decide so at learnt state {c}, symbol {x}")
            both = np.abs(scores) + np.abs(others)
            ahead = np.abs((scores - others) @ Y) + 3 * here * (both @ np.abs(Y)) + tiny
            besides = both.max(axis=1, initial=0)[:, None] * (lost + 2 * there) * back
            slopes.append((largest(ahead) + besides) * UP)
            leads, margin = [*leads, *sure.tolist()], min(margin, float(lead.min(initial=np.inf)))
        if following[c, x] != HALT:
            away, off = out[:d] - hidden[following[c, x]], (2 * here + there) * size[:d]
            radius = max(radius, float((np.abs(away) * UP + off).max()))
            noise = np.maximum(noise, measured(away, off))
    least = float(abs(hidden[(following != MISSING).any(1)]).max(1).min(initial=np.inf))
    top = float(np.abs(W).max()) * d * 2 * float(np.abs(hidden).max())
    demand(top < 2**59 and least > 2**-56, "the numbers may overflow")  # nor be rescaled
    first = measured(model.h0.astype("<f8") - hidden[0], np.zeros(d))
    return Bounds(growth, noise, first, np.vstack(slopes), np.array([0.9 * least, *leads]), radius, margin)


def rounding(d: int, eps: float) -> tuple[float, float]:
    """γ of what is computed here, and of the model's own arithmetic"""
    here, there = (unit * (d + 1) / (1 - unit * (d + 1)) * UP for unit in (2.0**-53, eps / 2))
    return here, there


def _inverted(Z: Array, Y: Array, here: float, tiny: float) -> tuple[float, Array]:
    """‖I - YZ‖₁, and (d,) how often each coordinate of Z e counts in ‖e‖₁: e = Y (Z e) + (I - YZ) e."""
    lost = np.abs(np.eye(len(Z)) - Y @ Z) + 2 * here * (np.abs(Y) @ np.abs(Z)) + tiny
    most = float(lost.sum(axis=0).max()) * UP
    demand(most < 0.25, "the measure is not inverted")
    return most, np.abs(Y).sum(axis=0) * UP / (1 - most) * UP


@np.errstate(all="ignore")
def covered_steps(found: Bounds) -> int:
    """How many decisions stand, by doubling: two times n steps are n steps and then n steps."""

    def stand(errors: Array) -> bool:
        return bool((found.slopes @ errors * LITTLE_UP + LEAST < found.leads).all())

    errors, steps = found.first, 1
    demand(stand(errors), "errors may change the first decision")
    raised = np.maximum(found.noise, errors - found.growth @ errors / LITTLE_UP) * LITTLE_UP
    jumps = [(found.growth, raised)]
    while len(jumps) <= DOUBLINGS:
        growth, noise = jumps[-1]
        jumps.append((growth @ growth * LITTLE_UP, (growth @ noise + noise) * LITTLE_UP + LEAST))
    while jumps:
        growth, noise = jumps.pop()
        after = (growth @ errors + noise) * LITTLE_UP + LEAST
        if stand(after):
            steps, errors = steps + 2 ** len(jumps), after
    return steps
