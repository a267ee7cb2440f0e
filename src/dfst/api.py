"""The package in a few words, for scripts and notebooks: `dfst.load`, `learn`, `extract`, `prove`, …

Each is a short way to one stage; whoever wants its every option imports the stage itself. Wherever a
control unit is asked for, the name that people type on the command line will do.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from dfst.errors import InputError, MissingExtra
from dfst.machines.agent import Agent
from dfst.machines.teacher import Teacher
from dfst.model.weights import Weights
from dfst.plugins import is_python_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dfst.evaluation.report import Report
    from dfst.kernels.operator import Tensor
    from dfst.problems import Problem
    from dfst.proof import Verdict
    from dfst.states import Extraction
    from dfst.states.teachability import Teachability
    from dfst.traces.traceset import TraceSet
    from dfst.train.learnt import Learnt
    from dfst.train.progress import Narrator

RUNS = Path("runs")  # where run folders go that nobody gave a place


def load(name: str | Path) -> Agent | Weights:
    """A control unit by name: `add2`, `expert:add10`, `compiled:add10`, `bb5`, a file, a run folder, or
    `hub:OWNER/NAME`, a model on the Hugging Face Hub (extra `hub`). `FILE.py:NAME` is run as Python code; a
    function with a pen becomes the machine that it is."""
    from dfst.subjects import resolve_as_machine

    return resolve_as_machine(name)


def read(path: str | Path, format: str | None = None) -> Agent:
    """The machine in a file, its format told by its ending or its text."""
    from dfst.machines.formats import read_machine

    return read_machine(path, format)


def compile(agent: Agent | Teacher | str) -> Weights:
    """An agent, or a function with a pen, as an exact one-hot DFST."""
    from dfst.model.compile import compile_agent

    return compile_agent(_agent(agent))


def problem(thing: Any, **settings: Any) -> Problem:
    """The problem that a name, an agent or a function with a pen means (`dfst.problems.find`).

    `settings` say how its training set is drawn: inputs, language, samples, max_digits, data_seed.
    """
    from dfst.problems import as_problem

    return as_problem(thing, **settings)


def dataset(thing: Any, **settings: Any) -> TraceSet:
    """The training set of a problem, as `learn` draws it."""
    return problem(thing, **settings).training_set().traces


def learn(
    task: str | Path | Agent | Teacher | Problem,
    preset: str = "quick",
    *,
    out: str | Path | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    digits: int | Sequence[int] = (),
    narrator: Narrator | None = None,
    quiet: bool = False,
    every_seed: bool = False,
    corrections: int = 0,
    **changes: Any,
) -> Learnt:
    """Learn a task, any machine, recorded traces or a function with a pen; all is kept in a run folder.

    `changes` are settings (`dfst learn --set help` lists them), `digits` the sizes of the final evaluation.
    `quiet`: say nothing on the way; else lines go to standard error, or to the narrator.
    `every_seed`: prove every seed, or measure it where there is no polish.
    `corrections`: as long as the model is known to err, at most so often, learn an input on which it does.
    """
    from dfst.learning import learn_corrected
    from dfst.train.progress import Narrator
    from dfst.train.settings import configure
    from dfst.viewer.report import write_learning_report

    config = configure(task, preset, **changes)
    sizes = (digits,) if isinstance(digits, int) else tuple(digits)
    folder = out or new_run_folder(config.problem.name)
    config = replace(config, sizes=sizes, every_seed=every_seed, device=device)
    if narrator is None and not quiet:
        narrator = Narrator(lambda text: print(f"· {text}", file=sys.stderr))
    learnt = learn_corrected(config, folder, narrator, rounds=corrections)
    write_learning_report(learnt)
    return learnt


def evaluate(
    subject: Any, digits: int | Sequence[int] = (), against: Problem | Agent | Teacher | str | None = None
) -> Report:
    """Measure a control unit: every action against the right one, at these sizes or the problem's own.
    `against`: the problem, or the agent to imitate; by default its task, or what its run learnt."""
    from dfst.evaluation.evaluate import evaluate as measure
    from dfst.subjects import is_in_python, problem_of, resolve_as_machine

    named = isinstance(subject, str | Path) or is_in_python(subject)
    unit = resolve_as_machine(subject) if named else subject
    if against is None:
        asked = problem_of(str(subject) if isinstance(subject, str | Path) else "", unit)
    else:
        asked = problem(against)
    sizes = (digits,) if isinstance(digits, int) else tuple(digits)
    return measure(unit, asked.for_unit(unit), sizes, name=unit.name)


def polish(model: Weights | str, traces: TraceSet | None = None) -> Weights:
    """The learnt machine written back into the weights; by default by the training set of its problem."""
    from dfst.model.weights import weights_from_flat
    from dfst.states.polish import polish as finish
    from dfst.subjects import problem_of

    weights = _model(model)
    if traces is None:
        traces = problem_of(str(model) if isinstance(model, str) else "", weights).training_set().traces
    found = finish(weights, traces)
    if found is None:
        raise InputError(f"{weights.name} cannot be polished: its hidden states do not explain the traces")
    return weights_from_flat(found.theta, weights)


def plot(*of: Any) -> Figure:
    """A matplotlib figure of runs, as `dfst plot` writes it."""
    from dfst.viewer.plots import figure

    return figure(of)


def teachability(agent: Agent | Teacher | str, traces: TraceSet | None = None) -> Teachability:
    """What a training set teaches of an agent, and what it does not; by default the set `learn` draws."""
    from dfst.states.teachability import teachability as judge

    found = problem(_agent(agent))
    shown = found.training_set().traces if traces is None else traces
    return judge(found.agent, shown, found.candidates())


def new_run_folder(name: str) -> Path:
    """A place for a run that was given none; a number tells apart those of one second."""
    first = RUNS / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    others = (first.with_name(f"{first.name}-{number}") for number in count(2))
    return next(folder for folder in chain([first], others) if not folder.exists())


def extract(model: Weights | Teacher | str | Path, inputs: Sequence[str] | None = None) -> Agent:
    """The machine a model became, minimised; its `source` says how it was found. `Refused` if there is none.
    Of a function with a pen, the machine that it is.

    `dfst.states.extract` gives the learnt states and the evidence as well.
    """
    from dfst.states import extract as explore
    from dfst.subjects import is_in_python, learnt_problem, resolve_as_machine

    unit = resolve_as_machine(model)
    if isinstance(unit, Agent) and is_in_python(model):
        return unit
    weights = _model(unit)
    if inputs is None and not isinstance(model, Weights):
        learnt = learnt_problem(str(model))
        inputs = learnt.to_explore() if learnt else None
    found = explore(weights, [inputs] if isinstance(inputs, str) else inputs)
    return replace(found.machine, source=f"extracted from {weights.name}: {found.sentence()}")


def _agent(agent: Agent | Teacher | str) -> Agent:
    from dfst.experts.registry import find_agent
    from dfst.subjects import resolve_as_machine

    if isinstance(agent, str) and not is_python_file(agent):
        return find_agent(agent.removeprefix("expert:"))
    found = resolve_as_machine(agent)
    if not isinstance(found, Agent):
        raise InputError(f"expected an agent, found the model {found.name}; dfst.extract makes one of it")
    return found


def _model(model: Agent | Weights | str | Path) -> Weights:
    from dfst.subjects import resolve_as_machine

    weights = resolve_as_machine(model)
    if not isinstance(weights, Weights):
        raise InputError(f"expected a model, found the machine {weights.name}, which is one already")
    return weights


def prove(
    subject: Agent | Weights | Extraction | Teacher | str | Path,
    reference: Agent | Teacher | Problem | str | Path | None = None,
    language: str | None = None,
    sweeps: int | None = None,
) -> Verdict:
    """The strongest statement about the subject acting as the reference does: by default its task's expert,
    or the machine that a run folder was learnt from.

    On every input that matches the language, a regular expression, or of the task, or that the run was
    learnt for, or there is. `sweeps`: of a model that is not proved, also try inputs of one symbol repeated
    so often.
    """
    from dfst.proof import prove as find_proof
    from dfst.states import Extraction
    from dfst.subjects import to_prove

    explored = subject if isinstance(subject, Extraction) else None
    unit, agent, _, language = to_prove(explored.graph.weights if explored else subject, reference, language)
    return find_proof(explored or unit, agent, language, sweeps=sweeps)


@overload
def recurrence(A: Tensor, x: Tensor, h0: Tensor, *, lengths: Tensor | None = None) -> Tensor: ...
@overload
def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, readout: Tensor, /, *more: Tensor, lengths: Tensor | None = None
) -> tuple[Tensor, ...]: ...
def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, *readouts: Tensor, lengths: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """h_{t+1} = A[x_t] h_t for a batch of sequences: a PyTorch operator (docs/how-to/recurrence.md).

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
