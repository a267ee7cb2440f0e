"""Models on the plane are held against their expert by pairs of states, whatever they read."""

from dataclasses import replace

import numpy as np
import pytest

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof import prove
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check, sentence
from dfst.proof.reading import Rejected
from dfst.tasks.plane_tasks import PLANE_TASKS


@pytest.mark.parametrize("name", PLANE_TASKS)
def test_a_model_with_its_experts_states_does_what_it_does_as_long_as_that_has_a_rule(name):
    weights, agent = compile_agent(expert(name)), expert(name)
    verdict = prove(weights, agent)
    assert verdict.strength == "conditional"
    assert verdict.proof is not None
    shown = check(to_bytes(verdict.proof), weights_to_bytes(weights))
    assert "as long as that has a rule" in sentence(shown)
    assert f"{len(agent.states)} pairs of states that can meet, whatever is read" in verdict.checked


def test_one_rule_that_differs_is_found():
    agent = expert("flood")
    write = agent.write.copy()
    q, x = agent.states.index("clean"), agent.alphabet.index("@")
    write[q, x] = agent.alphabet.index(".")
    wrong = compile_agent(replace(agent, write=write))
    verdict = prove(wrong, agent)
    assert verdict.strength == "refuted"
    proof = prove(compile_agent(agent), agent).proof
    with pytest.raises(Rejected):
        check(to_bytes(proof), weights_to_bytes(wrong))


def test_a_rule_that_no_board_needs_but_the_expert_has_must_still_be_the_same():
    """What is read on a board is not foreseen, so every rule of the expert is asked of the model."""
    agent = expert("flood")
    more = agent.next.copy()
    more[agent.states.index("foot"), agent.alphabet.index("#")] = 0
    verdict = prove(compile_agent(agent).astype(np.float64), replace(agent, next=more))
    assert verdict.strength == "tested"
    assert "does not act alike on every symbol" in verdict.checked
