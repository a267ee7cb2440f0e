"""PLG and RLG as the paper defines them, agreement with traces, and how far a model goes."""

import time
from dataclasses import replace
from itertools import chain, repeat

import numpy as np
import pytest

import dfst
from dfst.errors import InputError
from dfst.evaluation.evaluate import evaluate, measure, search
from dfst.evaluation.report import Failure, Measurement, Report
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.problems import Case, Problem, TestSet, find_problem
from dfst.tasks.registry import find_task
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S
from dfst.world.unit import ControlUnit, hold_against


def asked(problem: Problem, size: int, seed: int, role: str) -> list[tuple[str, ...]]:
    [tests] = problem.tests((size,), seed)
    return [problem.task.parse(case.input) for case in tests.cases if case.role == role]


@pytest.mark.parametrize("name", ["add2", "add10", "mult10", "sort10"])
def test_the_inputs_asked_are_the_papers(name):
    problem, task = find_problem(name), find_task(name)
    random = asked(problem, 30, 4, "random")
    assert len(random) == 10
    assert all(len(o) == 30 for operands in random[:5] for o in operands)
    assert all(1 <= len(o) <= 30 for operands in random[5:] for o in operands)
    repeated = asked(problem, 30, 4, "repeated")
    assert len(set(repeated)) == task.radix**task.operand_count
    assert all(len(o) == 30 and len(set(o)) == 1 for operands in repeated for o in operands)
    assert asked(problem, 30, 4, "random") == random
    assert asked(problem, 30, 5, "random") != random


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("name", ["add2", "mult10", "increment10"])
def test_hard_cases_are_valid_inputs(name, size):
    assert asked(find_problem(name), size, 0, "hard")


@pytest.mark.parametrize("name", ["add10", "mult2", "sub10", "sort2"])
def test_a_compiled_expert_is_right(name):
    report = evaluate(Rollout(compile_agent(expert(name))), find_problem(name), (12,))
    [found] = report.measurements
    assert report.right
    assert (found.plg, found.rlg, found.failures, found.margin) == (True, True, (), 1.0)
    assert found.steps > 0


def broken_on_sevens():
    """An adder that cannot carry into a seven: random sums mostly pass, repeated sevens do not."""
    agent = expert("add10")
    weights = compile_agent(agent)
    C = weights.C.copy()
    C[7, :, agent.states.index("carry")] = [0, 0, 0, 1, 0]
    return find_problem("add10"), replace(weights, C=C)


def at(unit, problem: Problem, size: int, **more) -> Measurement:
    [found] = evaluate(unit, problem, (size,), **more).measurements
    return found


def test_failures_are_reported_with_their_first_step():
    problem, weights = broken_on_sevens()
    found = at(Rollout(weights), problem, 3)
    assert not found.rlg
    failure = next(f for f in found.failures if f.kind == "repeated digits")
    assert "differs from its expert at step" in failure.reason
    assert failure.step > 0
    assert found.as_json()["failures"]


def test_what_is_empty_is_left_out_or_named():
    failed = Failure("line 11", "", "step 5, read 1", 5)
    of_log = Measurement(0, False, False, 1, 9, 0.0, failures=(failed,), kind="held-out traces")
    assert list(Report("log", "symbol", (of_log,)).failure_lines()) == ["line 11: step 5, read 1"]
    of_words = replace(of_log, digits=3, kind="held-out inputs", language="1*")
    report = Report("mine", "symbol", (of_words,))
    assert list(report.failure_lines()) == ["3 symbols, line 11, the empty input: step 5, read 1"]
    assert report.verdict("it") == "is not exact; on the empty input: step 5, read 1"


def test_where_all_steps_agree_there_are_no_others():
    agreeing = Measurement(0, True, True, 2, 16, 0.0, kind="held-out traces", other=0)
    shown = replace(agreeing, kind="training traces", steps=45)
    assert "the others" not in Report("log", "symbol", (agreeing, shown)).verdict("it")
    assert "the others it holds for errors" in Report(
        "log", "symbol", (agreeing, replace(shown, other=1))
    ).verdict("it")


