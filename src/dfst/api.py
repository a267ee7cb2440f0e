"""The package in a few words, for scripts and notebooks: `dfst.load`, `learn`, `extract`, `prove`, …

Each is a short way to one stage; whoever wants its every option imports the stage itself. Wherever a
control unit is asked for, the name that people type on the command line will do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from dfst.agents.agent import Agent
from dfst.agents.teacher import Teacher, is_teacher_file, load_teacher
from dfst.errors import InputError, MissingExtra
from dfst.model.weights import Weights

if TYPE_CHECKING:
    from dfst.kernels.operator import Tensor
    from dfst.learning.learnt import Learnt
    from dfst.learning.progress import Narrator
    from dfst.proof import Verdict
    from dfst.states import Extraction
    from dfst.states.teachability import Teachability
    from dfst.traces.traceset import TraceSet

RUNS = Path("runs")
"""Where run folders go that nobody gave a place."""


def load(name: str | Path) -> Agent | Weights:
    """A control unit by name: `add2`, `expert:add10`, `compiled:add10`, `bb5`, a file, a run folder, or
    `hub:OWNER/NAME`, a model on the Hugging Face Hub (extra `hub`)."""
    from dfst.subjects import resolve

    return resolve(str(name))


def read(path: str | Path, format: str | None = None) -> Agent:
    """The machine in a file, its format told by its ending or its text."""
    from dfst.formats import read_machine

    return read_machine(path, format)


def compile(agent: Agent | str) -> Weights:
    """An agent as an exact one-hot DFST."""
    from dfst.model.compile import compile_agent
    from dfst.subjects import resolve_agent

    return compile_agent(resolve_agent(agent.removeprefix("expert:")) if isinstance(agent, str) else agent)


def learn(
    task: str | Agent | Teacher,
    preset: str = "quick",
    *,
    out: str | Path | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    inputs: Sequence[str] = (),
    digits: Sequence[int] | None = None,
    narrator: Narrator | None = None,
    every_seed: bool = False,
    **changes: Any,
) -> Learnt:
    """Learn a task, any machine, recorded traces or a function with a pen; all is kept in a run folder.

    `changes` replace values of the preset (seeds, iterations, rate, batch, clip, noise, …) or of the plan
    (hidden_size, which is a number or "fit", samples, max_digits, data_seed, first_seed; language, where
    there is no task). `digits`: lengths of the final evaluation.
    `every_seed`: prove every seed, or measure it where there is no polish.
    """
    from dfst.learning.learn import learn as carry_out
    from dfst.learning.plan import make_plan, plan_recording
    from dfst.learning.plan_teacher import plan_teacher
    from dfst.subjects import resolve_agent
    from dfst.traces.recording import read_recording
    from dfst.viewer.learnt import write_learning_report

    if isinstance(task, str) and is_teacher_file(task):
        task = load_teacher(task)
    if isinstance(task, str) and task.endswith(".jsonl"):
        plan = plan_recording(read_recording(task), preset, **changes)
    elif isinstance(task, Teacher):
        plan = plan_teacher(task, preset, inputs, **changes)
    else:
        agent = resolve_agent(task.removeprefix("expert:")) if isinstance(task, str) else task
        plan = make_plan(agent, preset, tuple(inputs), **changes)
    lengths = None if digits is None else tuple(digits)
    folder = out or new_run_folder(plan.subject.name)
    learnt = carry_out(plan, folder, device, lengths, narrator, every_seed=every_seed)
    write_learning_report(learnt)
    return learnt


def teachability(agent: Agent | str, traces: TraceSet | None = None) -> Teachability:
    """What a training set teaches of an agent, and what it does not; by default the set `learn` draws."""
    from dfst.learning.plan import make_plan
    from dfst.states.teachability import teachability as judge
    from dfst.subjects import resolve_agent

    agent = resolve_agent(agent.removeprefix("expert:")) if isinstance(agent, str) else agent
    if traces is not None:
        return judge(agent, traces)
    plan = make_plan(agent)
    return judge(plan.agent, plan.traces())


def new_run_folder(name: str) -> Path:
    """A place for a run that was given none."""
    return RUNS / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"


def extract(model: Weights | str, inputs: Sequence[str] | None = None) -> Agent:
    """The machine a model became, minimised; its `source` says how it was found. `Refused` if there is none.

    `dfst.states.extract` gives the learnt states and the evidence as well.
    """
    from dfst.states import extract as explore

    weights = load(model) if isinstance(model, str) else model
    if not isinstance(weights, Weights):
        raise InputError(f"extract takes a model, found the machine {weights.name}, which is one already")
    found = explore(weights, inputs)
    return replace(found.machine, source=f"extracted from {weights.name}: {found.sentence()}")


def prove(
    subject: Agent | Weights | Extraction | str,
    reference: Agent | str | None = None,
    language: str | None = None,
) -> Verdict:
    """The strongest statement about the subject acting as the reference does (by default its task's expert).

    With a language, a regular expression: on every input that matches it. Otherwise with a task: on every
    input of the task. Two machines without either are compared as Mealy machines.
    """
    from dfst.proof import decide, prove_on_language
    from dfst.proof import prove as prove_on_task
    from dfst.states import Extraction
    from dfst.subjects import reference_for

    subject = load(subject) if isinstance(subject, str) else subject
    unit = subject.graph.weights if isinstance(subject, Extraction) else subject
    if reference is None and unit.task is None:
        raise InputError(
            f"{unit.name} has no task, so there is no expert to compare it with; name another machine"
        )
    if not isinstance(reference, Agent):
        reference = reference_for(unit, reference)
    if language is not None:
        return prove_on_language(subject, reference, language)
    task = reference.task or unit.task
    if not isinstance(subject, Agent):
        if task is None:
            raise InputError(
                f"{unit.name} and {reference.name} have no task, so there is no set of inputs to prove; "
                "give a language, such as 'a+b+'"
            )
        if unit.alphabet != reference.alphabet:
            raise InputError(
                f"{unit.name} and {reference.name} cannot be compared: their alphabets are "
                f"{' '.join(unit.alphabet)} and {' '.join(reference.alphabet)}"
            )
        return prove_on_task(subject, reference, task)
    if task is None:
        return decide(subject, reference)
    verdict = prove_on_task(subject, reference, task)
    if verdict.strength == "tested":
        # The abstraction was too coarse; equal tables need none.
        decided = decide(subject, reference)
        if decided.strength == "proved" and not decided.assumptions:
            return decided
    return verdict


@overload
def recurrence(A: Tensor, x: Tensor, h0: Tensor, *, lengths: Tensor | None = None) -> Tensor: ...
@overload
def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, readout: Tensor, /, *more: Tensor, lengths: Tensor | None = None
) -> tuple[Tensor, ...]: ...
def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, *readouts: Tensor, lengths: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """h_{t+1} = A[x_t] h_t for a batch of sequences: a differentiable PyTorch operator (docs/recurrence.md).

    From A (k, d, d), x (b, T) of integers below k, h0 (d,) or (b, d) and lengths (b,) come the states
    (b, T + 1, d), h0 the first of them. Each read-out O (k, o, d) adds its scores O[x_t] h_t (b, T, o).
    Beyond the length of a sequence stand zeros.
    """
    try:
        from dfst.kernels.operator import recurrence as operator
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("dfst.recurrence", "torch", "train") from error
    return operator(A, x, h0, *readouts, lengths=lengths)
