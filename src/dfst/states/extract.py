"""From weights to a machine: explore, judge the tolerance, measure drift, minimise, or refuse and say why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dfst.counted import counted
from dfst.errors import DfstError, InputError, Overflow
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.model.weights import Weights
from dfst.states.explore import Explorer, TooManyStates, close_loop, exploration_inputs, random_inputs
from dfst.states.graph import StateGraph
from dfst.states.merging import minimise

TOLERANCES = (1e-9, 1e-7, 1e-5, 1e-3, 1e-2)  # tried from fine to coarse, times the size of the hidden states
MIN_GAP = 10.0  # how many times farther apart two learnt states must be than a hidden state is from its own


class Refused(DfstError):
    """The model has no learnt states that can be told apart; the message says why."""


@dataclass(frozen=True, eq=False)
class Extraction:
    """A model's learnt states, the evidence that there are such, and the machine they make."""

    graph: StateGraph
    runs: int  # that were made to find it
    last_new_edge: tuple[int, str]  # the number of the run, from 1, that showed it, and its input
    machine: Agent  # merged and minimised

    @property
    def gap(self) -> float:
        """How many times wider the space between learnt states is than they are."""
        return self.graph.separation() / self.graph.radius if self.graph.radius else np.inf

    def sentence(self) -> str:
        run, text = self.last_new_edge
        short = text if len(text) <= 24 else text[:21] + "…"
        return (
            f"{counted(len(self.graph), 'learnt state')} with {counted(self.graph.edges, 'edge')}, "
            f"merged to {len(self.machine.states)}; "
            f"they are {self.graph.separation():.2g} apart and {self.graph.radius:.2g} wide; "
            f"the last new edge came in run {run} of {self.runs} ({short})"
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
            runs, last = explorer.explore([*inputs, *drift_inputs], max_steps)
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
        if reason := leaves(graph, drift_inputs, bound, max_steps):
            continue
        return Extraction(graph, runs, last, minimise(graph.machine()))
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


def leaves(graph: StateGraph, inputs: Iterable[str], bound: float, max_steps: int) -> str:
    """Run the real model along the graph, never put back to a learnt state: the first run that decides
    otherwise or goes beyond the bound, in words, as those of a model do whose errors grow; else nothing."""
    unit, away, left = replace(graph.weights), 0.0, False

    def rule(state: int, x: int) -> tuple[int, int, int]:
        nonlocal away, left
        did, following = unit.step(x), int(graph.next[state, x])
        left = following == MISSING or did != (graph.write[state, x], graph.motion[state, x])
        if not left and following != HALT:
            away = float(np.abs(unit.hidden - graph.hidden[following]).max())
            left = not away <= bound
        return *did, HALT if left else following

    for text in inputs:
        unit.reset()
        try:
            steps, _ = close_loop(unit, text, rule, max_steps)
        except Overflow:
            return f"a run on {text[:40]} overflowed"
        if left:
            return f"a run on {text[:40]} left its learnt states at step {steps:,} (distance {away:.1e})"
    return ""
