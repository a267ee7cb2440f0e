"""From weights to a machine: explore, judge the tolerance, measure drift, minimise, or refuse and say why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dfst.counted import counted
from dfst.errors import DfstError, InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.model.rollout.transducer import rescaled
from dfst.model.weights import Weights
from dfst.states.explore import (
    Exploration,
    Explorer,
    TooManyStates,
    close_loop,
    exploration_inputs,
    random_inputs,
)
from dfst.states.graph import StateGraph
from dfst.states.minimise import minimise

TOLERANCES = (1e-9, 1e-7, 1e-5, 1e-3)  # tried from fine to coarse, times the size of the hidden states
MIN_GAP = 10.0  # how many times farther apart two learnt states must be than a hidden state is from its own


class Refused(DfstError):
    """The model has no learnt states that can be told apart; the message says why."""


@dataclass(frozen=True)
class Drift:
    """How far real runs were from the learnt states."""

    largest: float  # largest distance between a hidden state and its learnt state (largest component)
    at: tuple[str, int]  # the input and the step at which it was seen
    left: bool
    """True: the model decided otherwise than the graph, or went beyond the bound; the run stopped there."""


@dataclass(frozen=True, eq=False)
class Extraction:
    """A model's learnt states, the evidence that there are such, and the machine they make."""

    graph: StateGraph
    exploration: Exploration
    separation: float  # smallest distance between two learnt states
    radius: float
    """Largest distance of a hidden state from the learnt state it was taken for, one step after one."""
    drift: Drift  # real runs, never put back to a learnt state
    machine: Agent  # merged and minimised

    @property
    def tolerance(self) -> float:
        return self.graph.tolerance

    @property
    def gap(self) -> float:
        """How many times wider the space between learnt states is than they are."""
        return self.separation / self.radius if self.radius else np.inf

    def sentence(self) -> str:
        runs, text = self.exploration.last_new_edge
        short = text if len(text) <= 24 else text[:21] + "…"
        return (
            f"{counted(len(self.graph), 'learnt state')} with {counted(self.graph.edges, 'edge')}, "
            f"merged to {len(self.machine.states)}; "
            f"they are {self.separation:.2g} apart and {self.radius:.2g} wide; "
            f"the last new edge came in run {runs} of {self.exploration.runs} ({short})"
        )


def extract(
    weights: Weights, inputs: Sequence[str] | None = None, *, rng: np.random.Generator | None = None,
    drift_inputs: Sequence[str] | None = None, tolerances: Sequence[float] = TOLERANCES,
    max_states: int = 5_000, max_steps: int = 20_000,
) -> Extraction:  # fmt: skip
    """The machine a model became, or `Refused`. Inputs default to those of the model's task."""
    rng, task = rng or np.random.default_rng(0), weights.task
    if inputs is None:
        if task is None:
            raise InputError(
                f"{weights.name} has no task to draw inputs from; give the inputs to explore it with"
            )
        inputs = exploration_inputs(task, rng)
    if drift_inputs is None:
        drift_inputs = random_inputs(task, rng, 4, 40) if task else inputs[-4:]
    scale = max(1.0, float(np.abs(weights.h0).max()))
    reason = ""
    for tolerance in tolerances:
        explorer = Explorer(weights, tolerance * scale, max_states)
        try:
            exploration = explorer.explore([*inputs, *drift_inputs], max_steps)
        except TooManyStates:
            apart = f"hidden states farther apart than {explorer.tolerance:.0e}"
            reason = f"more than {max_states:,} {apart if tolerance else 'bit patterns of the hidden state'}"
            continue
        graph = explorer.graph()
        separation, radius = graph.separation(), graph.radius
        if separation < MIN_GAP * radius:
            reason = f"learnt states {separation:.1e} apart with hidden states {radius:.1e} away from theirs"
            continue
        bound = max(separation / 2 if np.isfinite(separation) else 1.0, graph.tolerance)
        drift = measure_drift(graph, drift_inputs, bound, max_steps)
        if drift.left:
            text, step = drift.at
            left = f"left its learnt states at step {step:,} (distance {drift.largest:.1e})"
            reason = f"a run on {text[:40]} {left}"
            continue
        return Extraction(graph, exploration, separation, radius, drift, minimise(graph.machine()))
    raise Refused(
        f"{weights.name}: the hidden states drift instead of repeating: {reason}; "
        "train or polish the model further"
    )


def extract_bits(
    weights: Weights, inputs: Sequence[str] | None = None, *, max_states: int = 5_000, max_steps: int = 20_000
) -> Extraction:
    """The same with learnt states that are equal to the bit, in the precision of the weights: nothing drifts.

    What it says of the rollouts of this package holds without any error bound, since these sum in the same
    order. Few learnt models repeat to the bit; `Refused` where new bit patterns keep appearing.
    """
    return extract(
        weights, inputs, drift_inputs=(), tolerances=(0.0,), max_states=max_states, max_steps=max_steps
    )


def measure_drift(graph: StateGraph, inputs: Iterable[str], bound: float, max_steps: int) -> Drift:
    """Run the real model along the graph, never put back, in the order of operations of the rollouts, each
    run at most `max_steps`; stop at the first that leaves, as a model whose errors grow does."""
    weights = graph.weights
    # (Σ, d, d + Σ + M): summed over its rows it gives the bits of `in_order`, in a quarter of the time
    stacked = np.ascontiguousarray(weights.stacked.transpose(0, 2, 1))
    codes, d, k = weights.motion_codes().tolist(), len(weights.h0), len(weights.alphabet)
    largest, at, left = 0.0, ("", 0), False
    h, step = weights.h0, 0

    def rule(state: int, x: int) -> tuple[int, int, int]:
        nonlocal h, step, largest, at, left
        result = np.add.reduce(stacked[x] * h[:, None], axis=0, initial=0)
        written, motion = int(np.argmax(result[d : d + k])), codes[int(np.argmax(result[d + k :]))]
        h, step, following = rescaled(result[:d]), step + 1, int(graph.next[state, x])
        if following == MISSING or (written, motion) != (graph.write[state, x], graph.motion[state, x]):
            at, left = (text, step), True
        elif following != HALT:
            away = float(np.abs(h - graph.hidden[following]).max())
            if not away <= largest:
                largest, at = away, (text, step)
            left = not away <= bound
        return written, motion, HALT if left else following

    for text in inputs:
        h, step = weights.h0, 0
        close_loop(weights, text, rule, max_steps)
        if left:
            break
    return Drift(largest, at, left)