def test_a_report_does_not_depend_on_the_order_of_the_runs():
    problem, weights = broken_on_sevens()
    found = at(Rollout(weights), problem, 3, seed=2)
    [tests] = problem.tests((3,), 2)
    runs = [hold_against(weights, problem.agent, case.input) for case in tests.cases]
    failures = [
        Failure(case.kind, case.input, why, run.difference.step if run.difference else run.steps)
        if (why := problem.wrong(case, run, tests.limits))
        else None
        for case, run in zip(tests.cases, runs, strict=True)
    ]
    assert list(found.failures) == [failure for failure in failures if failure]
    assert len(found.failures) > 5
    assert found.plg == (not any(failures[:10]))
    assert (found.inputs, found.steps) == (len(tests.cases), sum(run.steps for run in runs))
    assert found.margin == min(run.margin for run in runs)
    assert found.hard_failures == sum(failure is not None for failure in failures[110:])


def test_the_first_failure_in_order_is_the_last_run_asked_for():
    problem, weights = broken_on_sevens()
    [tests] = problem.tests((3,), 2)
    first = measure(Rollout(weights), problem, tests, stop_early=True)
    everything = measure(Rollout(weights), problem, tests)
    assert first.failures == everything.failures[:1]
    assert first.inputs < everything.inputs
    assert first.plg == everything.plg


def test_search_finds_the_largest_length_that_holds():
    problem, weights = broken_on_sevens()
    assert search(Rollout(weights), problem, seconds=30).reach <= 1
    found = search(Rollout(compile_agent(problem.agent)), problem, seconds=30, limit=40)
    assert (found.reach, found.stopped_by) == (40, "limit")


def test_what_the_first_run_compiles_is_not_taken_from_the_budget(monkeypatch):
    problem, clock = find_problem("increment2"), [0.0]
    costs = chain([100.0], repeat(0.01))

    class Slow(Rollout):
        def run_each(self, *arguments):
            clock[0] += next(costs)
            return super().run_each(*arguments)

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    found = search(Slow(compile_agent(problem.agent)), problem, seconds=10, limit=20)
    assert (found.reach, found.stopped_by) == (20, "limit")


def test_a_model_that_forgets_after_a_while_is_found_out():
    problem = find_problem("add2")
    weights = compile_agent(problem.agent, dtype=np.float64)
    leaky = replace(weights, A=weights.A * 0.99)
    leaky = replace(leaky, B=leaky.B + 1e-9 * np.arange(4)[None, ::-1, None])
    found = search(Rollout(leaky), problem, 2)
    assert found.reach > 0
    assert found.stopped_by in ("failure", "budget")


@pytest.mark.parametrize("size", [0, -3])
def test_no_digits_is_bad_input(size):
    with pytest.raises(InputError, match="digits must be at least 1"):
        evaluate(Rollout(compile_agent(expert("add2"))), find_problem("add2"), (size,))


def test_a_problem_without_sizes_is_not_asked_by_size():
    bb2 = find_problem("bb2")
    for ask in (lambda: evaluate(bb2.agent, bb2, (3,)), lambda: search(bb2.agent, bb2, 1.0)):
        with pytest.raises(InputError, match="bb2 has no inputs of a size"):
            ask()


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

    problem = find_problem("add2")
    assert at(Forgetful(), problem, 2).rlg
    found = at(Forgetful(), problem, 12)
    assert not found.rlg
    assert {failure.step for failure in found.failures} == {119}


def along(unit, traces: TraceSet) -> Measurement:
    cases = [Case("trace", traces.inputs[i], "held out", traces[i]) for i in range(len(traces))]
    return measure(unit, find_problem("add2"), TestSet(3, tuple(cases), "held-out traces"))


def test_an_exact_model_agrees_with_every_trace():
    traces = dfst.dataset("add2")
    found = along(dfst.compile("add2"), traces)
    assert (found.failures, found.inputs, found.steps) == ((), len(traces), traces.tokens)


def test_to_agree_with_traces_is_to_make_the_same_runs():
    agent, traces = expert("add2"), dfst.dataset("add2")
    motion = agent.motion.copy()
    motion[agent.states.index("carry"), agent.blank] = 0
    wrong = replace(agent, motion=motion)
    found = along(wrong, traces)
    ran = [run.difference for run in wrong.run_each(traces.inputs, dfst.Limits(), agent)]
    by_input = {failure.input: failure.step for failure in found.failures}
    assert by_input == {text: d.step for text, d in zip(traces.inputs, ran, strict=True) if d}
    assert "reading λ: expected 0 R, found 0 U" in found.failures[0].reason


def test_a_hidden_state_that_overflows_is_no_agreement():
    model = dfst.compile("add2").astype(np.float32)
    found = along(replace(model, A=model.A * np.float32(3e38)), dfst.dataset("add2"))
    assert len(found.failures) == found.inputs
    assert "overflowed" in found.failures[0].reason
