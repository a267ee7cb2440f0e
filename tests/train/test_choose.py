"""Which seed is kept: nothing longer than the training set has a say, and the prover is asked once."""

from __future__ import annotations

import numpy as np

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.problems.problem import prove_problem
from dfst.train import choose as choosing
from dfst.train.choose import prove_seeds, ranked
from dfst.train.finish import finish_seeds
from dfst.train.learnt import Outcome
from dfst.train.prepare import Prepared
from dfst.train.settings import configure
from dfst.train.state import initial_state


def silent(text: str) -> None:
    """Nobody listens."""


def test_fewer_learnt_states_and_then_a_smaller_loss_are_better() -> None:
    weights = compile_agent(expert("add2"))
    near, far, diverged = (
        Outcome(seed, weights, weights, loss) for seed, loss in enumerate((1e-9, 1e-3, np.nan))
    )
    assert sorted([diverged, near, far], key=Outcome.rank) == [diverged, far, near]


def test_without_a_polish_the_smallest_loss_is_chosen() -> None:
    exact, zero = compile_agent(expert("add2")), compile_agent(expert("add2"))
    outcomes = [Outcome(0, exact, exact, 1e-3), Outcome(1, zero, zero, 1e-6)]
    traces = configure("add2").problem.training_set().traces
    assert [outcome.seed for outcome in ranked(outcomes, traces, silent)] == [1, 0]


def test_seeds_with_the_same_numbers_are_proved_once(monkeypatch) -> None:
    plan = configure("parity", seeds=3)
    traces = plan.problem.training_set().traces
    exact = compile_agent(expert("parity"), d=plan.shape(traces).d, dtype=np.float64).flat()
    start = [exact, np.zeros_like(exact), exact]
    state = initial_state(plan.shape(traces), plan.recipe.seed_numbers, np.float64, start)
    run = Prepared(plan, None, "cpu", traces, None, state, [], None, ())
    state.losses[:] = 1e-8, 1e-9, 1e-7
    outcomes = finish_seeds(run, silent)
    proofs, told = [], []

    def counting(*given):
        proofs.append(given)
        return prove_problem(*given)

    monkeypatch.setattr(choosing, "prove_problem", counting)
    found = prove_seeds(plan.problem, ranked(outcomes, traces, silent), told.append)
    assert len(proofs) == 1
    assert [(o.seed, o.strength) for o in found] == [(0, "proved"), (2, "proved"), (1, "tested")]
    assert "seed 2 has the parameters of seed 0, to the bit" in told
    assert told[-1] == "2 of 3 seeds proved"
