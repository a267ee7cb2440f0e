"""Which model is kept: the one that most seeds agree on.

Nothing but the training set has a say: five polished seeds or more vote (`vote.py`). Of fewer, or where the
vote decides nothing, those that arrived at the same machine (their parameters are then equal to the bit) are
believed, the largest such group, of two the one with fewer learnt states, then the smaller loss; where the
traces may be wrong, before all that the machine that fewest recorded steps speak against. Without a
polish the loss alone decides. The chosen model is proved and evaluated afterwards, whatever comes out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dfst.counted import counted
from dfst.errors import DfstError
from dfst.model.weights import Weights
from dfst.problems import Problem
from dfst.problems.prove import prove_problem
from dfst.proof import Verdict
from dfst.proof.verdict import SETTLED
from dfst.traces.traceset import TraceSet
from dfst.train.learnt import Outcome
from dfst.train.parallel_map import parallel_map
from dfst.train.progress import Tell
from dfst.train.vote import FEWEST_SEEDS, disagreements, joint_states, sentence
from dfst.train.workers import Workers


def ranked(outcomes: Sequence[Outcome], traces: TraceSet, tell: Tell) -> list[Outcome]:
    """Best first, each with what the vote says of it."""
    outcomes = _voted(outcomes, traces, tell)
    found = Counter(_parameters(outcome) for outcome in outcomes if outcome.polished)

    def rank(outcome: Outcome) -> tuple[Any, ...]:
        alike = found[_parameters(outcome)]
        against = outcome.polished.against if outcome.polished else 0
        return outcome.polished is not None, -(outcome.disagreement or 0), -against, alike, *outcome.rank()

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


def prove_seeds(
    problem: Problem, outcomes: Sequence[Outcome], tell: Tell, workers: Workers | None = None
) -> list[Outcome]:
    """Each with what the prover says of it, where that is worth asking: of those that were polished.

    What is proved of a model is proved of every other with the same numbers.
    """
    if problem.inputs is None:
        return list(outcomes)
    first: dict[bytes, Outcome] = {}
    for outcome in outcomes:
        if outcome.polished:
            first.setdefault(_parameters(outcome), outcome)
    models = [outcome.weights for outcome in first.values()]
    answers = parallel_map(partial(_answer, problem), models, workers)
    verdicts: dict[bytes, Verdict | None] = {}
    for key, outcome in first.items():
        tell(f"proving seed {outcome.seed} on all inputs …")
        answer = next(answers)
        if isinstance(answer, str):
            tell(f"no proof: {answer}")
        elif answer.strength != "proved":
            tell(answer.sentence())
        verdicts[key] = None if isinstance(answer, str) else answer
    found = []
    for outcome in outcomes:
        key = _parameters(outcome)
        if outcome.polished and first[key].seed != outcome.seed:
            tell(f"seed {outcome.seed} has the parameters of seed {first[key].seed}, to the bit")
        found.append(replace(outcome, verdict=verdicts[key]) if outcome.polished else outcome)
    if len(found) > 1:
        proved = sum(outcome.strength in SETTLED for outcome in found)
        tell(f"{proved} of {counted(len(found), 'seed')} proved")
    return found


def _answer(problem: Problem, weights: Weights) -> Verdict | str:
    """What the prover says of a model, or why it can say nothing."""
    try:
        return prove_problem(weights, problem)
    except DfstError as error:
        return str(error)
