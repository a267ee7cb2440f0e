"""What people type where a SUBJECT is wanted, what it means, and all that there is to run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from os.path import isdir, isfile, splitext
from pathlib import Path
from typing import TYPE_CHECKING

from dfst.counted import counted
from dfst.errors import InputError, UnknownName
from dfst.evaluation.board import BOARD
from dfst.experts.registry import expert, expert_names, find_agent, find_machine
from dfst.files.plain import as_text, read_plain
from dfst.machines.agent import Agent
from dfst.machines.teacher import Teacher
from dfst.model.compile import compile_agent
from dfst.model.weights import Weights, from_bytes, load_from_hub, load_weights
from dfst.paper import TASKS
from dfst.plugins import installed, is_python_file
from dfst.tasks.plane_tasks import PLANE_TASKS
from dfst.tasks.registry import is_task

if TYPE_CHECKING:
    from dfst.problems import Problem

SHIPPED = tuple(TASKS)  # the paper's tasks, each of which has a learnt model
WEIGHTS = resources.files("dfst") / "weights"
DESCENT = ".descent"  # ends the name of a model that gradient descent alone made
CONDITIONAL = "conditional"
"""What is said of a shipped model on all inputs where it is not excluded that its expert lacks a rule."""


def resolve(text: str) -> Agent | Weights:
    """The control unit that `text` names."""
    prefix, colon, rest = text.partition(":")
    if colon and prefix == "expert":
        return find_agent(rest)
    if colon and prefix == "compiled":
        return compile_agent(find_agent(rest))
    if colon and prefix == "hub":
        return load_from_hub(rest)
    path = Path(text)
    if path.suffix == ".safetensors":
        return load_weights(path)
    if _is_run(text):
        return _model_of_run(path)
    if text in _shipped_files():
        return shipped(text)
    task = text.removesuffix(DESCENT)
    if task != text and task in SHIPPED:
        raise InputError(f"no {text} is shipped; learn it: dfst learn {task} --preset descent")
    return find_machine(text, "subject", [*SHIPPED, *(f"expert:{name}" for name in expert_names())])


def by_name(text: str) -> Agent | Weights | None:
    """What has this name everywhere, whatever files there are here; None where nothing has."""
    from dfst.machines.formats.published import PUBLISHED, published

    prefix, colon, rest = text.partition(":")
    if colon and prefix in ("expert", "compiled") and (is_task(rest) or rest in PUBLISHED):
        return resolve(text)
    if text in _shipped_files():
        return shipped(text)
    return published(text) if text in PUBLISHED else None


def resolve_typed(text: str) -> Agent | Weights | Teacher:
    """What a person typed in a terminal: that, or what a Python file holds, which is run for it: a function
    with a pen, an agent, the expert of a problem. Also the expert of a problem that is installed.

    Never for a name that a page or a run folder gives.
    """
    if is_python_file(text):
        from dfst.problems.find import as_problem, in_file

        found = in_file(text)
        return found if isinstance(found, Agent | Teacher) else as_problem(found).agent
    try:
        return resolve(text)
    except UnknownName:
        if own := own_problem(text):
            return own.agent
        raise


def resolve_as_machine(thing: object) -> Agent | Weights:
    """What a person typed, or the thing itself; a function with a pen becomes the machine that it is."""
    from dfst.problems import Problem
    from dfst.problems.find import HINT
    from dfst.problems.function import function_machine

    unit = resolve_typed(str(thing)) if isinstance(thing, str | Path) else thing
    if isinstance(unit, Problem):
        unit = unit.agent
    if isinstance(unit, Teacher):
        unit = function_machine(unit)
    if not isinstance(unit, Agent | Weights):
        raise InputError(
            f"expected a name, an agent, a model or a function with a pen, found {thing!r:.60}; {HINT}"
        )
    return unit


def shipped_models() -> list[str]:
    """Names of the learnt models that come with the package."""
    there = _shipped_files()
    return [name for name in (*SHIPPED, *BOARD, *PLANE_TASKS) if name in there]


def descent_models() -> list[str]:
    """Names of those that gradient descent alone made."""
    there = _shipped_files()
    return [name for task in SHIPPED if (name := f"{task}{DESCENT}") in there]


def shipped(name: str) -> Weights:
    """A learnt model that comes with the package."""
    return from_bytes((WEIGHTS / f"{name}.safetensors").read_bytes(), name)


def catalogue() -> list[dict[str, object]]:
    """A row for each subject: shipped models, what descent alone made, experts, published machines."""
    from dfst.machines.formats.published import PUBLISHED, published

    rows = []
    for name in (*shipped_models(), *descent_models()):
        model, alone = shipped(name), name.endswith(DESCENT)
        told = model.provenance
        recipe = f"{told.recipe}, {counted(told.iterations or 0, 'step')}"
        kind, does = ("descent alone", recipe) if alone else ("learnt model", _does(model))
        rows.append(_row(name, kind, model.shape.d, does, told.measured))
    for name in expert_names():
        agent = expert(name)
        known = counted(agent.rule_count, "rule")
        rows.append(_row(f"expert:{name}", "expert", len(agent.states), _does(agent), known))
    for name, entry in PUBLISHED.items():
        size = len(published(name).states)
        rows.append(_row(name, "published machine", size, entry.source, entry.result))
    return rows


def note(cells: Iterable[str]) -> str:
    """What stands below a table with these cells: what `conditional` means, if one says so."""
    told = f"{CONDITIONAL}: as long as the expert has a rule (docs/concepts/proof.md)"
    return told if any(CONDITIONAL in cell for cell in cells) else ""


def _row(subject: str, kind: str, size: int, does: str, known: str | None) -> dict[str, object]:
    return {"subject": subject, "kind": kind, "size": size, "does": does, "known": known or ""}


def _does(unit: Agent | Weights) -> str:
    return unit.task.meaning if unit.task else ""


def reference_for(subject: Agent | Weights, against: object = None) -> Agent:
    """The agent that a subject is compared with: the one given, or the expert of its task."""
    if against is not None:
        other = resolve_as_machine(against)
        if not isinstance(other, Agent):
            raise InputError(
                f"a reference must be an agent, found the model {_typed(against) or other.name}; "
                "try one such as expert:add10"
            )
        return other
    if subject.task is None:
        raise InputError(
            f"{subject.name} has no task, so there is no expert to compare it with; "
            "name a reference (at the command line: --against SUBJECT)"
        )
    return expert(subject.task.name)


def to_prove(
    subject: object, against: object = None, language: str | None = None
) -> tuple[Agent | Weights, Agent, str, str | None]:
    """The subject, the reference, what that is called, and the inputs as a regular expression; None for those
    of the task. What is not said, a run folder or the task tells."""
    from dfst.machines.rejections import with_rejections
    from dfst.problems import Problem, as_problem

    unit, named = resolve_as_machine(subject), _typed(against)
    own = as_problem(against) if isinstance(against, Problem | Teacher) else own_problem(named)
    if own is not None:
        return unit, own.agent, own.called, language or own.input_pattern
    learnt = learnt_problem(_typed(subject))
    if learnt is not None and learnt.input_pattern is not None:
        # Another machine ends its runs as visibly as the training set did.
        other = learnt.agent if against is None else with_rejections(reference_for(unit, against))
        called = learnt.called if against is None else named or other.name
        return unit, other, called, language or learnt.input_pattern
    reference = reference_for(unit, against)
    return unit, reference, named or f"expert:{reference.name}", language


def is_in_python(thing: object) -> bool:
    """Whether it is a function with a pen, or what stands in a Python file."""
    return isinstance(thing, Teacher) or is_python_file(_typed(thing))


def _typed(thing: object) -> str:
    """What a person typed; nothing where the thing itself is given."""
    return str(thing) if isinstance(thing, str | Path) else ""


def learnt_problem(text: str) -> Problem | None:
    """The problem that a run folder has learnt; None where `text` does not name one."""
    from dfst.train.config import read_config

    return read_config(text).problem if _is_run(text) else None


def own_problem(text: str | None) -> Problem | None:
    """The problem of a user's own that `text` names: FILE.py:NAME, or one that is installed."""
    from dfst.problems import find_problem
    from dfst.problems.find import PROBLEMS

    return find_problem(text) if text and (is_python_file(text) or text in installed(PROBLEMS)) else None


