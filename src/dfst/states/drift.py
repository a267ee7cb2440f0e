"""Does the hidden state stay at the learnt states, or does it drift away as the run goes on?

The graph describes a model that is put back to a learnt state at every step. Here the real model runs beside
it, never put back, in the order of operations of the rollouts, and the distance between the two is measured.
A model whose errors grow leaves its learnt states sooner or later; then the graph is not what the model does,
and extraction must refuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dfst.machines.agent import HALT, MISSING
from dfst.model.rollout.transducer import rescaled
from dfst.states.graph import StateGraph
from dfst.world.grid import Grid, first_cell, moved


@dataclass(frozen=True)
class Drift:
    """How far real runs were from the learnt states."""

    runs: int
    steps: int
    largest: float
    """Largest distance between a hidden state and its learnt state (largest component)."""
    at: tuple[str, int]
    """The input and the step at which it was seen."""
    left: bool
    """True: the model decided otherwise than the graph, or went beyond the bound; the run stopped there."""


def measure_drift(graph: StateGraph, inputs: Iterable[str], bound: float, max_steps: int) -> Drift:
    """Run the real model along the graph, each run at most `max_steps`; stop at the first that leaves."""
    weights = graph.weights
    # (Σ, d, d + Σ + M): summed over its rows it gives the bits of `in_order`, in a quarter of the time
    stacked = np.ascontiguousarray(weights.stacked.transpose(0, 2, 1))
    codes, d, k = weights.motion_codes().tolist(), len(weights.h0), len(weights.alphabet)
    runs = steps = 0
    largest, at = 0.0, ("", 0)
    for text in inputs:
        runs += 1
        symbols, start = weights.encode(text)
        grid = Grid(weights.blank)
        grid.lay(symbols, first_cell(symbols, start))
        cell, state, h, step = (0, 0), 0, weights.h0, 0
        while state != HALT and step < max_steps:
            x = grid.read(cell)
            result = np.add.reduce(stacked[x] * h[:, None], axis=0, initial=0)
            written = int(np.argmax(result[d : d + k]))
            motion = codes[int(np.argmax(result[d + k :]))]
            h, step = rescaled(result[:d]), step + 1
            following = int(graph.next[state, x])
            agrees = (written, motion) == (graph.write[state, x], graph.motion[state, x])
            if following == MISSING or not agrees:
                return Drift(runs, steps + step, largest, (text, step), left=True)
            if following != HALT:
                away = float(np.abs(h - graph.hidden[following]).max())
                if not away <= largest:
                    largest, at = away, (text, step)
                if not away <= bound:
                    return Drift(runs, steps + step, largest, at, left=True)
            grid.write(cell, written)
            cell, state = moved(cell, motion), following
        steps += step
    return Drift(runs, steps, largest, at, left=False)
