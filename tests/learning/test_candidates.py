"""What validation chooses must not hang on how busy the machine is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dfst.agents import expert
from dfst.learning.candidates import FAR_ENOUGH, Candidate, _validate
from dfst.model import compile_agent


@pytest.mark.parametrize("task", ["add2", "add10", "mult2"])
def test_an_exact_model_is_unbeaten_however_little_time_there_is(task: str) -> None:
    agent = expert(task)
    weights = compile_agent(agent)
    candidate = Candidate(0, weights, 0.0, *_validate(weights, agent, [], seconds=1e-9), polished=None)
    assert (candidate.rlg, candidate.stopped_by) == (FAR_ENOUGH, "budget")
    assert candidate.unbeaten


def test_a_model_that_is_wrong_at_every_length_is_beaten() -> None:
    agent = expert("add2")
    exact = compile_agent(agent)
    silent = replace(exact, A=exact.A, B=0 * exact.B, C=exact.C)
    assert _validate(silent, agent, [], seconds=60.0) == (0, "failure")
