"""The one measure of a trained learner, behind every RLG and exact of `dfst compare` and `dfst sweep`.

A ladder of lengths, hard cases included, is climbed until nothing is right any more; then the largest length
at which RLG holds is searched for. Both end at `longest`, the same for every learner of a task, so that a
figure at the end means "no failure was met", not "it fails beyond".

Hidden states of every recurrent learner are followed along the training set and merged into an automaton, as
the polish of a DFST does. It is proved, or refuted, against the expert by the same prover.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_name

from dfst.counted import counted
from dfst.errors import DfstError
from dfst.evaluation.board import BOARD, DIGITS
from dfst.evaluation.evaluate import Subject, evaluate, search
from dfst.evaluation.report import Measurement
from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.comparison.results import Result, Rung
from dfst.machines.agent import Agent
from dfst.model.compile import compile_agent
from dfst.problems import Problem
from dfst.proof import prove
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.follow import followed_states
from dfst.states.merged import first_merged
from dfst.world.grid import Limits

LADDER = (
    *(1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000),
    *(1500, 2000, 3000, 5000, 7500, 10_000),
)
REGULAR_LONGEST = 10_000
LONGEST = DIGITS["quick"] | {name: REGULAR_LONGEST for name, row in BOARD.items() if row.regular}
"""Where ladder and search end; other tasks end at OTHER_LONGEST."""
OTHER_LONGEST = 100
SEARCH_SECONDS = 15.0
LADDER_SECONDS = 30.0  # time budgets of the evaluation; a search they end is told as such
LOST_RUNGS = 3  # rungs in a row with nothing right, after which the ladder is not climbed further
TOLD_FAILURES = 12
PROOF_SEED = 2  # draws the inputs on which a counterexample is sought


def measure(
    learner: str,
    problem: Problem,
    seed: int,
    device: str,
    trained: Trained,
    digits: Sequence[int] = (),
    merged: Mapping[str, Any] | None = None,
) -> Result:
    """The result of a trained learner. With `digits`, these lengths are asked, and the largest ends it.
    merged: what is known of the automaton that its hidden states merge into"""
    longest = max(digits) if digits else LONGEST.get(problem.name, OTHER_LONGEST)
    lengths = sorted(digits) or [length for length in LADDER if length <= longest]
    reports = climb(trained.subject, problem, lengths)
    found = search(
        trained.subject, problem, SEARCH_SECONDS, longest,
        start=max((r.digits for r in reports if r.rlg), default=1),
    )  # fmt: skip
    return Result(
        learner=learner,
        task=problem.name,
        seed=seed,
        samples=trained.samples,
        parameters=trained.parameters,
        iterations=trained.iterations,
        seconds=round(trained.seconds, 2),
        device=device,
        loss=trained.finite_loss,
        plg=max([found.plg, *(r.digits for r in reports if r.plg)]),
        rlg=found.reach or 0,
        longest=longest,
        stopped_by=found.stopped_by or "limit",
        ladder=tuple(_rung(report) for report in reports),
        hard_failures=tuple(_hard_failures(reports, problem.unit)[:TOLD_FAILURES]),
        settings=dict(trained.settings),
        merged=merged or {},
        machine=describe_machine(device),
    )


def climb(subject: Subject, problem: Problem, lengths: Sequence[int]) -> list[Measurement]:
    """Exactness at growing lengths, until nothing is right any more or time is up."""
    # What is compiled on first use must not count as time spent on the first rung.
    list(subject.run_each([problem.example], Limits(), problem.agent))
    began, lost = time.monotonic(), 0
    reports: list[Measurement] = []
    for digits in lengths:
        ahead = reports[-1].seconds * (digits / reports[-1].digits) ** 2 if reports else 0.0
        if lost == LOST_RUNGS or time.monotonic() - began + ahead > LADDER_SECONDS:
            break
        [report] = evaluate(subject, problem, (digits,)).measurements
        reports.append(report)
        lost = lost + 1 if len(report.failures) == report.inputs else 0
    return reports


def _rung(report: Measurement) -> Rung:
    return Rung(
        digits=report.digits,
        asked=report.inputs,
        right=report.inputs - len(report.failures),
        plg=report.plg,
        rlg=report.rlg,
        hard_failures=report.hard_failures,
        first_failing_step=min((failure.step for failure in report.failures), default=None),
    )


def _hard_failures(reports: list[Measurement], unit: str) -> list[str]:
    """The hard cases that went wrong: what, at which length, from which step on."""
    return [
        f"{failure.kind}, {counted(report.digits, unit)}, step {failure.step:,}"
        for report in reports
        for failure in report.failures[len(report.failures) - report.hard_failures :]
    ]


def describe_machine(device: str) -> str:
    """Cores and processor; with `cuda`, the GPU before them."""
    cores = f"{counted(os.cpu_count() or 1, 'core')} of {get_host_cpu_name()}"
    if device != "cuda":
        return cores
    import torch

    return f"{torch.cuda.get_device_name()}, {cores}"


def merged_machine(trained: Trained, assignment: Assignment) -> Agent | None:
    """The automaton that a learner's hidden states merge into; None where none is found, or it has none."""
    if trained.machine is not None or trained.hidden is None:
        return trained.machine
    fewest = fewest_states_of_traces(assignment.traces, assignment.agent)[1]
    most = fewest or assignment.plan.shape(assignment.traces).d
    graph = first_merged(followed_states(trained.hidden, assignment.traces), most, enough=most)
    return None if graph is None else graph.agent("merged", assignment.agent)


def merged_verdict(machine: Agent | None, agent: Agent) -> dict[str, object]:
    """What is known of the automaton, for the records: its states, and proved, refuted or why neither."""
    if machine is None:
        return {"states": None, "verdict": "none"}
    verdict: str
    try:
        verdict = prove(compile_agent(machine), agent, rng=np.random.default_rng(PROOF_SEED)).strength
    except DfstError as error:
        verdict = f"open: {error}"
    return {"states": len(machine.states), "verdict": verdict}
