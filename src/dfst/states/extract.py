"""From weights to a machine: explore, judge the tolerance, measure drift, minimise.

Every refusal says why. A model is refused when its hidden states keep changing (more contexts than any
machine of its size needs), when no tolerance tells its contexts apart clearly, or when real runs drift
away from the contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dfst.agents.agent import HALT, Agent
from dfst.errors import DfstError, InputError
from dfst.model.weights import Weights
from dfst.states.drift import Drift, measure_drift
from dfst.states.explore import ContextGraph, Explorer, TooManyContexts
from dfst.states.inputs import exploration_inputs, random_inputs
from dfst.states.minimise import minimise
from dfst.world.grid import Grid, moved

TOLERANCES = (1e-9, 1e-7, 1e-5, 1e-3)
"""Tried from fine to coarse, times the size of the hidden states."""
MIN_GAP = 10.0
"""How many times farther apart two contexts must be than a hidden state is from its own."""

MAX_UNFINISHED = 3
"""A model that does not come to an end this often is explored no further."""


class Refused(DfstError):
    """The model cannot be told apart into contexts; the message says why."""


@dataclass(frozen=True)
class Exploration:
    """What was run to find the graph."""

    runs: int
    steps: int
    last_new_edge: tuple[int, str]
    """The number of the run, from 1, that showed the last new edge, and its input."""
    unfinished: int
    """Runs that did not halt within their steps."""


@dataclass(frozen=True, eq=False)
class Extraction:
    """A model's contexts, the evidence that they are contexts, and the machine they make."""

    graph: ContextGraph
    exploration: Exploration
    separation: float
    """Smallest distance between two contexts."""
    radius: float
    """Largest distance of a hidden state from the context it was taken for, one step after a context."""
    drift: Drift
    """Real runs, never snapped to contexts."""
    machine: Agent
    """Merged and minimised."""

    @property
    def tolerance(self) -> float:
        return self.graph.tolerance

    @property
    def gap(self) -> float:
        """How many times wider the space between contexts is than the contexts are."""
        return self.separation / self.radius if self.radius else np.inf

    def sentence(self) -> str:
        runs, text = self.exploration.last_new_edge
        short = text if len(text) <= 24 else text[:21] + "…"
        return (
            f"{len(self.graph)} contexts, {self.graph.edges} edges, {len(self.machine.states)} states; "
            f"contexts are {self.separation:.2g} apart and {self.radius:.2g} wide; "
            f"the last new edge came in run {runs} of {self.exploration.runs} ({short})"
        )


def extract(
    weights: Weights,
    inputs: Sequence[str] | None = None,
    *,
    rng: np.random.Generator | None = None,
    drift_inputs: Sequence[str] | None = None,
    tolerances: Sequence[float] = TOLERANCES,
    max_contexts: int = 5_000,
    max_steps: int = 20_000,
) -> Extraction:
    """The machine a model became, or `Refused`. Inputs default to those of the model's task."""
    inputs, drift_inputs = _default_inputs(weights, inputs, drift_inputs, rng)
    scale = max(1.0, float(np.abs(weights.h0).max()))
    reason = ""
    for tolerance in tolerances:
        explorer = Explorer(weights, tolerance * scale, max_contexts)
        try:
            exploration = explore(explorer, [*inputs, *drift_inputs], max_steps)
        except TooManyContexts:
            reason = f"more than {max_contexts:,} hidden states farther apart than {explorer.tolerance:.0e}"
            continue
        graph = explorer.graph()
        separation, radius = graph.separation(), graph.radius
        if separation < MIN_GAP * radius:
            reason = f"contexts {separation:.1e} apart with hidden states {radius:.1e} away from theirs"
            continue
        bound = max(separation / 2 if np.isfinite(separation) else 1.0, graph.tolerance)
        drift = measure_drift(graph, drift_inputs, bound, max_steps)
        if drift.left:
            text, step = drift.at
            reason = f"a run on {text[:40]} left its contexts at step {step:,} (distance {drift.largest:.1e})"
            continue
        return Extraction(graph, exploration, separation, radius, drift, minimise(graph.machine()))
    raise Refused(
        f"{weights.name}: the hidden states drift instead of repeating: {reason}; "
        "train or polish the model further"
    )


def extract_bits(
    weights: Weights,
    inputs: Sequence[str] | None = None,
    *,
    rng: np.random.Generator | None = None,
    max_contexts: int = 5_000,
    max_steps: int = 20_000,
) -> Extraction:
    """The same with contexts that are equal to the bit, in the precision of the weights: nothing drifts.

    What it says of the rollouts of this package holds without any error bound, since these sum in the same
    order. Few learnt models repeat to the bit; `Refused` where new bit patterns keep appearing.
    """
    inputs, _ = _default_inputs(weights, inputs, (), rng)
    explorer = Explorer(weights, 0.0, max_contexts)
    try:
        exploration = explore(explorer, inputs, max_steps)
    except TooManyContexts:
        raise Refused(
            f"{weights.name}: more than {max_contexts:,} bit patterns of the hidden state"
        ) from None
    graph = explorer.graph()
    still = Drift(0, 0, 0.0, ("", 0), left=False)
    return Extraction(graph, exploration, graph.separation(), 0.0, still, minimise(graph.machine()))


def explore(explorer: Explorer, inputs: Sequence[str], max_steps: int) -> Exploration:
    """Close the loop over the graph on each input; edges come into being as they are met."""
    weights, steps, unfinished = explorer.weights, 0, 0
    last = (0, "")
    for number, text in enumerate(inputs, 1):
        if unfinished > MAX_UNFINISHED:
            return Exploration(number - 1, steps, last, unfinished)
        symbols, start = weights.encode(text)
        grid = Grid(weights.blank)
        grid.lay(symbols.tolist(), (-start, 0))
        known = len(explorer.edges)
        cell, context, taken = (0, 0), 0, 0
        while context != HALT and taken < max_steps:
            written, motion, context, _, _ = explorer.edge(context, grid.read(cell))
            grid.write(cell, written)
            cell = moved(cell, motion)
            taken += 1
        steps += taken
        unfinished += context != HALT
        if len(explorer.edges) > known:
            last = (number, text)
    return Exploration(len(inputs), steps, last, unfinished)


def _default_inputs(
    weights: Weights,
    inputs: Sequence[str] | None,
    drift_inputs: Sequence[str] | None,
    rng: np.random.Generator | None,
) -> tuple[Sequence[str], Sequence[str]]:
    rng = rng or np.random.default_rng(0)
    if inputs is None:
        if weights.task is None:
            raise InputError(
                f"{weights.name} has no task to draw inputs from; give the inputs to explore it with"
            )
        inputs = exploration_inputs(weights.task, rng)
    if drift_inputs is None:
        drift_inputs = random_inputs(weights.task, rng, 4, 40) if weights.task else inputs[-4:]
    return inputs, drift_inputs
