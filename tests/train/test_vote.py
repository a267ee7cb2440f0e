"""The vote of the seeds: fast against slow, a majority wins, and fewer learnt states do not outvote it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from split_graph import split

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import weights_from_flat
from dfst.states.follow import follow
from dfst.states.graph import StateGraph
from dfst.states.polish import Polished, solved
from dfst.train.choose import disagreements, joint_states, ranked, sentence
from dfst.train.learnt import Outcome
from dfst.train.settings import configure

PLAN = configure(expert("add2"), seeds=4)
TRACES = PLAN.problem.training_set().traces
RIGHT = follow(compile_agent(expert("add2"), d=16, dtype=np.float64), TRACES, 0.1)


def by_definition(joint: np.ndarray) -> list[float]:
    """`disagreements`, pair by pair."""
    pairs = list(combinations(joint, 2))
    taken_for_one = [
        {i for i, (a, b) in enumerate(pairs) if a[seed] == b[seed]} for seed in range(joint.shape[1])
    ]
    apart = [[len(a ^ b) / max(1, len(a | b)) for b in taken_for_one] for a in taken_for_one]
    return [sum(row) / max(1, len(row) - 1) for row in apart]


partitions = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.int32, shape, elements=st.integers(0, 4))
)


@given(partitions)
def test_disagreements_are_those_of_the_pairs(joint: np.ndarray) -> None:
    assert disagreements(joint).tolist() == pytest.approx(by_definition(joint))


@given(partitions, st.data())
def test_who_has_more_than_half_wins(joint: np.ndarray, data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, joint.shape[1] - 1))
    believed = np.repeat(joint[:, [seed]], joint.shape[1], axis=1)
    against = disagreements(np.concatenate([joint, believed], axis=1))
    assert against[seed] == pytest.approx(against.min())


@pytest.mark.parametrize("seed", range(3))
def test_joint_states_are_where_the_graphs_are_in_each_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graphs = [RIGHT]
    for _ in range(4):
        graphs.append(split(graphs[int(rng.integers(len(graphs)))], int(rng.integers(1000))))
    met = {}
    for i in range(len(TRACES)):
        at = [0] * len(graphs)
        for x in TRACES[i].x:
            met[tuple(at)] = True
            at = [int(graph.next[c, x]) for graph, c in zip(graphs, at, strict=True)]
    assert joint_states(graphs, TRACES).tolist() == [list(states) for states in met]


def test_seeds_that_found_the_same_disagree_on_nothing() -> None:
    against = disagreements(joint_states([RIGHT] * 3, TRACES))
    assert against.tolist() == [0, 0, 0]


def test_two_seeds_decide_nothing() -> None:
    one, two = disagreements(joint_states([RIGHT, split(RIGHT, 5)], TRACES))
    assert one == two > 0


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        ([0.0, 0.0, 0.0], "all 3 polished seeds found the same machine"),
        ([0.5, 0.5, 0.5], "a vote of 3 seeds decides nothing: each is 0.50 apart from the others"),
        (
            [0.5, 0.25, 0.25],
            "a vote of 3 seeds: seeds 5, 6 are nearest to the others, 0.25 apart; the farthest 0.50",
        ),
        (
            [1.0, 0.5, 0.75],
            "a vote of 3 seeds: seed 5 is nearest to the others, 0.50 apart; the farthest 1.00",
        ),
    ],
)
def test_what_is_said_of_a_vote(apart: list[float], said: str) -> None:
    assert sentence([4, 5, 6], apart) == said


def test_fewest_learnt_states_do_not_outvote_the_majority() -> None:
    finer = split(RIGHT, 5)
    graphs = [RIGHT, finer, split(finer, 9), split(finer, 11), split(finer, 14)]
    outcomes = [outcome(seed, graph) for seed, graph in enumerate(graphs)]
    told: list[str] = []
    voted = ranked(outcomes, TRACES, told.append)
    assert [o.states for o in outcomes] == [12, 13, 14, 14, 14]
    assert voted[0].seed == 1
    assert told[0].startswith("a vote of 5 seeds: seed 1 is nearest to the others")
    in_order = sorted(voted, key=lambda o: o.seed)
    assert [o.as_json()["disagreement"] for o in in_order] == disagreements(
        joint_states(graphs, TRACES)
    ).tolist()


def test_of_few_seeds_the_one_with_the_fewest_learnt_states_is_kept() -> None:
    finer = split(RIGHT, 5)
    outcomes = [outcome(seed, graph) for seed, graph in enumerate([split(finer, 9), finer, finer, RIGHT])]
    told: list[str] = []
    few, twins = ranked(outcomes[::3], TRACES, told.append), ranked(outcomes, TRACES, told.append)
    assert (few[0].seed, twins[0].seed) == (3, 1), "unless two found the same machine"
    assert not any("vote" in words for words in told)
    assert [o.disagreement for o in few] == [None, None]


def outcome(seed: int, graph: StateGraph) -> Outcome:
    theta = solved(graph)
    weights = weights_from_flat(theta, graph.weights)
    return Outcome(seed, weights, weights, 1e-9, Polished(theta, graph))
