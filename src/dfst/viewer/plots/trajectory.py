"""Where the hidden state goes during a run: two principal axes, coloured by learnt state.

An exact model visits finitely many points, again and again; one that is not exact smears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Weights
from dfst.viewer.plots.canvas import LINE, SOFT, new_figure, quiet
from dfst.world.grid import Limits
from dfst.world.unit import ClosedLoop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_STEPS = 5_000
MOST_NAMED = 60


def hidden_states(weights: Weights, text: str, steps: int = MOST_STEPS) -> NDArray[np.float64]:
    """(T+1, d) h before each step, and after the last."""
    states = [weights.h0.astype(np.float64)]
    loop = ClosedLoop(weights, text, Limits(steps=steps))
    loop.finish(lambda _: states.append(weights.hidden.astype(np.float64)))
    return np.array(states)


def states_of(hidden: NDArray[np.float64], tolerance: float = 1e-3) -> NDArray[np.int64]:
    """(T,) the learnt state of each row, numbered as they appear: rows nearer than the tolerance are one."""
    centres: list[NDArray[np.float64]] = []
    found = np.empty(len(hidden), dtype=np.int64)
    for t, h in enumerate(hidden):
        near = [
            i for i, c in enumerate(centres) if np.all(np.abs(h - c) <= tolerance * np.maximum(1, np.abs(c)))
        ]
        found[t] = near[0] if near else len(centres)
        if not near:
            centres.append(h)
    return found


def principal_axes(states: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(T, 2) coordinates on the two axes of most variance, and the share of variance on each."""
    centred = states - states.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    variance = sizes**2
    share = variance / variance.sum() if variance.sum() > 0 else np.zeros_like(variance)
    axes, share = np.pad(axes, ((0, 2), (0, 0)))[:2], np.pad(share, (0, 2))[:2]
    # The sign of an axis is arbitrary; fix it so that the same run gives the same picture.
    signs = np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
    return centred @ (axes * signs[:, None]).T, share


def hidden_trajectory(weights: Weights, text: str, steps: int = MOST_STEPS) -> Figure:
    """The run on `text`; numbers are learnt states in the order in which they first appear."""
    hidden = hidden_states(weights, text, steps)
    states = states_of(hidden)
    points, share = principal_axes(hidden)
    count = int(states.max()) + 1
    figure = new_figure(6.4, 5.6)
    axes = figure.subplots()
    quiet(axes)
    x, y = points.T
    axes.plot(x, y, color=LINE, linewidth=0.7, zorder=1)
    axes.scatter(x, y, c=states % 20, cmap="tab20", vmin=0, vmax=19, s=34, zorder=2, linewidths=0)
    if count <= MOST_NAMED:
        for state in range(count):
            place = points[states == state].mean(axis=0)
            axes.annotate(
                str(state), place, xytext=(5, 4), textcoords="offset points", fontsize=8, color=SOFT
            )
    short = text if len(text) <= 30 else f"{text[:27]}…"
    seen = f"{count} states in {len(hidden) - 1:,} steps"
    axes.set_title(f"{weights.name} on {short}: {seen}", loc="left", fontsize=11)
    axes.set_xlabel(f"first axis, {share[0]:.0%} of the variance", color=SOFT)
    axes.set_ylabel(f"second axis, {share[1]:.0%}", color=SOFT)
    return figure
