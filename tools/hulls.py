"""Rows and their images, for sweep_rows.py: a set of errors that maps take into itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dfst.errors import InputError
from dfst.proof.cheapest import Array, cheapest

MOST_ROWS = 400  # in one family


def hull(
    rows: Array, maps: list[Array], grow: Callable[[Array, int], Array],
    chart: Callable[[Array], Array] = lambda rows: rows,
) -> Array:  # fmt: skip
    """The rows, and images of them until each map takes every row into the hull of ± all."""
    todo = rows
    while len(todo):
        size = len(rows)
        for i, M in enumerate(maps):
            images = todo @ M
            while len(images):
                cost = cheapest(chart(images), chart(rows), np.ones(len(rows)))[0]
                images, cost = images[cost > 1 + 1e-7], cost[cost > 1 + 1e-7]
                if len(images):
                    rows = np.vstack([rows, grow(images[cost.argmax()], i)])
                    images = np.delete(images, cost.argmax(), 0)
        if len(rows) > MOST_ROWS:
            raise InputError(f"a family has more than {MOST_ROWS} rows; nothing is known to help")
        todo = rows[size:]
    return rows


def power(M: Array, n: int) -> Array:
    return np.asarray(np.linalg.matrix_power(M, n))