def problem_of(
    text: str, subject: Agent | Weights, against: str | None = None, language: str | None = None
) -> Problem:
    """What a subject is measured on: against the agent named, what its run has learnt, or its task. language:
    the inputs, as a regular expression, in place of those that are meant otherwise"""
    from dfst.problems import agent_problem

    own = own_problem(against)
    if own is not None:
        return own if language is None else own.with_settings(language=language)
    learnt = learnt_problem(text)
    if against is None and learnt is not None:
        return learnt if language is None else learnt.with_settings(language=language)
    if subject.task is not None and language is not None:
        raise InputError(f"{text} has a task, which knows its inputs; give --digits instead of --language")
    reference = reference_for(subject, against)
    if reference.task is not None and language is None:
        return agent_problem(reference)
    if learnt is not None and language is None:
        language = learnt.input_pattern
    if language is None:
        raise InputError(
            f"{text} has no task, whose inputs have sizes; give its inputs with --language REGEX"
        )
    return agent_problem(replace(reference, task=None), language=language, untrained=learnt is None)


def input_for(subject: Agent | Weights | Teacher, given: str | None) -> str:
    """The input that was given, else the one that came with the machine, else the empty one. `-` is what
    stands in standard input; the name of a file, with a folder or a suffix, what stands there."""
    if given is None and isinstance(subject, Agent):
        return next(iter(subject.sample_inputs), "")
    # not Path.is_file(): an input may be too long for a path
    if given == "-" or (given and ("/" in given or splitext(given)[1]) and isfile(given)):
        data = sys.stdin.buffer.read() if given == "-" else read_plain(given, "give an input")
        return as_text(data, f"the input {given}", "give an input")
    return given or ""


def _shipped_files() -> frozenset[str]:
    """Models that come with the package, in both precisions, and those of descent alone."""
    files = (file.name.partition(".safetensors") for file in WEIGHTS.iterdir())
    return frozenset(name for name, suffix, _ in files if suffix)


def _is_run(text: str) -> bool:
    """Whether it names a run folder, and not a subject whose name some other folder has, such as sort."""
    from dfst.train.runfolder import RunFolder

    # not Path.is_dir(): a machine in one line may be too long for a path
    return isdir(text) and (RunFolder(text).exists() or by_name(text) is None)


def _model_of_run(path: Path) -> Weights:
    from dfst.train.runfolder import RunFolder

    run = RunFolder(path)
    run.read_config()
    if not run.model_file.exists():
        raise InputError(
            f"{path} holds no finished model yet; continue the run with: dfst learn --resume {path}"
        )
    return run.read_weights(run.model_file)
