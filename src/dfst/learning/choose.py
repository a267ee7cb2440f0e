"""Which model is kept: the one that most seeds agree on.

Nothing but the training set has a say: five polished seeds or more vote (`vote.py`). Of fewer, or where the
vote decides nothing, those that arrived at the same machine (their parameters are then equal to the bit) are
believed, the largest such group, of two the one with fewer learnt states, then the smaller loss. Without a
polish the loss alone decides. The chosen model is proved and evaluated afterwards, whatever comes out.

Where validation was asked for (`validation.py`), the proof may choose among seeds, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import DfstError
from dfst.learning.beside import beside
from dfst.learning.outcome import Outcome
from dfst.learning.plan import Plan
from dfst.learning.processes import Helpers
from dfst.learning.progress import Tell
from dfst.learning.vote import FEWEST_SEEDS, disagreements, joint_states, sentence
from dfst.model.weights import Weights
from dfst.proof import Verdict, prove
from dfst.proof.inputs import RegularInputs
from dfst.proof.regular import in_alphabet_of
from dfst.proof.verdict import ITS_MACHINE
from dfst.traces.traceset import TraceSet

MOST_PROOFS = 6
"""Seeds that are tried for a proof, the best first."""
PROOF_SEED = 2
"""Draws the runs on which the prover looks for learnt states."""
PROOF_OF_A_MACHINE = 30_000
"""Abstract configurations after which the proof about a machine without a task is given up."""


def choose(
    plan: Plan,
    traces: TraceSet,
    outcomes: Sequence[Outcome],
    every_seed: bool,
    tell: Tell,
    helpers: Helpers | None = None,
) -> tuple[Outcome, list[Outcome]]:
    """The best seed, and all of them, with what was found out.

    With `every_seed` the prover is asked about each that was polished: how many become exact is worth knowing
    too. It has a say in the choice only where the recipe lets longer inputs choose as well.
    """
    best_first = ranked(outcomes, traces, tell)
    to_prove = best_first if every_seed else best_first[: MOST_PROOFS if plan.recipe.validate else 1]
    asked = _asked(plan, to_prove, not every_seed, tell, helpers)
    if every_seed and plan.recipe.polish:
        proved = sum(o.strength == "proved" for o in asked.values())
        tell(f"{proved} of {counted(len(asked), 'seed')} {'is' if len(asked) == 1 else 'are'} proved")
    chosen = asked[best_first[0].seed]
    if plan.recipe.validate:
        chosen = next((o for o in asked.values() if o.strength == "proved"), chosen)
    found = {outcome.seed: outcome for outcome in best_first} | asked
    return chosen, [found[outcome.seed] for outcome in outcomes]


def ranked(outcomes: Sequence[Outcome], traces: TraceSet, tell: Tell) -> list[Outcome]:
    """Best first, each with what the vote says of it."""
    outcomes = _voted(outcomes, traces, tell)
    found = Counter(_parameters(outcome) for outcome in outcomes if outcome.polished)

    def rank(outcome: Outcome) -> tuple[Any, ...]:
        passed, polished, *rest = outcome.rank()
        return passed, polished, -(outcome.disagreement or 0), found[_parameters(outcome)], *rest

    return sorted(outcomes, key=rank, reverse=True)


def _voted(outcomes: Sequence[Outcome], traces: TraceSet, tell: Tell) -> list[Outcome]:
    """The outcomes, those that were polished with what the others say of their learnt states."""
    graphs = {outcome.seed: outcome.polished.graph for outcome in outcomes if outcome.polished}
    if len(graphs) < FEWEST_SEEDS:
        return list(outcomes)
    apart = disagreements(joint_states(list(graphs.values()), traces)).tolist()
    tell(sentence(list(graphs), apart))
    far = dict(zip(graphs, apart, strict=True))
    return [replace(outcome, disagreement=far.get(outcome.seed)) for outcome in outcomes]


def _parameters(outcome: Outcome) -> bytes:
    return outcome.weights.flat().tobytes()


def _asked(
    plan: Plan, outcomes: Sequence[Outcome], until_proved: bool, tell: Tell, helpers: Helpers | None
) -> dict[int, Outcome]:
    """By their seeds, with what the prover says of each where that is worth asking; all, or up to the first
    that is proved. What is proved of a model is proved of every other with the same numbers."""
    worth = [outcome for outcome in outcomes if plan.expert is not None and outcome.worth_proving]
    first: dict[bytes, Outcome] = {}
    for outcome in worth:
        first.setdefault(_parameters(outcome), outcome)
    models = [outcome.weights for outcome in first.values()]
    ask = partial(_answer, plan)
    answers = map(ask, models) if until_proved else beside(ask, models, helpers)
    asked: dict[int, Outcome] = {}
    for outcome in outcomes:
        asked[outcome.seed] = outcome
        twin = first.get(_parameters(outcome))
        if outcome not in worth or twin is None:
            continue
        if twin.seed == outcome.seed:
            tell(f"proving that no input of any length can lead seed {outcome.seed} astray …")
            answer = next(answers)
            if isinstance(answer, str):
                tell(f"no proof: {answer}")
                continue
            if answer.strength != "proved":
                tell(answer.sentence())
            asked[outcome.seed] = replace(outcome, verdict=answer)
        else:
            tell(f"seed {outcome.seed} has the parameters of seed {twin.seed}, to the bit")
            asked[outcome.seed] = replace(outcome, verdict=asked[twin.seed].verdict)
        if until_proved and asked[outcome.seed].strength == "proved":
            break
    return asked


def _answer(plan: Plan, weights: Weights) -> Verdict | str:
    """What the prover says of a model, or why it can say nothing."""
    try:
        return _verdict(plan, weights)
    except DfstError as error:
        return str(error)


def _verdict(plan: Plan, weights: Weights) -> Verdict:
    """What the prover says of a model, on all inputs that are meant."""
    rng = np.random.default_rng(PROOF_SEED)
    if plan.agent.task is not None:
        return prove(weights, plan.agent, rng=rng)
    reference = in_alphabet_of(weights, plan.agent)
    inputs = RegularInputs(plan.language, reference)
    verdict = prove(weights, reference, inputs=inputs, rng=rng, most=PROOF_OF_A_MACHINE)
    return replace(verdict, against=ITS_MACHINE)
