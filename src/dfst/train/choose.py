"""Which model is kept: the one that most seeds agree on.

Nothing but the training set has a say: five polished seeds or more vote (below). Of fewer, or where the
vote decides nothing, those that arrived at the same machine (their parameters are then equal to the bit) are
believed, the largest such group, of two the one with fewer learnt states, then the smaller loss; where the
traces may be wrong, before all that the machine that fewest recorded steps speak against. Without a
polish the loss alone decides. The chosen model is proved and evaluated afterwards, whatever comes out.

The vote: every seed's graph of learnt states acts as the traces show, so no trace tells a right graph from a
wrong one. But a mistake is mostly one seed's own: it takes two states for one that the others tell apart, or
tells apart what is one to them. So all graphs are run in step along the training traces. At each moment each
seed is in one of its learnt states; together that is a *joint state*. Two seeds disagree by the share of what
only one of them takes for one state, among all pairs of joint states that either does (the Jaccard distance).
The seed that disagrees least with all others is believed. This distance keeps the triangle inequality, so a
machine which more than half of the seeds found always wins. What a vote is worth: docs/research/recipes.md.

Legend: k seeds, J joint states.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import DfstError
from dfst.model.weights import Weights
from dfst.problems import Problem
from dfst.problems.problem import prove_problem
from dfst.proof import Verdict
from dfst.proof.verdict import SETTLED
from dfst.states.graph import StateGraph
from dfst.traces.traceset import TraceSet
from dfst.train.learnt import Outcome
from dfst.train.progress import Tell
from dfst.train.workers import Workers, parallel_map

FEWEST_SEEDS = 5  # polished seeds without which there is no vote


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
    problem: Problem, outcomes: Sequence[Outcome], tell: Tell, workers: Workers | None = None,
    stable: bool = False,
) -> list[Outcome]:  # fmt: skip
    """Each with what the prover says of it, where that is worth asking: of those that were polished.

    stable: training held its loops still, so that the best may be right up to some length as descent left it

    What is proved of a model is proved of every other with the same numbers.
    """
    if problem.inputs is None:
        return list(outcomes)
    asked = {outcome.seed: outcome for outcome in outcomes if outcome.polished}
    if as_left := stable and not asked:
        asked = {outcome.seed: outcome for outcome in outcomes[:1]}
    first: dict[bytes, Outcome] = {}
    for outcome in asked.values():
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
        found.append(replace(outcome, verdict=verdicts[key]) if outcome.seed in asked else outcome)
    if len(found) > 1 and not as_left:
        proved = sum(outcome.strength in SETTLED for outcome in found)
        tell(f"{proved} of {counted(len(found), 'seed')} proved")
    return found


def _answer(problem: Problem, weights: Weights) -> Verdict | str:
    """What the prover says of a model, or why it can say nothing."""
    try:
        return prove_problem(weights, problem)
    except DfstError as error:
        return str(error)


def joint_states(graphs: Sequence[StateGraph], traces: TraceSet) -> NDArray[np.int32]:
    """(J, k) the learnt state of every seed, at each moment of the traces that differs from those before.

    The graphs must act as the traces show.
    """
    tables, begin = [graph.next.tolist() for graph in graphs], (0,) * len(graphs)
    following: dict[tuple[Any, int], Any] = {}  # (joint state, symbol) → joint state, None where they halt
    for trace in np.split(traces.x, traces.start[1:-1]):
        at = begin
        for x in trace.tolist():
            if (at, x) not in following:
                after = tuple(table[c][x] for table, c in zip(tables, at, strict=True))
                following[at, x] = after if min(after) >= 0 else None
            at = following[at, x]
            if at is None:
                break
    return np.array([*dict.fromkeys([begin, *filter(None, following.values())])], dtype=np.int32)


def disagreements(joint: NDArray[np.integer]) -> NDArray[np.float64]:
    """(k,) how far each seed disagrees with another, from 0 (not at all) to 1, on average over all others.

    Pairs need not be looked at one by one: n joint states that are one state to both of two seeds are n²
    ordered pairs, each joint state with itself among them.
    """
    both = np.array([[_one_to_both(a, b) for b in joint.T] for a in joint.T]) - len(joint)
    alone = both.diagonal()
    either = alone[:, None] + alone[None] - both
    apart = (either - both) / np.maximum(either, 1)
    return apart.sum(axis=1) / max(1, joint.shape[1] - 1)


def _one_to_both(a: NDArray[np.integer], b: NDArray[np.integer]) -> int:
    """How many ordered pairs of joint states are one state to both seeds."""
    count = np.bincount(a.astype(np.int64) * (int(b.max()) + 1) + b)
    return int(count @ count)


def sentence(seeds: Sequence[int], apart: Sequence[float]) -> str:
    """What the vote found. apart: how far each seed disagrees with the others."""
    least, most = min(apart), max(apart)
    if most == 0:
        return f"all {len(seeds)} polished seeds found the same machine"
    if least == most:
        return f"a vote of {len(seeds)} seeds decides nothing: each is {most:.2f} apart from the others"
    near = [str(seed) for seed, far in zip(seeds, apart, strict=True) if far == least]
    who = f"seed {near[0]} is" if len(near) == 1 else f"seeds {', '.join(near)} are"
    said = f"{who} nearest to the others, {least:.2f} apart; the farthest {most:.2f}"
    return f"a vote of {len(seeds)} seeds: {said}"
