"""Statements and their strength: what is proved, what is refuted, and what stays open."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from dfst.proof.rounding import covered_steps, growth_of_errors
from machine_zoo import model_with_memory, rebased, with_memory

from dfst.agents import MISSING, expert
from dfst.errors import InputError
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import prove, verify
from dfst.proof.certificate import to_bytes
from dfst.proof.inputs import TaskInputs
from dfst.proof.language import language_of
from dfst.proof.refute import differs, shrink
from dfst.states import extract
from dfst.states.inputs import by_length, random_inputs


@pytest.mark.parametrize("name", ["add2", "add3", "add10", "mult2", "sort3", "increment10"])
def test_compiled_experts_are_proved_to_the_bit(name):
    agent = expert(name)
    weights = compile_agent(agent)
    verdict = prove(weights, agent)
    assert verdict.strength == "proved"
    assert verdict.steps == {"float32": np.inf}
    verify(to_bytes(verdict.proof), agent, language_of(agent), weights_bytes(weights))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["add16", "mult3", "mult10", "mult16"])
def test_larger_compiled_experts_are_proved_to_the_bit(name):
    agent = expert(name)
    weights = compile_agent(agent)
    verdict = prove(weights, agent)
    assert verdict.strength == "proved"
    verify(to_bytes(verdict.proof), agent, language_of(agent), weights_bytes(weights))


@pytest.mark.parametrize("name", ["add2", "mult2"])
def test_a_model_with_more_contexts_than_states_is_proved(name):
    agent = expert(name)
    inputs = random_inputs(agent.task, np.random.default_rng(0), 300, 5)
    weights = model_with_memory(agent, inputs, 1, np.random.default_rng(1))
    verdict = prove(weights, agent)
    assert verdict.strength == "proved"
    assert verdict.states > len(agent.states)
    assert 0 < verdict.steps["float32"] < verdict.steps["float64"] <= verdict.steps["exact"]
    verify(to_bytes(verdict.proof), agent, language_of(agent), weights_bytes(weights))


def test_edges_that_exploration_missed_are_asked_of_the_weights():
    agent = expert("add10")
    weights = compile_agent(agent, dtype=np.float64)
    few = extract(weights, inputs=random_inputs(agent.task, np.random.default_rng(0), 40, 4))
    assert few.graph.edges < agent.rule_count
    verdict = prove(few, agent)
    assert verdict.strength == "proved"


def test_an_extracted_machine_is_proved_though_its_states_are_merged():
    agent = expert("mult2")
    machine = extract(compile_agent(agent)).machine
    assert len(machine.states) < len(agent.states)  # states the runs do not tell apart
    assert prove(machine, agent).strength == "proved"


def broken(agent, state, symbol, write):
    table = agent.write.copy()
    q, x = agent.states.index(state), agent.alphabet.index(symbol)
    table[q, x] = agent.alphabet.index(write)
    return replace(agent, name="broken", write=table)


@pytest.mark.parametrize("kind", ["machine", "model"])
def test_a_wrong_rule_is_refuted_by_the_shortest_input(kind):
    agent = expert("add2")
    machine = broken(agent, "carry", "1", "1")  # a carry that does not ripple
    subject = machine if kind == "machine" else compile_agent(machine)
    verdict = prove(subject, agent)
    assert verdict.strength == "refuted"
    assert verdict.counterexample.shortest
    text = verdict.counterexample.input
    assert subject.run(text).answer != agent.run(text).answer
    right = differs(machine, agent, 10_000)
    shorter = [t for t in by_short(agent) if len(t) < len(text)]
    assert shorter
    assert all(right(t) is None for t in shorter)
    assert json.dumps(verdict.as_json())
    assert text in verdict.sentence()


def by_short(agent):
    for text in by_length(agent.task):
        if len(text) > 5:
            return
        yield text


def test_counterexamples_are_cut_down():
    agent = expert("add2")
    fails = differs(broken(agent, "carry", "1", "1"), agent, 10_000)
    found = shrink("0110101111+0000101011", fails, TaskInputs(agent.task))
    assert fails(found.input)
    assert len(found.input) < 8
    with pytest.raises(InputError, match="no counterexample"):
        shrink("0+0", fails, TaskInputs(agent.task))


def test_what_cannot_be_excluded_stays_tested_with_a_path():
    agent = expert("sub2")  # that a negative difference is never all zeros is beyond these patterns
    verdict = prove(agent, agent)
    assert verdict.strength == "tested"
    assert verdict.equivalent is None
    assert verdict.path[-1] in (
        "no rule for (negate/negate, -)",
        "no rule for (trim_below_zero/trim_below_zero, λ)",
    )
    assert verdict.proof is None


@pytest.mark.parametrize(
    ("noise", "strength"), [(1e-2, "refuted"), (1e-3, "tested"), (1e-6, "closed"), (0, "proved")]
)
def test_a_model_is_proved_only_if_its_hidden_states_repeat_up_to_rounding(noise, strength):
    agent = expert("add2")
    weights = rebased(compile_agent(agent), np.random.default_rng(0))
    rng = np.random.default_rng(2)
    shaken = replace(weights, A=weights.A + noise * rng.normal(size=weights.A.shape))
    verdict = prove(shaken, agent)
    assert verdict.strength == strength
    assert (verdict.proof is not None) == (strength == "proved")


def test_missing_rules_of_a_partial_machine_are_no_agreement():
    agent = expert("add2")
    machine = with_memory(agent, ["1+1"], 1)
    assert (machine.next == MISSING).any()
    assert prove(machine, agent).strength == "refuted"


def test_covered_steps_are_never_more_than_a_run_takes_to_fail():
    """A model that loses a hundredth of its hidden state at each step fails after about 70 of them."""
    stacked = np.zeros((1, 1 + 2 + 1, 1))
    stacked[0, :, 0] = [1.01, 1.0, 0.0, 0.0]
    stacked[0, 2, 0] = 0.5
    hidden, edges = np.array([[1.0]]), {(0, 0): 0}
    steps = covered_steps(stacked, hidden, edges, symbols=2)
    assert growth_of_errors(stacked[:, :1], 1, edges)[2] == pytest.approx(1.01**2)
    h, taken = 1.0, 0
    # The context says h = 1; scores are 1·h and 0.5·h, so an error of the size of h itself would be needed.
    while abs(h - 1.0) < 1.0:
        h, taken = 1.01 * h, taken + 1
    assert 0 < steps["float64"] <= taken


def test_sharper_arithmetic_covers_more():
    agent = expert("add2")
    weights = rebased(compile_agent(agent), np.random.default_rng(0))
    verdict = prove(weights, agent)
    assert verdict.steps["exact"] >= verdict.steps["float64"] > 2 * verdict.steps["float32"] > 0
