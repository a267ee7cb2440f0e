"""Which recorded steps not to believe: each is judged by models that were not shown it.

Where some steps of the traces are wrong, a model with room to spare learns them by heart, and one without
cannot; nobody knows beforehand which size is which. So the steps are dealt into folds, and for each fold some
models are trained with all of its actions unknown: what was read is known all the same, so that little is
lost. A step is disbelieved if those who did not see it are sure of another action, or if the others, who were
shown it, hold it for wrong as well. What is disbelieved is unknown in the next round, when it may be believed
again. Sizes are tried as long as a larger one foretells more of the unseen actions.

Legend: T steps, Σ symbols, M motions.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.model.weights import Shape
from dfst.states.predicted import actions_of, differs, scores
from dfst.traces.traceset import TraceSet
from dfst.train.engines import make_engine
from dfst.train.progress import Tell
from dfst.train.recipe import Recipe
from dfst.train.state import initial_state

FOLDS, SEEDS = 4, 2
SIZES = (8, 16, 32, 64, 128)
LEAST = 16
"""Of the hidden size that is proposed: the polish needs a dimension for each state, and others do no harm."""
ROUNDS, STEPS = 4, 600  # rounds of judgement at each size, and training steps before each of them
SURE = 0.25  # squared distance of the scores from zeros and ones below which a model is sure
BETTER, DEVIATIONS = 0.9, 2.0
"""A larger size is taken if it foretells wrongly less than this share of what the one before it does, or if
it mends more than it spoils by so many standard deviations: errors are foretold wrongly at any size, and
where there are many, a tenth of them all is more than a size can mend."""
RECIPE = Recipe("jury", STEPS * ROUNDS, rate_scale=0.05, gradient_clip=2.0, weight_decay=0.05)


def disbelieve(traces: TraceSet, device: Literal["cpu", "cuda"], tell: Tell) -> tuple[TraceSet, int]:
    """The traces, with the actions of all steps that are disbelieved unknown; and the size of the models that
    foretold most."""
    tell(f"judging {counted(int(traces.known.sum()), 'step')} by models that were not shown them …")
    found, wrong = SIZES[0], np.ones(traces.tokens, dtype=bool)
    disbelieved = ~wrong
    for size in SIZES:
        before, (wrong, doubted) = wrong, _judged(traces, size, device, tell)
        if not foretells_more(wrong, before):
            break
        found, disbelieved = size, doubted
    return traces.without(disbelieved), max(found, LEAST)


def foretells_more(wrong: NDArray[np.bool_], before: NDArray[np.bool_]) -> bool:
    """Whether a size is better than the one before it; both (T,), the unseen actions foretold wrongly."""
    mended, spoilt = int((before & ~wrong).sum()), int((wrong & ~before).sum())
    surely = mended - spoilt > DEVIATIONS * (mended + spoilt) ** 0.5
    return surely or int(wrong.sum()) < BETTER * int(before.sum())


def _judged(
    traces: TraceSet, size: int, device: Literal["cpu", "cuda"], tell: Tell
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """By models of one size, both (T,): the unseen actions foretold wrongly; what is disbelieved."""
    symbols = len(traces.alphabet)
    shape, recipe = Shape(symbols, len(traces.motions), size), RECIPE.for_size(size)
    fold = np.random.default_rng(0).integers(0, FOLDS, traces.tokens)
    states = [initial_state(shape, range(f * SEEDS, (f + 1) * SEEDS), recipe.dtype) for f in range(FOLDS)]
    disbelieved = np.zeros(traces.tokens, dtype=bool)
    for _ in range(ROUNDS):
        unseen, shown = (np.zeros((traces.tokens, symbols + shape.motions)) for _ in range(2))
        for f, state in enumerate(states):
            engine = make_engine(device, shape, traces.without(disbelieved | (fold == f)), recipe)
            engine.advance(state, STEPS)
            engine.sync(state)
            alive = [scores(theta, shape, traces) for theta in state.theta[state.alive]]
            said = np.nan_to_num(np.mean(alive, axis=0)) if alive else np.zeros_like(unseen)
            unseen[fold == f] = said[fold == f]
            shown[fold != f] += said[fold != f]
        foretold_wrongly = differs(unseen, traces)
        disbelieved = foretold_wrongly & _sure(unseen, symbols)
    disbelieved |= foretold_wrongly & differs(shown, traces)
    wrong, left = int(foretold_wrongly.sum()), counted(int(disbelieved.sum()), "step")
    tell(f"hidden size {size}: {wrong:,} unseen actions foretold wrongly, {left} disbelieved")
    return foretold_wrongly, disbelieved


def _sure(found: NDArray[np.float64], symbols: int) -> NDArray[np.bool_]:
    """(T,) whether the scores are nearly one for the best symbol and motion, nearly zero for the others."""
    s, m = actions_of(found, symbols)
    steps, away = np.arange(len(found)), found.copy()
    away[steps, s] -= 1
    away[steps, symbols + m.astype(np.int64)] -= 1
    return np.asarray((away**2).sum(axis=1) < SURE)
