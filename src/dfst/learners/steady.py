"""Rollouts of weights that may not be sound: a run ends, unfinished, where its hidden state overflows.

An overflow is an error where somebody asked for an answer. Here it is an outcome like any other: the run went
wrong at that step, at the latest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

from dfst.agents.agent import Agent
from dfst.errors import Overflow
from dfst.grid import Limits
from dfst.model.weights import Weights
from dfst.rollout.compiled import Rollout
from dfst.run import Run
from dfst.tiles import TiledGrid


class SteadyRollout:
    """A rollout that answers for every input."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self._rollout = weights, Rollout(weights)

    def run_many(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> list[Run]:
        with ThreadPoolExecutor(cpu_count()) as pool:
            return list(pool.map(lambda text: self._run(text, limits, against), texts))

    def _run(self, text: str, limits: Limits, against: Agent | None) -> Run:
        weights = self.weights
        try:
            return self._rollout.run(text, limits, against)
        except Overflow as end:
            world = TiledGrid(weights.blank)
            return Run(weights.name, text, weights.alphabet, end.step, False, (0, 0), 0.0, world=world)
