"""What people type where a problem is wanted, and what it means.

add2, parity, …            a task with its expert, numbers at any radix: add16
bb5, FILE.yaml, 1RB…       a machine: published, in a file, in one line
FILE.jsonl                 recorded traces
FILE.py:NAME               a function with a pen, an agent, or a problem of one's own
NAME                       a problem that an installed package offers (entry point `dfst.problems`)
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.experts.registry import expert, find_agent
from dfst.machines.agent import Agent
from dfst.machines.formats import parse_machine
from dfst.machines.teacher import Teacher
from dfst.plugins import in_python_file, installed, is_python_file
from dfst.problems.function import function_problem
from dfst.problems.machine import machine_problem
from dfst.problems.problem import RECORDING, Problem
from dfst.problems.recording import recorded_problem
from dfst.problems.task import task_problem
from dfst.traces.recording import Recording, read_recording
from dfst.traces.sample import Sampling

PROBLEMS = "dfst.problems"
RECORDED = (".jsonl", ".jsonl.gz")  # how a file of recorded traces is told
HINT = "put @dfst.teacher('01') above a function, with its symbols, or make a dfst.Problem of it"


def find_problem(text: str, **settings: Any) -> Problem:
    """The problem that `text` names. settings: how the training set is made (`TrainingData`)"""
    if text.endswith(RECORDED):
        return as_problem(read_recording(text, errors=bool(settings.get("allow_errors"))), **settings)
    if is_python_file(text):
        return _named(as_problem(in_file(text), **settings), text)
    if text in installed(PROBLEMS):
        return _named(as_problem(installed(PROBLEMS)[text].load(), **settings), text)
    return as_problem(find_agent(text.removeprefix("expert:")), **settings)


def as_problem(thing: object, **settings: Any) -> Problem:
    """A problem, or what can be made one: a name, an agent, a function with a pen, recorded traces."""
    if isinstance(settings.get("inputs"), str):
        settings["inputs"] = (settings["inputs"],)
    if isinstance(thing, str | Path):
        return find_problem(str(thing), **settings)
    if not isinstance(thing, Recording) and settings.pop("allow_errors", None):
        raise InputError("allow_errors is for recorded traces; an expert makes no errors, so leave it out")
    if isinstance(thing, type) and issubclass(thing, Problem):
        return _own(thing(), settings)  # type: ignore[call-arg]
    if isinstance(thing, Problem):
        return _own(thing, settings)
    if isinstance(thing, Recording):
        settings.pop("bounded", None)
        return recorded_problem(thing, **settings)
    if isinstance(thing, Teacher):
        return function_problem(thing, **settings)
    if isinstance(thing, Agent):
        return agent_problem(thing, **settings)
    raise InputError(f"expected a problem, an agent or a function with a pen, found {thing!r:.60}")


def agent_problem(agent: Agent, **settings: Any) -> Problem:
    """The problem of an agent: its task, or, where it has none, the machine itself."""
    settings.pop("bounded", None)
    return (task_problem if agent.task else machine_problem)(agent, **settings)


def problem_from_json(config: Mapping[str, Any], folder: Path) -> Problem:
    """The problem that `as_json` has described; `folder` holds what else was saved of it."""
    kind, origin = config["kind"], config.get("origin", "")
    if kind == "task" and not origin:
        found = task_problem(expert(config["name"]), inputs=config["inputs"])
        sampling = Sampling(**config["sampling"]) if config["sampling"] else None
        chosen = {"told_apart": config["told_apart"], "examples": config["examples"]}
        return replace(found, sampling=sampling, chosen=config.get("chosen", ""), **chosen)
    if kind == "machine":
        machine = parse_machine(config["machine"], "json")
        kept = {name: config[name] for name in ("inputs", "language", "max_steps")}
        called, chosen = config["called"], config.get("chosen", "")
        return replace(machine_problem(machine, **kept), called=called, chosen=chosen)
    if kind == "recording":
        return recorded_problem(read_recording(folder / RECORDING))
    if origin in installed(PROBLEMS):
        return find_problem(origin, **config.get("settings", {}))
    named = origin or "FILE.py:NAME"
    raise InputError(
        f"{folder} learns a problem of your own; name it as well: --against {named}, or, to go on with the "
        f"run, dfst learn {named} --resume {folder}"
    )


def in_file(text: str) -> object:
    """What FILE.py:NAME names, of which a problem can be made; the file is run."""
    return in_python_file(text, "problem", _is_usable, HINT)


def _is_usable(value: object) -> bool:
    if isinstance(value, type):
        return issubclass(value, Problem) and value.__module__ == "<run_path>"
    return isinstance(value, Problem | Teacher | Agent)


def _named(problem: Problem, origin: str) -> Problem:
    """The problem, which knows where it was found; a class of one's own may not be made anew."""
    found = copy(problem)
    object.__setattr__(found, "origin", origin)
    return found


def _own(problem: Problem, settings: Mapping[str, Any]) -> Problem:
    """A problem of one's own, which draws its inputs as it likes."""
    given = {name: value for name, value in settings.items() if value and name != "bounded"}
    return problem.with_settings(**given) if given else problem
