"""Linear programs: what a row costs in terms of others. They look for what the checker is to judge.

Legend: d hidden size, n rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STALLED = 20  # steps of a linear program
Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def cheapest(
    wanted: Array, rows: Array, bounds: Array, start: Ints | None = None
) -> tuple[Array, Ints, Array]:
    """For each wanted row f (n, d): the least Σ |c| · bounds with c · rows = f, the d rows used, their c.

    The simplex method, for all f at once. y are the prices by a basis; a row l with |l y| above its bound is
    cheaper than the basis is and enters it, and the one whose c is the first to reach zero leaves. Where that
    has not made f cheaper for STALLED steps (some c are zero), it is left as it is.
    """
    n, d = wanted.shape
    basis = np.broadcast_to(independent(rows / bounds[:, None]) if start is None else start, (n, d)).copy()
    inverse, scaled, live = np.linalg.inv(rows[basis]), rows / bounds[:, None], np.arange(n)
    c = np.einsum("ni,nij->nj", wanted, inverse)
    cost, fell = (np.abs(c) * bounds[basis]).sum(1), np.zeros(n, int)
    for step in range(400):
        sign = np.where(c[live] >= 0, 1.0, -1.0)
        prices = np.einsum("nij,nj->ni", inverse[live], sign * bounds[basis[live]]) @ scaled.T
        enters = np.abs(prices).argmax(1)
        worst = prices[np.arange(len(live)), enters]
        dear = (np.abs(worst) > 1 + 1e-7) & (step - fell[live] < STALLED)
        live, sign, enters, worst = live[dear], sign[dear], enters[dear], worst[dear]
        if not len(live):
            break
        before, each = inverse[live], np.arange(len(live))
        made = np.einsum("ni,nij->nj", rows[enters], before)
        falls = made * np.sign(worst)[:, None] * sign
        reach = np.where(falls > 1e-9, np.abs(c[live]) / np.where(falls > 1e-9, falls, 1), np.inf)
        leaves = (reach + 1e-13 * np.random.default_rng(step).random(reach.shape)).argmin(1)
        basis[live, leaves] = enters
        if step % 8 == 7:
            inverse[live] = np.linalg.inv(rows[basis[live]])
        else:
            column = before[each, :, leaves] / made[each, leaves][:, None]
            made[each, leaves] -= 1.0
            inverse[live] = before - column[:, :, None] * made[:, None, :]
        c[live] = np.einsum("ni,nij->nj", wanted[live], inverse[live])
        now = (np.abs(c[live]) * bounds[basis[live]]).sum(1)
        fell[live[now < cost[live] * (1 - 1e-9)]] = step
        cost[live] = now
    return cost, basis, c


def independent(rows: Array) -> Ints:
    """d independent rows; the farthest from the span of those before comes next."""
    rest, found = rows / np.abs(rows).max(), []
    for _ in range(rows.shape[1]):
        found.append(int((rest * rest).sum(1).argmax()))
        unit = rest[found[-1]] / np.linalg.norm(rest[found[-1]])
        rest = rest - np.outer(rest @ unit, unit)
    return np.array(found)
