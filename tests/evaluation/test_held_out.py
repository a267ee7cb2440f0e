"""Judging what was learnt of a machine: wrong models are found out, and thin evidence is called so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from three_lengths import THREE

from dfst.evaluation.evaluate import evaluate
from dfst.evaluation.report import Measurement
from dfst.machines.agent import Agent
from dfst.machines.formats import parse_machine
from dfst.machines.rejections import with_rejections
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.problems.machine import machine_problem
from dfst.traces.inputs import Choice, language_of_machine, lesson_of_machine

EVEN = """
blank: ' '
start state: even
table:
  even:
    1: {R: odd}
    ' ': {R: accept}
  odd:
    1: {R: even}
  accept:
"""


@pytest.fixture(scope="module")
def three() -> Agent:
    return with_rejections(parse_machine(THREE, name="three"))


def report(machine: Agent, model: Agent, pattern: str | None, shown: tuple[str, ...]) -> Measurement:
    problem = machine_problem(machine, inputs=shown, language=pattern, max_steps=300)
    [found] = evaluate(Rollout(compile_agent(model)), problem, seed=2).measurements
    return found


@pytest.fixture(scope="module")
def shown(three) -> tuple[str, ...]:
    return lesson_of_machine(three, language_of_machine(three), Choice(longest=8)).inputs


def test_the_machine_itself_is_right(three, shown):
    found = report(three, three, None, shown)
    assert found.right
    assert found.inputs >= 200
    assert not found.few
    assert found.unmet == found.unshown == ()
    assert "held-out inputs of up to" in found.scope()
    assert found.doubt() is None


def counting(machine: Agent, state: str, symbol: str, most: int) -> Agent:
    """The machine, but for a walk that it gives up after so many rounds, as a model does that counts."""
    q, x = machine.states.index(state), machine.alphabet.index(symbol)
    names = (*machine.states, *(f"{state} {n}" for n in range(1, most)))
    rows = {name: np.vstack([getattr(machine, name)] + [getattr(machine, name)[q]] * (most - 1)).copy()
            for name in ("write", "motion", "next")}  # fmt: skip
    chain = [q, *range(len(machine.states), len(names))]
    for here, there in zip(chain, [*chain[1:], len(machine.states) - 1], strict=True):
        rows["next"][here, x] = there
    return replace(machine, states=names, ends=(), end=None, **rows)


@pytest.mark.parametrize(("state", "symbol"), [("to b", "a"), ("home", "x"), ("to c", "b"), ("next", "x")])
def test_a_model_that_counts_is_found_out(three, shown, state, symbol):
    """It is right on every short input, and nearly every string drawn at random is rejected at once (U1)."""
    wrong = counting(three, state, symbol, most=12)
    assert all(run.difference is None for run in Rollout(compile_agent(wrong)).run_each(
        language_of_machine(three).shortest(1_000), against=three))  # fmt: skip
    found = report(three, wrong, None, shown)
    assert not found.right
    assert found.failures


def test_a_rule_that_was_not_shown_is_no_evidence(three):
    found = report(three, three, None, ("aabb", "ab", "a", ""))
    assert not found.failures
    assert not found.right
    assert "(to c, c)" in [rule for rule, _ in found.unshown]
    assert "never shown, but met on" in found.doubt()
    assert "raise samples" in found.doubt()


def test_rules_that_no_input_meets_are_named(three):
    found = report(three, three, "a*", ("", "a", "aa"))
    assert found.right
    assert "(to c, c)" in found.unmet
    assert "met on none of them" in found.scope()


def test_few_inputs_are_called_few():
    even = with_rejections(parse_machine(EVEN))
    found = report(even, even, "1{0,9}", ("", "1", "11", "111"))
    assert (found.right, found.few, found.inputs) == (True, True, 6)
    assert "all that 1{0,9} has" in found.scope()
    found = report(even, even, "1?", ("", "1"))
    assert (found.right, found.inputs) == (True, 0)
    assert "every input there is" in found.scope()
    found = report(even, even, "1", ("", "1", "11"))
    assert (found.right, found.inputs, found.steps) == (True, 0, 3), "nothing outside the language is asked"
    found = report(even, even, "()", ("",))
    assert "its one input, the blank tape" in found.scope()


def test_runs_that_go_on_are_not_told_as_whole_ones():
    """It said all steps of every input, of machines that never halt."""
    goes_on = with_rejections(
        parse_machine(EVEN.replace("    1: {R: even}\n", "    1: {R: even}\n    ' ': R\n"))
    )
    found = report(goes_on, goes_on, "1{0,9}", ("", "1", "11", "111"))
    assert (found.right, found.inputs, found.endless) == (True, 6, 3)
    assert found.scope().endswith("all that 1{0,9} has, 3 of which had not ended after 100,000 steps")
    found = report(goes_on, goes_on, "1(11){0,3}", ("1", "111"))
    assert "all that 1(11){0,3} has, which had not ended after 100,000 steps; " in found.scope()
    found = report(goes_on, goes_on, "1?", ("", "1"))
    assert "every input there is, 1 of which had not ended after 100,000 steps; " in found.scope()


def test_rejections_are_judged():
    even = with_rejections(parse_machine(EVEN))
    lenient = parse_machine(EVEN.replace("    1: {R: even}\n", "    1: {R: even}\n    ' ': {R: accept}\n"))
    found = report(even, with_rejections(lenient), None, ("", "1", "11"))
    assert not found.right
    assert "expected λ N, found λ S" in found.failures[0].reason
