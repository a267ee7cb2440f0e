"""Measuring: every action of a subject against the right one, on the inputs that a problem names.

A run is compared with the reference's as it is made and stops at the first other action; a right answer found
in another way does not count. Where the truth was recorded, the subject reads what the trace reads: up to its
first other action it would have read the same by itself, so to agree in every action is to make the same run.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple, Protocol

from dfst.counted import counted
from dfst.errors import InputError, Overflow
from dfst.evaluation.report import Failure, Measurement, Report
from dfst.machines.agent import Agent
from dfst.problems.problem import Case, Problem, TestSet
from dfst.world.grid import MOTION_NAMES, Limits
from dfst.world.run import Run
from dfst.world.trace import UNKNOWN, Trace

FINAL_SEED = 2  # draws the inputs of final figures; nothing that they are measured on chooses a model


class Subject(Protocol):
    """What is evaluated: anything that can run many inputs while being compared with an expert."""

    def run_each(
        self, texts: Sequence[str], limits: Limits = ..., against: Agent | None = None
    ) -> Iterator[Run]: ...


def evaluate(
    subject: Subject,
    problem: Problem,
    sizes: Sequence[int] = (),
    *,
    seed: int = FINAL_SEED,
    name: str | None = None,
    hard: bool = True,
    given: Sequence[Case] = (),
    progress: Callable[[str], None] = lambda said: None,
    each: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Measure a subject at these sizes, or at the problem's own; without sizes, on what was held out. given:
    these inputs are asked instead; each: told of every measurement as soon as it is made"""
    report = Report(name or problem.name, problem.unit, ())
    made = []
    asked = TestSet(max((len(case.input) for case in given), default=0), tuple(given), "given inputs")
    for tests in [asked] if given else problem.tests(sizes, seed, hard=hard):
        made.append(measure(subject, problem, tests, progress=progress))
        each(replace(report, measurements=(made[-1],)))
    return replace(report, measurements=tuple(made))


def measure(
    subject: Any,
    problem: Problem,
    tests: TestSet,
    stop_early: bool = False,
    progress: Callable[[str], None] = lambda said: None,
) -> Measurement:
    """What came of one set. With `stop_early`, the first failure in the order of the cases ends it. Otherwise
    the longest inputs come first, so that no core is left with a long one when the others are done."""
    began, cases, steps = time.perf_counter(), tests.cases, 0
    order = sorted(range(len(cases)), key=lambda i: 0 if stop_early else -len(cases[i].input))
    asked = tests.kind if tests.kind != TestSet.kind else f"{tests.size:,} {problem.unit}"
    made: dict[int, _Outcome] = {}
    for i, found in zip(order, _outcomes(subject, problem, tests, order), strict=True):
        made[i], steps = found, steps + found.steps
        progress(f"{problem.name}, {asked}: {len(made)} of {len(cases)} inputs, {counted(steps, 'step')}")
        if found.failure and stop_early:
            break
    failed = {i: made[i].failure for i in sorted(made)}
    roles = [cases[i].role for i, failure in failed.items() if failure]
    return Measurement(
        tests.size,
        plg=not set(roles) - {"repeated", "hard"},
        rlg=not set(roles) - {"hard"},
        inputs=len(made) if tests.unseen is None else tests.unseen,
        steps=steps,
        seconds=time.perf_counter() - began,
        margin=min((found.margin for found in made.values()), default=inf),
        relative_margin=min((found.relative_margin for found in made.values()), default=inf),
        failures=tuple(filter(None, failed.values())),
        hard_failures=roles.count("hard"),
        kind=tests.kind,
        language=tests.language,
        unshown=tests.unshown,
        unmet=tests.unmet,
        endless=sum(found.endless for found in made.values()),
        cut_off=tests.limits.steps,
        other=sum(found.other for found in made.values()) if tests.errors else None,
    )


class _Outcome(NamedTuple):
    """What came of one case."""

    steps: int
    failure: Failure | None = None
    margin: float = inf
    relative_margin: float = inf
    endless: bool = False
    other: int = 0


