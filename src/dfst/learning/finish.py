"""From trained parameters to outcomes: every seed, polished where that helps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from dfst.learning.beside import beside
from dfst.learning.outcome import Outcome
from dfst.learning.plan import Plan, weights_of
from dfst.learning.processes import Helpers
from dfst.learning.progress import Tell
from dfst.learning.state import TrainingState
from dfst.learning.validation import (
    VALIDATION_SECONDS,
    VALIDATION_SEED,
    WATCH_SECONDS,
    Validation,
    longer_inputs,
    validate,
    validation_traces,
)
from dfst.model.growth import fastest_growth
from dfst.model.weights import Weights
from dfst.states.polish import Polished, polish
from dfst.traces.rounds import rounds
from dfst.traces.traceset import TraceSet


def finish_seeds(
    plan: Plan,
    traces: TraceSet,
    state: TrainingState,
    losses: Sequence[float],
    tell: Tell,
    helpers: Helpers | None = None,
) -> list[Outcome]:
    """Every seed, polished and validated as the recipe asks. losses: the last of each seed."""
    recipe, found = plan.recipe, []
    longer = longer_inputs(plan, VALIDATION_SEED) if recipe.validate and plan.agent.task is None else []
    shown = validation_traces(plan, longer) if recipe.validate and recipe.polish else None

    def judged(weights: Weights, seconds: float) -> Validation | None:
        return validate(weights, plan.agent, longer, seconds) if recipe.validate else None

    loss = [f"{loss:.3g}" for loss in losses]
    raw = [
        weights_of(theta, plan, traces, seed, state.iteration, loss=loss[i])
        for i, (seed, theta) in enumerate(zip(plan.seeds, state.theta, strict=True))
    ]
    polishing = [recipe.polish and bool(alive) for alive in state.alive]
    polished = partial(_guesses, traces, shown, plan.states)
    wanted = [weights for weights, wanted in zip(raw, polishing, strict=True) if wanted]
    # Where longer inputs choose, within a budget of time, seeds do not compete for the cores.
    guesses = map(polished, wanted) if recipe.validate else beside(polished, wanted, helpers)
    seen = [] if recipe.polish else rounds(traces)
    growths = [fastest_growth(weights, seen) for weights in raw]
    for i, seed in enumerate(plan.seeds):
        seconds = WATCH_SECONDS if polishing[i] else VALIDATION_SECONDS
        best = Outcome(seed, raw[i], raw[i], losses[i], validation=judged(raw[i], seconds), growth=growths[i])
        for result in next(guesses) if polishing[i] else ():
            history = {"loss": loss[i], "polish": result.words}
            weights = weights_of(result.theta, plan, traces, seed, state.iteration, **history)
            outcome = Outcome(seed, weights, raw[i], losses[i], result, judged(weights, VALIDATION_SECONDS))
            best = max(best, outcome, key=Outcome.rank)
            if outcome.worth_proving:
                break
        found.append(best)
        if recipe.polish or recipe.validate:
            tell(best.sentence())
    return found


def _guesses(
    traces: TraceSet, shown: TraceSet | None, states: int | None, raw: Weights
) -> Iterable[Polished]:
    """What a polish offers, best guess first; that alone where nothing is there to choose another by."""
    found = polish(raw, traces, shown, states)
    return found if shown is not None else list(islice(found, 1))
