"""Where the hidden state goes during a run: a box for each learnt state, an arrow for each step between two.

An exact model visits finitely many points, again and again, and these may be as far apart as the axes of the
hidden space: no picture on two of its axes shows that. What tells them apart is how they lead to each other,
so that is drawn. A model that is not exact never comes back; its states are drawn as they appear in time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.model.weights import Weights
from dfst.viewer.graph import draw_graph
from dfst.viewer.plots.canvas import ACCENT, SOFT, new_figure, quiet
from dfst.viewer.plots.machine import graph_figure
from dfst.world.grid import Limits
from dfst.world.unit import Action, ClosedLoop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_STEPS = 5_000
MOST_BOXES = 60
"""States that are drawn as a graph."""
BUSY = 0.55
"""How dark the state is that is visited most."""


def hidden_states(weights: Weights, text: str, steps: int = MOST_STEPS) -> NDArray[np.float64]:
    """(T+1, d) h before each step, and after the last."""
    return _watched(weights, text, steps)[0]


def _watched(weights: Weights, text: str, steps: int) -> tuple[NDArray[np.float64], list[int]]:
    """The hidden states, and the symbol read at each step."""
    states, read = [weights.h0.astype(np.float64)], []
    loop = ClosedLoop(weights, text, Limits(steps=steps))

    def note(action: Action) -> None:
        states.append(weights.hidden.astype(np.float64))
        read.append(action.read)

    loop.finish(note)
    return np.array(states), read


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


def hidden_trajectory(weights: Weights, text: str, steps: int = MOST_STEPS) -> Figure:
    """The run on `text`; numbers are learnt states in the order in which they first appear."""
    hidden, read = _watched(weights, text, steps)
    states = states_of(hidden)
    count = int(states.max()) + 1
    short = text if len(text) <= 30 else f"{text[:27]}…"
    title = f"{weights.name} on {short}: {counted(count, 'state')} in {counted(len(read), 'step')}"
    return _in_time(states, title) if count > MOST_BOXES else _as_graph(weights, states, read, title)


def _as_graph(weights: Weights, states: NDArray[np.int64], read: list[int], title: str) -> Figure:
    steps: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for a, b, x in zip(states.tolist(), states[1:].tolist(), read, strict=False):
        steps[a, b][weights.alphabet[x]] += 1
    lines = {pair: [f"{symbol} ×{n:,}" for symbol, n in counts.items()] for pair, counts in steps.items()}
    visits = np.bincount(states)
    graph = draw_graph([str(q) for q in range(len(visits))], lines)
    return graph_figure(graph, title, [_shade(BUSY * n / visits.max()) for n in visits])


def _shade(share: float) -> str:
    """White towards the accent."""
    accent = [int(ACCENT[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (part - 255) * share):02x}" for part in accent)


def _in_time(states: NDArray[np.int64], title: str) -> Figure:
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    quiet(axes)
    axes.scatter(np.arange(len(states)), states, s=8, color=ACCENT, linewidths=0)
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("step", color=SOFT)
    axes.set_ylabel("learnt state, as they first appear", color=SOFT)
    return figure
