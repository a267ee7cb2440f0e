"""The learnt states of a model that acts: it works on inputs, and edges come into being as it meets them.

Every edge is computed from the hidden state its learnt state was first met with, so errors do not add up.
Whether the real model stays there, never put back to a learnt state, `extract.py` measures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import HALT, arrays_of
from dfst.model.rollout.transducer import in_order, rescaled
from dfst.model.weights import Weights
from dfst.states.graph import StateGraph
from dfst.tasks.task import Task
from dfst.world.grid import Grid, S, first_cell, moved

MAX_UNFINISHED = 3  # a model that does not come to an end this often is explored no further


class TooManyStates(Exception):
    """New hidden states kept appearing."""


@dataclass(frozen=True)
class Exploration:
    """What was run to find the graph."""

    runs: int
    last_new_edge: tuple[int, str]
    """The number of the run, from 1, that showed the last new edge, and its input."""
    unfinished: int  # runs that did not halt within their steps


def close_loop(
    weights: Weights, text: str, rule: Callable[[int, int], tuple[int, int, int]], most: int
) -> bool:
    """Act on an input by a rule from (state, symbol) to (symbol, motion, state); whether it halts."""
    symbols, start = weights.encode(text)
    grid = Grid(weights.blank)
    grid.lay(symbols, first_cell(symbols, start))
    cell, state, steps = (0, 0), 0, 0
    while state != HALT and steps < most:
        written, motion, state = rule(state, grid.read(cell))
        grid.write(cell, written)
        cell, steps = moved(cell, motion), steps + 1
    return state == HALT


def by_length(task: Task) -> Iterator[str]:
    """Every input of a task, the shorter first."""
    return map(task.write, task.by_length())


def random_inputs(task: Task, rng: np.random.Generator, count: int, longest: int) -> list[str]:
    """Operands of 1 to `longest` symbols, with repetitions and leading zeros among them."""

    def operand() -> str:
        return task.uneven_operand(rng, int(rng.integers(1, longest + 1)))

    return [task.write(tuple(operand() for _ in range(task.operand_count))) for _ in range(count)]


def exploration_inputs(
    task: Task, rng: np.random.Generator, short: int = 1_000, random: int = 1_000, longest: int = 8
) -> list[str]:
    """The first `short` inputs by length, then `random` random ones, shortest first: what a carry chain or a
    long operand needs shows early or not at all."""
    return [*islice(by_length(task), short), *sorted(random_inputs(task, rng, random, longest), key=len)]


class Explorer:
    """Computes edges when they are asked for."""

    def __init__(self, weights: Weights, tolerance: float, max_states: int = 5_000) -> None:
        self.weights = weights
        self.tolerance = tolerance
        self.max_states = max_states
        self._stacked = weights.stacked if tolerance == 0 else weights.stacked.astype(np.float64)
        self._codes = weights.motion_codes().tolist()
        d = len(weights.h0)
        # Points within the tolerance of h are near it along any line too; sorting along one finds them fast.
        self._line = np.cos(np.arange(1, d + 1) ** 2)
        self._reach = tolerance * float(np.abs(self._line).sum()) * (1 + 1e-9)
        self._sorted: list[tuple[float, int]] = []
        self._by_bits: dict[bytes, int] = {}
        self.hidden: list[NDArray[np.floating]] = []
        self.edges: dict[tuple[int, int], tuple[int, int, int]] = {}
        """(state, symbol) → (write, motion, next)"""
        self._state_at(weights.h0.astype(self._stacked.dtype))

    @classmethod
    def of(cls, graph: StateGraph, max_states: int = 5_000) -> Explorer:
        """An explorer that knows a graph already."""
        explorer = cls(graph.weights, graph.tolerance, max(max_states, len(graph)))
        for h in graph.hidden[1:]:
            explorer._state_at(h)
        for c, x in graph.known.tolist():
            rule = graph.write[c, x], graph.motion[c, x], graph.next[c, x]
            explorer.edges[c, x] = (int(rule[0]), int(rule[1]), int(rule[2]))
        return explorer

    def edge(self, state: int, symbol: int) -> tuple[int, int, int]:
        """(write, motion, next) of reading `symbol` in `state`."""
        known = self.edges.get((state, symbol))
        if known is None:
            d, k = len(self.weights.h0), len(self.weights.alphabet)
            result = self._outputs(self.hidden[state], symbol)
            written, motion = int(np.argmax(result[d : d + k])), self._codes[int(np.argmax(result[d + k :]))]
            following = HALT if motion == S else self._state_at(rescaled(result[:d].copy()))
            known = self.edges[state, symbol] = written, motion, following
        return known

    def decides(self, state: int, symbol: int) -> bool:
        """Whether the weights prefer one symbol and one motion there. Scores that are all zero do not."""
        d, k = len(self.weights.h0), len(self.weights.alphabet)
        outputs = self._outputs(self.hidden[state], symbol)
        scores = outputs[d : d + k], outputs[d + k :]
        return all(np.count_nonzero(part == part.max()) == 1 for part in scores)

    def graph(self) -> StateGraph:
        """What is known so far."""
        table = arrays_of(self.edges, len(self.hidden), len(self.weights.alphabet))
        return StateGraph(np.array(self.hidden), *table, self.tolerance, self.weights)

    def explore(self, inputs: Sequence[str], max_steps: int) -> Exploration:
        """Close the loop over the graph on each input."""
        unfinished, last = 0, (0, "")
        for number, text in enumerate(inputs, 1):
            if unfinished > MAX_UNFINISHED:
                return Exploration(number - 1, last, unfinished)
            known = len(self.edges)
            unfinished += not close_loop(self.weights, text, self.edge, max_steps)
            if len(self.edges) > known:
                last = (number, text)
        return Exploration(len(inputs), last, unfinished)

    def _outputs(self, h: NDArray[np.floating], symbol: int) -> NDArray[np.floating]:
        """(d + Σ + M,) what follows h, and the scores."""
        return in_order(self._stacked[symbol], h) if self.tolerance == 0 else self._stacked[symbol] @ h

    def _state_at(self, h: NDArray[np.floating]) -> int:
        """The learnt state nearest to `h` within the tolerance, new if there is none."""
        if self.tolerance == 0:
            found = self._by_bits.setdefault(h.tobytes(), len(self.hidden))
            return found if found < len(self.hidden) else self._add(h)
        place = float(self._line @ h)
        i = bisect_left(self._sorted, (place - self._reach, -1))
        nearest, distance = -1, np.inf
        while i < len(self._sorted) and self._sorted[i][0] <= place + self._reach:
            c = self._sorted[i][1]
            away = float(np.abs(self.hidden[c] - h).max())
            if away < distance:
                nearest, distance = c, away
            i += 1
        if distance <= self.tolerance:
            return nearest
        self._sorted.insert(bisect_left(self._sorted, (place, -1)), (place, len(self.hidden)))
        return self._add(h)

    def _add(self, h: NDArray[np.floating]) -> int:
        if len(self.hidden) >= self.max_states or not np.isfinite(h).all():
            raise TooManyStates
        self.hidden.append(h)
        return len(self.hidden) - 1
