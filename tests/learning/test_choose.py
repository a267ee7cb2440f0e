"""Which seed is kept: validation heeds no busy machine, and without it nothing longer is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.agents import expert
from dfst.learning import choose as choosing
from dfst.learning import finish, validation
from dfst.learning.choose import choose
from dfst.learning.finish import finish_seeds
from dfst.learning.outcome import Outcome
from dfst.learning.plan import make_plan
from dfst.learning.state import initial_state
from dfst.learning.validation import FAR_ENOUGH, Validation, validate
from dfst.model import compile_agent
from dfst.proof import prove


@pytest.mark.parametrize("task", ["add2", "add10", "mult2"])
def test_an_exact_model_passes_however_little_time_there_is(task: str) -> None:
    agent = expert(task)
    found = validate(compile_agent(agent), agent, [], seconds=1e-9)
    assert found == Validation(FAR_ENOUGH, "budget")
    assert found.passed


def test_a_model_that_is_wrong_at_every_length_fails() -> None:
    agent = expert("add2")
    exact = compile_agent(agent)
    silent = replace(exact, A=exact.A, B=0 * exact.B, C=exact.C)
    assert validate(silent, agent, [], seconds=60.0) == Validation(0, "failure")


def test_a_validated_seed_ranks_before_a_smaller_loss() -> None:
    weights = compile_agent(expert("add2"))
    far = Outcome(0, weights, weights, 1e-3, validation=Validation(100, "limit"))
    near = Outcome(1, weights, weights, 1e-9, validation=Validation(5, "failure"))
    diverged = Outcome(2, weights, weights, np.nan, validation=Validation(5, "failure"))
    assert sorted([diverged, near, far], key=Outcome.rank) == [diverged, near, far]
    assert [o.strength for o in (far, near)] == ["tested", "refuted"]


def test_without_validation_nothing_longer_is_shown_and_the_proof_still_chooses(monkeypatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("the expert was shown a longer input")

    monkeypatch.setattr(validation, "search", refuse)
    for name in ("longer_inputs", "validation_traces"):
        monkeypatch.setattr(finish, name, refuse)
    agent = expert("add2")
    plan = make_plan(agent, validate=False, seeds=2)
    traces = plan.traces()
    exact = compile_agent(agent, dtype=np.float64).flat()
    state = initial_state(plan.shape(traces), plan.seeds, np.float64, [np.zeros_like(exact), exact])
    outcomes = finish_seeds(plan, traces, state, [1e-9, 1e-8], lambda text: None)
    assert [outcome.validation for outcome in outcomes] == [None, None]
    chosen, asked = choose(plan, traces, outcomes, False, lambda text: None)
    assert (chosen.seed, chosen.states, chosen.strength) == (1, 12, "proved")
    assert [outcome.seed for outcome in asked] == [0, 1]


def test_seeds_with_the_same_numbers_are_proved_once(monkeypatch) -> None:
    agent = expert("add2")
    plan = make_plan(agent, seeds=3)
    traces, exact = plan.traces(), compile_agent(agent, dtype=np.float64).flat()
    state = initial_state(plan.shape(traces), plan.seeds, np.float64, [exact, np.zeros_like(exact), exact])
    outcomes = finish_seeds(plan, traces, state, [1e-8, 1e-9, 1e-7], lambda text: None)
    proofs, told = [], []
    monkeypatch.setattr(
        choosing, "prove", lambda *given, **more: proofs.append(given) or prove(*given, **more)
    )
    chosen, asked = choose(plan, traces, outcomes, True, told.append)
    assert len(proofs) == 1
    assert (chosen.seed, [outcome.strength for outcome in asked]) == (0, ["proved", "tested", "proved"])
    assert "seed 2 has the parameters of seed 0, to the bit" in told
