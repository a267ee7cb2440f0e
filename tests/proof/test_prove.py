"""Statements and their strength: what is proved, what is refuted, and what stays open."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from evidence import slow
from machine_zoo import model_with_memory, rebased, with_memory

from dfst.errors import InputError
from dfst.experts import expert
from dfst.languages import parse
from dfst.machines import HALT, MISSING
from dfst.machines.rulebook import RuleBook
from dfst.model import compile_agent
from dfst.model.weights import Provenance
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import prove, verify
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check
from dfst.proof.inputs import RegularInputs, TaskInputs
from dfst.proof.language import task_language
from dfst.proof.reading import PATIENT
from dfst.proof.refute import differs, refute_by_sweeps, shrink
from dfst.states import extract
from dfst.states.explore import by_length, random_inputs
from dfst.world.grid import BLANK, L, R


@pytest.mark.parametrize(
    "name",
    [
        *("add2", "sort3", "increment10", "sub2"),
        *slow("mult2", "add3", "add10", "add16", "mult3", "mult10", "mult16", "sub3", "compare3"),
    ],
)
def test_compiled_experts_are_proved_to_the_bit(name):
    agent = expert(name)
    weights = compile_agent(agent)
    verdict = prove(weights, agent)
    assert verdict.strength == "proved"
    assert verdict.steps is None
    assert verdict.arithmetic == "in float32 and float64 as it runs, to the bit"
    verify(to_bytes(verdict.proof), agent, task_language(agent.task), weights_bytes(weights), PATIENT)


@pytest.mark.parametrize("name", ["parity", *slow("sort2", "add2", "compare2")])
def test_a_model_with_more_learnt_states_than_the_expert_is_bounded(name):
    agent = expert(name)
    inputs = random_inputs(agent.task, np.random.default_rng(0), 300, 5)
    weights = model_with_memory(agent, inputs, 1, np.random.default_rng(1))
    verdict = prove(weights, agent)
    assert verdict.strength == "bounded"
    assert verdict.equivalent is None
    assert verdict.states > len(agent.states)
    assert prove(weights.astype(np.float32), agent).steps < verdict.steps
    verify(to_bytes(verdict.proof), agent, task_language(agent.task), weights_bytes(weights), PATIENT)


@pytest.mark.slow
def test_a_multiplier_that_remembers_the_symbol_read_last_is_proved():
    """What a sweep left along its row has to be remembered: zeros, then the ones that it wrote."""
    agent = expert("mult2")
    inputs = [
        *islice(by_length(agent.task), 400),
        *random_inputs(agent.task, np.random.default_rng(0), 600, 7),
    ]
    weights = compile_agent(with_memory(agent, inputs, 1))
    assert len(weights.h0) > 2 * len(agent.states)
    assert prove(weights, agent).strength == "proved"


def test_edges_that_exploration_missed_are_asked_of_the_weights():
    agent = expert("add10")
    weights = compile_agent(agent, dtype=np.float64)
    few = extract(weights, inputs=random_inputs(agent.task, np.random.default_rng(0), 40, 4))
    assert few.graph.edges < agent.rule_count
    verdict = prove(few, agent)
    assert verdict.strength == "proved"


def test_an_extracted_machine_is_proved_though_its_states_are_merged():
    agent = expert("sub2")
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
    machine = broken(agent, "carry", "1", BLANK)  # a carry that wipes out what it should add to
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
    with pytest.raises(InputError, match="is not a counterexample"):
        shrink("0+0", fails, TaskInputs(agent.task))


@pytest.mark.parametrize("name", ["sub2", *slow("sub3", "compare2")])
def test_subtraction_is_proved(name):
    everywhere = np.where(expert(name).next == MISSING, HALT, expert(name).next).astype(np.int32)
    verdict = prove(replace(expert(name), next=everywhere), expert(name))
    assert verdict.strength == "proved"
    assert check(to_bytes(verdict.proof))["configurations"] > 1_000


def copies_and_counts(knows_more_c):
    """Writes a c for each a, then takes them off in pairs; whether it knows what to do with a c too many."""
    rules = RuleBook(("a", "c", "x", "d", "λ"))
    rules.on("copy", "a", R, write="x", to="out")
    rules.on("out", ("a", "c"), R)
    rules.on("out", "λ", L, write="c", to="back")
    rules.on("back", ("a", "c"), L)
    rules.on("back", "x", R, to="copy")
    rules.on("copy", "c", L, to="take")
    rules.on("take", "x", R, write="d", to="find")
    rules.on("find", "d", R)
    rules.on("find", "c", L, write="d", to="take")
    rules.on("take", "d", L)
    rules.on("take", "λ", R, to="check")
    rules.on("check", "d", R)
    rules.halt("check", "λ")
    if knows_more_c:
        rules.halt("check", "c")
    return rules.agent("counts")


def test_what_cannot_be_excluded_stays_tested_with_a_path():
    one, two = copies_and_counts(False), copies_and_counts(True)  # patterns cannot count
    inputs = RegularInputs(parse("a+", one.alphabet, one.blank), one)
    assert one.run("aaa").halted
    verdict = prove(two, one, inputs=inputs, most=3_000)
    assert verdict.strength == "tested"
    assert verdict.equivalent is None
    assert verdict.path[-1] == "no rule for (check/check, c)"
    assert verdict.proof is None


@pytest.mark.parametrize(
    ("noise", "strength"), [(1e-2, "refuted"), (1e-3, "tested"), (1e-6, "bounded"), (0, "bounded")]
)
def test_a_model_that_does_not_repeat_is_never_called_proved(noise, strength):
    agent = expert("add2")
    weights = rebased(compile_agent(agent), np.random.default_rng(0))
    rng = np.random.default_rng(2)
    shaken = replace(weights, A=weights.A + noise * rng.normal(size=weights.A.shape))
    verdict = prove(shaken, agent)
    assert verdict.strength == strength
    assert (verdict.proof is not None) == (strength == "bounded")
    if noise == 1e-6:
        assert 100 < verdict.steps < 1e6


def test_missing_rules_of_a_partial_machine_are_no_agreement():
    agent = expert("add2")
    machine = with_memory(agent, ["1+1"], 1)
    assert (machine.next == MISSING).any()
    assert prove(machine, agent).strength == "refuted"


def test_the_claim_can_be_quoted():
    agent = expert("add2")
    weights = replace(compile_agent(agent), name="add2", provenance=Provenance(samples=10_000))
    verdict = prove(weights, agent)
    assert verdict.claim() == (
        "add2 does exactly what its expert does on every input of any length, "
        "in float32 and float64 as it runs, to the bit; "
        "for all a and b (leading zeros allowed): it ends, and writes a+b"
    )
    assert verdict.sentence().startswith(f"proved: {verdict.claim()} (")
    told = verdict.as_json()
    assert told["claim"] == verdict.claim()
    assert list(told)[:8] == [
        "subject", "against", "equivalent", "strength", "states", "checked", "assumptions", "counterexample",
    ]  # fmt: skip
    assert (told["equivalent"], told["steps"], told["answer"], told["ends"]) == (True, None, "a+b", True)
    bounded = prove(rebased(weights, np.random.default_rng(0)), agent)
    assert f"in the first {bounded.steps:,} steps of its run on every input, in float64" in bounded.claim()


def test_another_machine_of_the_task_is_not_called_the_expert():
    agent = expert("sort2")
    other = replace(agent, name="other", states=tuple(reversed(agent.states)))
    assert "its expert" in prove(compile_agent(agent), other).claim()  # the same table under other names
    doubled = with_memory(agent, random_inputs(agent.task, np.random.default_rng(0), 300, 5), 1)
    assert "its expert" not in prove(compile_agent(agent), doubled).sentence()


def drifting(name):
    """Two states that loop over one symbol ask for two equal eigenvalues, which no descent finds."""
    weights = compile_agent(expert(name))
    A = weights.A.copy()
    A[0] += 1e-4 * np.random.default_rng(0).standard_normal(A[0].shape)
    return replace(weights, A=A)


@pytest.mark.parametrize("name", ["parity", *slow("add2")])
def test_a_loop_that_drifts_is_refuted_on_a_long_input(name):
    assert prove(drifting(name), expert(name)).strength != "refuted"
    verdict = prove(drifting(name), expert(name), sweeps=30_000)
    assert verdict.strength == "refuted"
    assert verdict.claim() is None
    long = verdict.counterexample
    assert "* " in long.written
    assert eval(long.written) == long.input
    assert long.what in verdict.sentence()
    assert prove(compile_agent(expert(name)), expert(name), sweeps=100).strength == "proved"


def test_a_long_input_of_two_operands_is_written_as_an_expression():
    agent = expert("add2")
    example = refute_by_sweeps(drifting("add2"), agent, agent.task, 30_000)
    assert "* " in example.written
    assert "+ '+' +" in example.written
    assert eval(example.written) == example.input
