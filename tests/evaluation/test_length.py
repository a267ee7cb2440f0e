"""PLG and RLG as the paper defines them, and how far a model goes."""

import time
from dataclasses import replace
from itertools import chain, repeat

import numpy as np
import pytest

from dfst.agents import expert
from dfst.agents.task import find_task
from dfst.errors import InputError
from dfst.evaluation.cases import hard_cases, random_cases, repeated_cases
from dfst.evaluation.length import evaluate, failure_of
from dfst.evaluation.search import search
from dfst.model import compile_agent
from dfst.rollout.compiled import Rollout
from dfst.world.grid import S
from dfst.world.unit import ControlUnit, hold_against


@pytest.mark.parametrize("name", ["add2", "add10", "mult10", "sort10"])
def test_the_inputs_asked_are_the_papers(name):
    task = find_task(name)
    asked = random_cases(task, 30, seed=4)
    assert len(asked) == 10
    assert all(len(o) == 30 for case in asked[:5] for o in case.operands)
    assert all(1 <= len(o) <= 30 for case in asked[5:] for o in case.operands)
    repeated = repeated_cases(task, 30)
    assert len({c.operands for c in repeated}) == task.radix**task.operand_count
    assert all(len(o) == 30 and len(set(o)) == 1 for c in repeated for o in c.operands)
    assert random_cases(task, 30, 4) == asked
    assert random_cases(task, 30, 5) != asked


@pytest.mark.parametrize("digits", [1, 2, 7])
@pytest.mark.parametrize("name", ["add2", "mult10", "increment10"])
def test_hard_cases_are_valid_inputs(name, digits):
    task = find_task(name)
    for case in hard_cases(task, digits):
        assert task.parse(task.write(case.operands)) == case.operands


@pytest.mark.parametrize("name", ["add10", "mult2", "sub10", "sort2"])
def test_a_compiled_expert_is_right(name):
    agent = expert(name)
    report = evaluate(Rollout(compile_agent(agent)), name, agent, 12)
    assert report.plg
    assert report.rlg
    assert not report.failures
    assert report.margin == 1.0
    assert report.steps > 0


def broken_on_sevens():
    """An adder that cannot carry into a seven: random sums mostly pass, repeated sevens do not."""
    agent = expert("add10")
    weights = compile_agent(agent)
    C = weights.C.copy()
    C[7, :, agent.states.index("carry")] = [0, 0, 0, 1, 0]
    return agent, replace(weights, C=C)


def test_failures_are_reported_with_their_first_step():
    agent, weights = broken_on_sevens()
    report = evaluate(Rollout(weights), "broken", agent, 3)
    assert not report.rlg
    failure = next(f for f in report.failures if f.kind == "repeated digits")
    assert "differs from the expert at step" in failure.reason
    assert failure.step > 0
    assert report.as_json()["failures"]


def test_a_report_does_not_depend_on_the_order_of_the_runs():
    agent, weights = broken_on_sevens()
    report = evaluate(Rollout(weights), "broken", agent, 3, seed=2)
    cases = random_cases(agent.task, 3, 2) + repeated_cases(agent.task, 3) + hard_cases(agent.task, 3)
    runs = [hold_against(weights, agent, agent.task.write(case.operands)) for case in cases]
    failures = [failure_of(case, agent.task, run) for case, run in zip(cases, runs, strict=True)]
    assert report.failures == [failure for failure in failures if failure]
    assert len(report.failures) > 5
    assert report.plg == (not any(failures[:10]))
    assert (report.inputs, report.steps) == (len(cases), sum(run.steps for run in runs))
    assert report.margin == min(run.margin for run in runs)
    assert report.hard_failures == sum(failure is not None for failure in failures[110:])


def test_the_first_failure_in_order_is_the_last_run_asked_for():
    agent, weights = broken_on_sevens()
    report = evaluate(Rollout(weights), "broken", agent, 3, seed=2, stop_early=True)
    everything = evaluate(Rollout(weights), "broken", agent, 3, seed=2)
    assert report.failures == everything.failures[:1]
    assert report.inputs < everything.inputs
    assert report.plg == everything.plg


def test_search_finds_the_largest_length_that_holds():
    agent, weights = broken_on_sevens()
    assert search(Rollout(weights), "broken", agent, seconds=30).rlg <= 1
    found = search(Rollout(compile_agent(agent)), "right", agent, seconds=30, limit=40)
    assert (found.rlg, found.stopped_by) == (40, "limit")


def test_what_the_first_run_compiles_is_not_taken_from_the_budget(monkeypatch):
    agent, clock = expert("increment2"), [0.0]
    costs = chain([100.0], repeat(0.01))

    class Slow(Rollout):
        def run_each(self, *arguments):
            clock[0] += next(costs)
            return super().run_each(*arguments)

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    found = search(Slow(compile_agent(agent)), "slow at first", agent, seconds=10, limit=20)
    assert (found.rlg, found.stopped_by) == (20, "limit")


def test_a_model_that_forgets_after_a_while_is_found_out():
    agent = expert("add2")
    weights = compile_agent(agent, dtype=np.float64)
    leaky = replace(weights, A=weights.A * 0.99)
    found = search(
        Rollout(replace(leaky, B=leaky.B + 1e-9 * np.arange(4)[None, ::-1, None])), "leaky", agent, 30
    )
    assert found.rlg > 0
    assert found.stopped_by in ("failure", "budget")


@pytest.mark.parametrize("digits", [0, -3])
def test_no_digits_is_bad_input(digits):
    with pytest.raises(InputError, match="digits must be at least 1"):
        evaluate(Rollout(compile_agent(expert("add2"))), "x", expert("add2"), digits)


def test_a_control_unit_of_ones_own_is_evaluated_as_it_is():
    agent = expert("add2")

    class Forgetful(ControlUnit):
        """The expert, until it has read too much."""

        name, alphabet, blank, encode = "forgetful", agent.alphabet, agent.blank, agent.encode

        def reset(self):
            self.left = 120
            agent.reset()

        def step(self, symbol):
            self.left -= 1
            written, motion = agent.step(symbol)
            return (written, motion) if self.left > 0 else (written, S)

    assert evaluate(Forgetful(), "forgetful", agent, 2).rlg
    report = evaluate(Forgetful(), "forgetful", agent, 12)
    assert not report.rlg
    assert {failure.step for failure in report.failures} == {119}
