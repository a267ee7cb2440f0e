"""How many steps are covered: a bound on how far errors carry a hidden state away from its context.

The proof is about a model that sits exactly at a context at every step. The real one does not: a context's
hidden state is only nearly mapped onto the next one, and each sum is rounded. Errors are carried on by the
matrices. Let growth(k) bound the norm of every product of k matrices along the graph of contexts (computed
for short paths; growth(j + k) ≤ growth(j) · growth(k) beyond). A step adds at most `noise`: the distance
to the next context, and the rounding of a sum of d products. After t steps the error is at most

    growth(t) · |error of h0| + noise · (growth(0) + … + growth(t-1))

and decisions are right as long as that is below the smallest margin divided by the slope of the scores.

Where the contexts are a basis, there is a better bound. Write an error as a sum of contexts and measure it
by the sizes of their coefficients. A matrix that carries each context to one context, or to zero, never makes
this measure larger, so products of any number of them stay below one constant and errors only add up.

Both bounds hold for every order of summation; the better one is given. They are worst cases over all paths
and all roundings; a model exact to the bit needs none of it. numpy only: this is trusted code.
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
"""where the bound by short products is followed step by step"""
FARTHEST = 10**18
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


def lasting_growth(A: NDArray[np.float64], hidden: NDArray[np.float64]) -> tuple[float, float]:
    """(constant, rate): a product of any k of the matrices is at most constant · rate**k in Euclidean norm.

    With T the pseudo-inverse as computed, every e is Hᵀ T e + R e for R = I − Hᵀ T, whatever T is worth. The
    measure is |e| = ‖T e‖₁ + ‖R e‖₂. A[x] takes a context c to measure |A[x] h_c|, and what R leaves over to
    next to nothing; R² − R, which is zero but for rounding, is counted as well.
    """
    H = hidden.T
    T = np.linalg.pinv(H)
    d, K = H.shape
    R = np.eye(d) - H @ T
    leak, norm = R @ R - R, np.linalg.norm
    reach = max(float(norm(H, axis=0).max()), 1.0)
    """Euclidean norm of an error of measure 1, at most"""
    rate = 0.0
    for a in A:
        # what the products below may themselves be wrong by
        slack = 8 * d * 2.0**-53 * (1 + norm(T)) * norm(a) * (1 + norm(H)) * (np.sqrt(K) + 1 + norm(R))
        contexts = np.abs(T @ a @ H).sum(0) + norm(R @ a @ H, axis=0)
        rest = np.sqrt(K) * norm(T @ a @ R) + norm(R @ a @ R)
        lost = (np.sqrt(K) * norm(T @ a @ leak) + norm(R @ a @ leak)) * reach
        rate = max(rate, max(float(contexts.max()), float(rest)) + float(lost) + float(slack))
    return 2 * reach * float(np.sqrt(K) * norm(T) + norm(R)), rate


def covered_steps(
    stacked: NDArray[Any], hidden: NDArray[Any], edges: Edges, symbols: int
) -> dict[str, float]:
    """For each arithmetic, for how many steps every decision is right, on every path over the edges.

    stacked (symbols, d + symbols + motions, d): A, B and C of each symbol; hidden (contexts, d).
    """
    stacked, hidden = stacked.astype(np.float64), hidden.astype(np.float64)
    d = hidden.shape[1]
    growth = growth_of_errors(stacked[:, :d], len(hidden), edges)
    constant, rate = lasting_growth(stacked[:, :d], hidden)
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
        steps[name] = max(n, _lasting_steps(constant, rate, first, noise, allowed))
    return steps


def _lasting_steps(constant: float, rate: float, first: float, noise: float, allowed: float) -> int:
    """The largest n for which constant · rate**n · (first + n · noise) is below what is allowed."""
    fits, fails = 0, FARTHEST
    while fails - fits > 1:
        n = (fits + fails) // 2
        with np.errstate(over="ignore"):
            error = constant * np.float64(max(rate, 1.0)) ** n * (first + n * noise)
        fits, fails = (n, fails) if error < allowed else (fits, n)
    return fits


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
