"""The coordinates in which errors beside learnt states are counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evidence import slow
from forging import at, forged, put
from machine_zoo import rebased, with_room

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import to_bytes as weights_bytes
from dfst.problems import find_problem
from dfst.proof import Rejected, prove
from dfst.proof.checker import check
from dfst.proof.measure import Measure, shrinking, states_as_basis
from dfst.states.explore import random_inputs
from dfst.train.choose import prove_seeds
from dfst.train.learnt import Outcome


def roomy(name: str):
    rng = np.random.default_rng(3)
    return rebased(with_room(compile_agent(expert(name)), 0), rng).astype(np.float32)


@pytest.fixture(scope="module", params=["cycle", *slow("parity", "even_pairs")])
def proved(request):
    weights = roomy(request.param)
    return request.param, weights, prove(weights, expert(request.param))


def one_block(proof):
    """The same learnt states as a basis of all, as for a model without room."""
    to, back = states_as_basis(at(proof, "weights", "hidden"))
    d = len(to)
    for name, part in (("to", to), ("back", back), ("blocks", np.zeros((d, 1), np.int32))):
        put(proof, ("weights", "measure", name), part)


def test_what_fades_does_not_add_up(proved):
    _, weights, verdict = proved
    assert verdict.strength == "bounded"
    together = check(forged(verdict.proof, one_block), weights_bytes(weights))
    assert verdict.length > 10 * (together["length"] or 1)


def test_runs_as_long_as_proved_are_right(proved):
    name, weights, verdict = proved
    agent = expert(name)
    for text in random_inputs(agent.task, np.random.default_rng(100), 3, min(verdict.length, 2_000)):
        assert Rollout(weights).run(text, against=agent).difference is None


def moved_start(proof):
    hidden = at(proof, "weights", "hidden")
    hidden[0] *= 1.5
    put(proof, ("weights", "hidden"), hidden)


def blocks(change):
    return lambda p: put(p, ("weights", "measure", "blocks"), change(at(p, "weights", "measure", "blocks")))


FORGERIES = {
    "a start far from h0": moved_start,
    "a block below zero": blocks(lambda b: b - 1),
    "a hundred blocks": blocks(lambda b: b + 100),
    "too few": blocks(lambda b: b[:-1]),
    "none": blocks(lambda b: b[:0]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_refuses_forgeries(proved, forgery):
    _, weights, verdict = proved
    with pytest.raises(Rejected):
        check(forged(verdict.proof, FORGERIES[forgery]), weights_bytes(weights))


@pytest.mark.parametrize("seed", range(8))
def test_no_choice_of_blocks_covers_a_model_that_errs(proved, seed):
    """Whatever the blocks: weights that are changed such that they err are not covered beyond their error."""
    name, weights, verdict = proved
    rng, agent = np.random.default_rng(seed), expert(name)
    A = weights.A + (0.01 * rng.normal(size=weights.A.shape)).astype(np.float32)
    worse = replace(weights, A=A)
    d = len(weights.h0)
    chosen = rng.integers(0, 3, size=(d, 1)).astype(np.int32)
    try:
        shown = check(forged(verdict.proof, blocks(lambda b: chosen), worse), weights_bytes(worse))
    except Rejected:
        return
    for text in random_inputs(agent.task, rng, 20, 60):
        run = Rollout(worse).run(text, against=agent)
        assert run.difference is None or run.difference.step > shown["steps"] - 1


def test_a_basis_in_which_maps_shrink_is_found():
    turn = 0.9 * np.array([[0.0, 4.0], [-0.25, 0.0]])  # of norm 3.6, and of spectral radius 0.9
    P = shrinking(np.array([turn, 0.5 * np.eye(2)]), np.random.default_rng(0))
    assert np.abs(P @ turn @ np.linalg.inv(P)).sum(axis=0).max() < 1


def test_a_measure_that_is_none_covers_nothing(proved):
    from dfst.proof.floats import read_weights
    from dfst.states.extract import extract

    _, weights, _ = proved
    d = len(weights.h0)
    nothing = Measure(np.zeros((1, d)), np.zeros((d, d)), np.zeros((d, d)), np.zeros(d, np.int32))
    assert nothing.steps(read_weights(weights_bytes(weights)), extract(weights).graph) == 0


@pytest.mark.parametrize("stable", [False, True])
def test_learning_asks_about_weights_as_descent_left_them(stable):
    """About the best alone, where the stability penalty held loops still: else nothing comes back."""
    raw, told = roomy("cycle"), list[str]()
    outcomes = [Outcome(seed, raw, raw, 1e-14) for seed in (4, 2)]
    best, other = prove_seeds(find_problem("cycle"), outcomes, told.append, stable=stable)
    assert other.verdict is None
    if stable:
        assert (best.seed, best.strength, told[0]) == (4, "bounded", "proving seed 4 on all inputs …")
        assert best.verdict.length > 1_000
    else:
        assert (best.verdict, told) == (None, ["0 of 2 seeds proved"])
