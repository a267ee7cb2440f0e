"""How many steps are covered: a bound on how far errors carry a hidden state away from its context.

The proof is about a model that sits exactly at a context at every step. The real one does not: a context's
hidden state is only nearly mapped onto the next one, and each sum is rounded. Errors are carried on by the
matrices. Let growth(k) bound the norm of every product of k matrices along the graph of contexts (computed
for short paths; growth(j + k) ≤ growth(j) · growth(k) beyond). A step adds at most `noise`: the distance
to the next context, and the rounding of a sum of d products. After t steps the error is at most

    growth(t) · |error of h0| + noise · (growth(0) + … + growth(t-1))

and decisions are right as long as that is below the smallest margin divided by the slope of the scores.
The bound holds for every order of summation. It is a worst case over all paths and all roundings, far below
what models do in practice; a model exact to the bit needs none of it. numpy only: this is trusted code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HALT = -1
UNITS = {"exact": 0.0, "float64": 2.0**-53, "float32": 2.0**-24}
"""Unit roundoff of each arithmetic; "exact" keeps the weights as they are and rounds nothing."""
NUMBERS = 2_000_000
"""Entries of all the products that are looked at."""
LONGEST = 64
MOST_STEPS = 10**7
Edges = dict[tuple[int, int], int]
"""(context, symbol) → next context, or HALT"""


def growth_of_errors(A: NDArray[np.float64], contexts: int, edges: Edges) -> list[float]:
    """growth[k]: the largest norm of a product along k edges; A (symbols, d, d)."""
    d = A.shape[1]
    moves = [(c, x, t) for (c, x), t in edges.items() if t != HALT]
    none = np.zeros((0, d, d))
    growth, products = [1.0], {c: np.eye(d)[None] for c in range(contexts)}
    while len(growth) <= LONGEST:
        amount = sum(len(products.get(c, none)) for c, _, _ in moves) * d * d
        if amount == 0 or (amount > NUMBERS and len(growth) > 1):
            break
        longer: dict[int, list[NDArray[np.float64]]] = {}
        for c, x, t in moves:
            longer.setdefault(t, []).append(A[x] @ products.get(c, none))
        products = {t: np.concatenate(parts) for t, parts in longer.items()}
        norms = [np.linalg.norm(p, 2, axis=(1, 2)).max(initial=0) for p in products.values()]
        growth.append(float(max(norms)) * (1 + 1e-9))
    return growth


def covered_steps(
    stacked: NDArray[Any], hidden: NDArray[Any], edges: Edges, symbols: int
) -> dict[str, float]:
    """For each arithmetic, for how many steps every decision is right, on every path over the edges.

    stacked (symbols, d + symbols + motions, d): A, B and C of each symbol; hidden (contexts, d).
    """
    stacked, hidden = stacked.astype(np.float64), hidden.astype(np.float64)
    d = hidden.shape[1]
    growth = growth_of_errors(stacked[:, :d], len(hidden), edges)
    period = max(len(growth) - 1, 1)
    growth = growth if len(growth) > 1 else [1.0, 0.0]
    steps: dict[str, float] = {}
    for name, unit in UNITS.items():
        allowed, noise = _allowance(stacked, hidden, edges, symbols, unit)
        first = unit * float(np.linalg.norm(hidden[0]))
        n, error, stretch = 0, 0.0, 1.0
        while n < MOST_STEPS and error + first * stretch < allowed:
            n, error = n + 1, error + noise * stretch
            stretch = growth[period] ** (n // period) * growth[n % period]
        steps[name] = n
    return steps


def _allowance(
    stacked: NDArray[np.float64], hidden: NDArray[np.float64], edges: Edges, symbols: int, unit: float
) -> tuple[float, float]:
    """The error that no decision minds, and the error a step adds at most, both in the Euclidean norm."""
    d, norm = hidden.shape[1], np.linalg.norm
    # A sum of d products errs by (d + 2) units at most, relative to the sum of their sizes, the rounding of
    # the weights to this precision included; `here` adds what this very computation may be wrong by.
    rounding = (d + 2) * unit / (1 - (d + 2) * unit)
    here = rounding + (2 * d + 4) * 2.0**-53
    underflow = d**1.5 * 2.0**-149
    allowed, noise, feedback = np.inf, 0.0, 0.0
    for (c, x), t in edges.items():
        size, out = np.abs(stacked[x]) @ np.abs(hidden[c]), stacked[x] @ hidden[c]
        for part in (slice(d, d + symbols), slice(d + symbols, None)):
            rows, scores = stacked[x][part], out[part]
            best = int(np.argmax(scores))
            lead = (scores[best] - np.delete(scores, best)).min(initial=np.inf)
            lead -= 2 * (here * size[part].max() + underflow)
            slope = norm(rows[best] - np.delete(rows, best, axis=0), axis=1).max(initial=0)
            slope += 2 * rounding * norm(rows, axis=1).max()
            if slope > 0:
                allowed = min(allowed, lead / slope)
        if t != HALT:
            noise = max(noise, norm(out[:d] - hidden[t]) + here * norm(size[:d]) + underflow)
            feedback = max(feedback, rounding * norm(stacked[x, :d]))
    return allowed, noise + feedback * max(allowed, 0.0)