def _outcomes(subject: Any, problem: Problem, tests: TestSet, order: Sequence[int]) -> Iterator[_Outcome]:
    """In this order; runs are made side by side."""
    cases = [tests.cases[i] for i in order]
    if any(case.trace is not None for case in cases):
        unit = getattr(subject, "weights", subject)  # a rollout steps by its model
        yield from (_followed(unit, case, tests.errors) for case in cases)
        return
    runs = subject.run_each([case.input for case in cases], tests.limits, problem.agent)
    for case, run in zip(cases, runs, strict=False):
        why = problem.wrong(case, run, tests.limits)
        if not why and case.answer is not None and run.answer != case.answer:
            why = "halted with another answer than was given"
        step = run.difference.step if run.difference else run.steps
        failure = Failure(case.kind, case.input, why, step) if why else None
        margin, relative = (inf if one is None else one for one in (run.margin, run.relative_margin))
        endless = not run.halted and run.steps == tests.limits.steps
        yield _Outcome(run.steps, failure, margin, relative, endless)


def _followed(unit: Any, case: Case, errors: bool) -> _Outcome:
    """Let the unit read a trace to its end, or, if that has no errors, to its first other action."""
    assert case.trace is not None
    trace: Trace = case.trace
    unit.reset()
    compared = other = 0
    rows = zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)
    for step, (x, s, m) in enumerate(rows):
        try:
            did = unit.step(x)
        except Overflow:
            return _failed(case, step, "the hidden state overflowed")
        compared += m != UNKNOWN
        other += m != UNKNOWN and did != (s, m)
        if other and not errors:
            wanted, found = (f"{trace.alphabet[w]} {MOTION_NAMES[v]}" for w, v in ((s, m), did))
            guessed = " by a guess: nothing like it was shown" if unit.leads and min(unit.leads) == 0 else ""
            why = f"step {step:,} reading {trace.alphabet[x]}: expected {wanted}, found {found}{guessed}"
            return _failed(case, step, why)
    return _Outcome(compared, other=other)


def _failed(case: Case, step: int, why: str) -> _Outcome:
    return _Outcome(step + 1, Failure(case.kind, case.input, why, step))


def search(
    subject: Subject,
    problem: Problem,
    seconds: float = 60.0,
    limit: int = 1_000_000,
    start: int = 1,
    *,
    seed: int = FINAL_SEED,
    steps: int | None = None,
    name: str | None = None,
    hard: bool = False,
    tell: Callable[[Measurement], None] = lambda found: None,
) -> Report:
    """The largest size at which RLG holds, tested within about `seconds`, or, by no clock, so many `steps`.

    Sizes grow by half until one fails, then the gap is halved; every size that is reported was tested.
    hard: the hard cases must be right as well
    """
    if not seconds > 0:  # nor is nan any time
        raise InputError(f"the time budget must be positive, found {seconds}; try --seconds 60")
    if not problem.sizes:
        raise InputError(f"{problem.name} has no inputs of a size; PLG and RLG are not defined for it")
    # Once before the clock starts: the first run on a machine compiles, for longer than many last.
    list(subject.run_each([problem.example], Limits(), problem.agent))
    began = time.perf_counter()
    made: list[Measurement] = []

    def passes(size: int) -> bool:
        [tests] = problem.tests((size,), seed, hard=hard)
        made.append(measure(subject, problem, tests, stop_early=True))
        tell(made[-1])
        return made[-1].right

    good, bad, size, stopped_by = 0, limit + 1, min(start, limit), "failure"
    while bad - good > max(1, good // 50):
        if good >= limit:
            break
        spent = sum(found.steps for found in made) if steps else time.perf_counter() - began
        if made and spent + _estimate(made[-1], size, steps is not None) > (steps or seconds):
            stopped_by = "budget"
            break
        if passes(size):
            good = size
        else:
            bad = size
        size = min(max(good + 1, good * 3 // 2), limit) if bad > limit else (good + bad) // 2
    ended = stopped_by if good < limit else "limit"
    return Report(name or problem.name, problem.unit, tuple(made), good, ended)


def _estimate(last: Measurement, size: int, in_steps: bool) -> float:
    """Steps or seconds the next test may take: they grow with the square of the size."""
    taken = last.steps if in_steps else last.seconds
    return taken * (size / last.digits) ** 2 if last.right else taken
