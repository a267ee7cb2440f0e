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


def eigenvalues(weights: Weights) -> NDArray[np.complex128]:
    """(Σ, d) of each A[x], largest modulus first."""
    values = np.linalg.eigvals(weights.A.astype(np.float64)).astype(np.complex128)
    return np.take_along_axis(values, np.argsort(-np.abs(values), axis=1, kind="stable"), axis=1)


def spectra(weights: Weights) -> Figure:
    """A small picture for each symbol, with its spectral radius."""
    values = eigenvalues(weights)
    columns = min(4, len(values))
    rows = ceil(len(values) / columns)
    figure = new_figure(2.3 * columns, 2.5 * rows)
    reach = max(1.15, float(np.abs(values).max()) * 1.1)
    angle = np.linspace(0, 2 * np.pi, 181)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, symbol, points in zip(grid.flat, weights.alphabet, values, strict=False):
        quiet(axes)
        axes.plot(np.cos(angle), np.sin(angle), color=LINE, linewidth=1)
        outside = np.abs(points) > 1 + OUTSIDE
        axes.scatter(
            points[~outside].real, points[~outside].imag, s=20, color=ACCENT, alpha=0.8, linewidths=0
        )
        axes.scatter(points[outside].real, points[outside].imag, s=26, color=SECOND, marker="D", linewidths=0)
        axes.set_title(
            f"A[{symbol}]   ρ = {np.abs(points[0]):.5f}", fontsize=10, color=SECOND if outside.any() else SOFT
        )
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    for axes in list(grid.flat)[len(values) :]:
        axes.set_visible(False)
    return figure
