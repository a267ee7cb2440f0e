"""The learnt states of a model that acts: it works on inputs, and edges come into being as it meets them.

Every edge is computed from the hidden state its learnt state was first met with, so errors do not add up.
Whether the real model stays there, never put back to a learnt state, `extract.py` measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


def close_loop(
    weights: Weights, text: str, rule: Callable[[int, int], tuple[int, int, int]], most: int
) -> tuple[int, bool]:
    """Act on an input by a rule from (state, symbol) to (symbol, motion, state); steps, whether it halts."""
    symbols, start = weights.encode(text)
    grid = Grid(weights.blank)
    grid.lay(symbols, first_cell(symbols, start))
    cell, state, steps = (0, 0), 0, 0
    while state != HALT and steps < most:
        written, motion, state = rule(state, grid.read(cell))
        grid.write(cell, written)
        cell, steps = moved(cell, motion), steps + 1
    return steps, state == HALT


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
        self.weights, self.tolerance = weights, tolerance
        self._stacked = weights.stacked if tolerance == 0 else weights.stacked.astype(np.float64)
        self._codes = weights.motion_codes().tolist()
        self._by_bits: dict[bytes, int] = {}
        self._hidden = np.empty((max_states, len(weights.h0)), self._stacked.dtype)
        self.states = 0
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
            h, symbols, motions = self._outputs(state, symbol)
            motion = self._codes[int(motions.argmax())]
            following = HALT if motion == S else self._state_at(rescaled(h.copy()))
            known = self.edges[state, symbol] = int(symbols.argmax()), motion, following
        return known

    def decides(self, state: int, symbol: int) -> bool:
        """Whether the weights prefer one symbol and one motion there. Scores that are all zero do not."""
        scores = self._outputs(state, symbol)[1:]
        return all(np.count_nonzero(part == part.max()) == 1 for part in scores)

    def graph(self) -> StateGraph:
        """What is known so far."""
        table = arrays_of(self.edges, self.states, len(self.weights.alphabet))
        return StateGraph(self._hidden[: self.states].copy(), *table, self.tolerance, self.weights)

    def explore(self, inputs: Sequence[str], max_steps: int) -> tuple[int, tuple[int, str]]:
        """Close the loop over the graph on each input; how many were run, and the number (from 1) and the
        input of the run that showed the last new edge."""
        unfinished, last, number = 0, (0, ""), 0
        for number, text in enumerate(inputs, 1):
            known = len(self.edges)
            unfinished += not close_loop(self.weights, text, self.edge, max_steps)[1]
            if len(self.edges) > known:
                last = (number, text)
            if unfinished > MAX_UNFINISHED:
                break
        return number, last

    def _outputs(self, state: int, symbol: int) -> list[NDArray[np.floating]]:
        """What follows a learnt state, and the scores of symbols and motions."""
        matrix, h = self._stacked[symbol], self._hidden[state]
        found = in_order(matrix, h) if self.tolerance == 0 else matrix @ h
        return np.split(found, [h.size, h.size + len(self.weights.alphabet)])

    def _state_at(self, h: NDArray[np.floating]) -> int:
        """The learnt state nearest to `h` within the tolerance, new if there is none."""
        new = self.states
        if self.tolerance == 0:
            found = self._by_bits.setdefault(h.tobytes(), new)
        else:
            away = np.abs(self._hidden[:new] - h).max(axis=1, initial=0)
            found = int(away.argmin()) if (away <= self.tolerance).any() else new
        if found == new:
            if new == len(self._hidden) or not np.isfinite(h).all():
                raise TooManyStates
            self._hidden[new] = h
            self.states += 1
        return found
