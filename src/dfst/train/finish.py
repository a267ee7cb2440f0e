"""From trained parameters to outcomes: every seed, polished where that helps."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.growth import fastest_growth
from dfst.model.weights import Provenance, Shape, Weights, symbols_of_model
from dfst.problems import Problem
from dfst.states.polish import Polished, polish
from dfst.traces.reweighting import repeated_words
from dfst.train.learnt import Outcome
from dfst.train.prepare import Prepared
from dfst.train.progress import Tell
from dfst.train.workers import Workers, parallel_map


def weights_of(
    theta: Any, problem: Problem, motions: tuple[str, ...], d: int, provenance: Provenance | None = None
) -> Weights:
    """One seed's parameters (P,) as weights that can act."""
    shape = Shape(len(problem.alphabet), len(motions), d)
    A, B, C, h0 = (part.copy() for part in shape.split(theta))
    alphabet = symbols_of_model(problem.name, problem.alphabet, problem.blank)
    return Weights(
        A, B, C, h0, alphabet, motions, layout=problem.layout, name=problem.name, task=problem.task,
        provenance=provenance or Provenance(),
    )  # fmt: skip


class Polisher:
    """Polishes the seeds of a run."""

    def __init__(self, run: Prepared, workers: Workers | None = None) -> None:
        problem = run.config.problem
        recorded = problem.training_set().traces if problem.may_err else None
        self._run, self._workers = run, workers
        self._polish = partial(polish, traces=run.traces, states=run.merged_states, recorded=recorded)
        self._found: dict[tuple[int, bytes], Polished] = {}

    def polished(self, which: Sequence[int], patient: bool = True) -> dict[int, Polished | None]:
        """Of these seeds; who was polished as it is now is not polished again."""
        state, problem = self._run.state, self._run.config.problem
        keys = {i: (i, state.theta[i].tobytes()) for i in which}
        new = [i for i in which if keys[i] not in self._found]
        raw = [weights_of(state.theta[i], problem, self._run.traces.motions, state.shape.d) for i in new]
        work = partial(self._polish, patient=patient)
        for i, result in zip(new, parallel_map(work, raw, self._workers), strict=True):
            if result is not None:
                self._found[keys[i]] = result
        return {i: self._found.get(keys[i]) for i in which}

    def look(self) -> NDArray[np.int64]:
        """(s,) learnt states of the seeds that are no more than the fewest known to explain the traces."""
        state = self._run.state
        counts, most = np.zeros(len(state.seeds), dtype=np.int64), self._run.merged_states or state.shape.d
        for i, found in self.polished(np.flatnonzero(state.alive).tolist(), patient=False).items():
            counts[i] = found.states if found and found.states <= most else 0
        return counts


def finish_seeds(run: Prepared, tell: Tell, polisher: Polisher | None = None) -> list[Outcome]:
    """Every seed of a training that has come to its end, polished if the recipe asks for it."""
    problem, recipe, traces, state = run.config.problem, run.config.recipe, run.traces, run.state
    losses = state.losses.tolist()

    def made(theta: Any, i: int, polished: str = "") -> Weights:
        told = Provenance(
            len(traces), problem.data_seed, recipe.seed_numbers[i], state.iteration, recipe.preset,
            loss=f"{losses[i]:.3g}", polish=polished,
        )  # fmt: skip
        return weights_of(theta, problem, traces.motions, state.shape.d, told)

    seen = [] if recipe.polish else repeated_words(traces)
    wanted = np.flatnonzero(state.alive).tolist() if recipe.polish else []
    polished = (polisher or Polisher(run)).polished(wanted)
    found = []
    for i, seed in enumerate(recipe.seed_numbers):
        raw, result = made(state.theta[i], i), polished.get(i)
        best = Outcome(seed, raw, raw, losses[i], growth=fastest_growth(raw, seen))
        if result is not None:
            best = Outcome(seed, made(result.theta, i, result.words), raw, losses[i], result)
        found.append(best)
        if recipe.polish:
            tell(best.sentence())
    return found
