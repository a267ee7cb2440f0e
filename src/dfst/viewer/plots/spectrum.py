"""The eigenvalues of each A[x] against the unit circle.

A symbol that repeats (a digit, the blank) must not stretch the hidden state: an eigenvalue outside the circle
is an error that grows with every cell the head passes.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Weights
from dfst.viewer.plots.canvas import ACCENT, LINE, SECOND, SOFT, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OUTSIDE = 1e-6
"""Farther outside the circle than this is drawn as outside."""
SAME = 1e-3
"""Eigenvalues no farther apart than this are drawn as one."""


def eigenvalues(weights: Weights) -> NDArray[np.complex128]:
    """(Σ, d) of each A[x], largest modulus first."""
    values = np.linalg.eigvals(weights.A.astype(np.float64)).astype(np.complex128)
    return np.take_along_axis(values, np.argsort(-np.abs(values), axis=1, kind="stable"), axis=1)


def alike(values: NDArray[np.complex128]) -> list[list[int]]:
    """Symbols with the same eigenvalues together: the digits of an adder do one thing to the hidden state."""
    groups: list[list[int]] = []
    for symbol, own in enumerate(values):
        for group in groups:
            if _same(own, values[group[0]]):
                group.append(symbol)
                break
        else:
            groups.append([symbol])
    return groups


def _same(one: NDArray[np.complex128], two: NDArray[np.complex128]) -> bool:
    """Whether two spectra are one, in whatever order."""
    left = list(two)
    for value in one:
        nearest = min(range(len(left)), key=lambda i: abs(left[i] - value))
        if abs(left.pop(nearest) - value) > SAME:
            return False
    return True


def spectra(weights: Weights) -> Figure:
    """A small picture for each spectrum there is, with its symbols and its spectral radius."""
    values = eigenvalues(weights)
    groups = alike(values)
    columns = min(4, len(groups))
    rows = ceil(len(groups) / columns)
    figure = new_figure(2.6 * columns, 2.8 * rows)
    reach = max(1.15, float(np.abs(values).max()) * 1.1)
    angle = np.linspace(0, 2 * np.pi, 181)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, group in zip(grid.flat, groups, strict=False):
        points = values[group[0]]
        quiet(axes)
        axes.plot(np.cos(angle), np.sin(angle), color=LINE, linewidth=1)
        outside = np.abs(points) > 1 + OUTSIDE
        axes.scatter(
            points[~outside].real, points[~outside].imag, s=20, color=ACCENT, alpha=0.8, linewidths=0
        )
        axes.scatter(points[outside].real, points[outside].imag, s=26, color=SECOND, marker="D", linewidths=0)
        names = " ".join(weights.alphabet[symbol] for symbol in group)
        axes.set_title(
            f"A[{names}]\nρ = {np.abs(points[0]):.5f}", fontsize=9, color=SECOND if outside.any() else SOFT
        )
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    for axes in list(grid.flat)[len(groups) :]:
        axes.set_visible(False)
    return figure
