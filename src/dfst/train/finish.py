"""From trained parameters to outcomes: every seed, polished where that helps."""

from __future__ import annotations

from functools import partial
from typing import Any

from dfst.model.growth import fastest_growth
from dfst.model.provenance import Provenance
from dfst.model.weights import Shape, Weights, symbols_of_model
from dfst.problems import Problem
from dfst.states.polish import polish
from dfst.traces.reweighting import repeated_words
from dfst.train.outcome import Outcome
from dfst.train.parallel_map import parallel_map
from dfst.train.prepare import Prepared
from dfst.train.progress import Tell
from dfst.train.workers import Workers

UNKNOWN = Provenance()


def weights_of(
    theta: Any, problem: Problem, motions: tuple[str, ...], d: int, provenance: Provenance = UNKNOWN
) -> Weights:
    """One seed's parameters (P,) as weights that can act."""
    shape = Shape(len(problem.alphabet), len(motions), d)
    A, B, C, h0 = (part.copy() for part in shape.split(theta))
    alphabet = symbols_of_model(problem.name, problem.alphabet, problem.blank)
    return Weights(
        A, B, C, h0, alphabet, motions, layout=problem.layout, name=problem.name, task=problem.task,
        provenance=provenance,
    )  # fmt: skip


def finish_seeds(run: Prepared, tell: Tell, workers: Workers | None = None) -> list[Outcome]:
    """Every seed of a training that has come to its end, polished if the recipe asks for it."""
    problem, recipe, traces, state = run.config.problem, run.config.recipe, run.traces, run.state
    losses = state.losses.tolist()

    def made(theta: Any, i: int, polished: str = "") -> Weights:
        told = Provenance(
            samples=len(traces),
            data_seed=problem.data_seed,
            seed=recipe.seed_numbers[i],
            iterations=state.iteration,
            recipe=recipe.preset,
            loss=f"{losses[i]:.3g}",
            polish=polished,
        )
        return weights_of(theta, problem, traces.motions, state.shape.d, told)

    raw = [made(theta, i) for i, theta in enumerate(state.theta)]
    seen = [] if recipe.polish else repeated_words(traces)
    wanted = [i for i in range(len(raw)) if recipe.polish and state.alive[i]]
    recorded = problem.training_set().traces if problem.may_err else None
    polished = partial(polish, traces=traces, states=run.merged_states, recorded=recorded)
    results = parallel_map(polished, [raw[i] for i in wanted], workers)
    found = []
    for i, seed in enumerate(recipe.seed_numbers):
        best = Outcome(seed, raw[i], raw[i], losses[i], growth=fastest_growth(raw[i], seen))
        result = next(results) if i in wanted else None
        if result is not None:
            weights = made(result.theta, i, result.words)
            best = Outcome(seed, weights, raw[i], losses[i], result)
        found.append(best)
        if recipe.polish:
            tell(best.sentence())
    return found
