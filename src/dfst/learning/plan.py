"""The plan of a training run: everything that decides its outcome, as it stands in config.json."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.agents.rejections import with_rejections
from dfst.agents.task import NumberTask
from dfst.agents.words import WordTask
from dfst.errors import InputError, UnknownName
from dfst.formats import format_machine, parse_machine
from dfst.languages import Language
from dfst.learning.memory import check_memory
from dfst.learning.recipe import MACHINE, Recipe, find_recipe
from dfst.model.weights import Shape, Weights, symbols_of_model
from dfst.paper import TASKS
from dfst.states.fewest import fewest_states_of_traces
from dfst.traces.inputs import Choice, language_of_machine, lesson_of_machine
from dfst.traces.recording import Recording, read_recording
from dfst.traces.sample import (
    MOST_STEPS,
    NUMBER_SAMPLING,
    PAPER_SAMPLING,
    WORD_SAMPLING,
    Sampling,
    record_all,
    sample_traces,
)
from dfst.traces.traceset import TraceSet
from dfst.world.grid import MOTION_NAMES, Limits

FIT: Literal["fit"] = "fit"
"""In place of a hidden size: search for the smallest that fits."""
FORMAT = "dfst-run/2"
OF_AN_EXPERT = ("samples", "max_digits", "data_seed", "validate", "language")
"""Settings that only an expert can answer to."""
RECORDING = "recording.jsonl"
"""In a run folder, the traces that somebody recorded."""
OLD_FORMAT = "dfst-run/1"
RENAMED = {"d": "hidden_size", "n": "samples", "q": "max_digits"}
"""What some numbers were called before; run folders of that time are still read."""
SPARE = 2
"""Dimensions beyond the fewest states: with none to spare, training often gets stuck on a short lesson."""
MOST_SEED = 2**32 - 1
"""The order of the traces is drawn from 32 bits."""
HIDDEN_SIZES = {"solve": 52}
"""Where far fewer states explain the traces (43) than the expert has (91): with a dimension for each of
these, hidden states stay blurred by what the agent has to forget."""


@dataclass(frozen=True)
class Plan:
    """What is learnt, from what, how."""

    subject: Agent | Recording
    """The expert that works the examples, or traces that somebody recorded; a machine without a task has a
    rule for whatever it reads (`agents/rejections.py`)"""
    hidden_size: int
    recipe: Recipe
    seeds: tuple[int, ...]
    sampling: Sampling | None = None
    """The paper's sampler; None when the inputs are given."""
    inputs: tuple[str, ...] = ()
    max_steps: int = 100_000
    """Longest trace that is recorded of a given input."""
    states: int | None = None
    """How many learnt states are left when they are merged; None: as many as there are dimensions"""
    pattern: str | None = None
    """For a machine without a task: the inputs it is meant for; None: every string over its input symbols"""
    fit: Literal["no", "wanted", "done"] = "no"
    """Whether the hidden size is, or was, searched for (`learning.fit`) before the training"""

    def __post_init__(self) -> None:
        if self.hidden_size < 1:
            raise InputError(f"hidden-size must be at least 1, found {self.hidden_size}")

    @property
    def expert(self) -> Agent | None:
        """Who can be asked what is right; nobody where the traces were recorded."""
        return self.subject if isinstance(self.subject, Agent) else None

    @property
    def agent(self) -> Agent:
        """The expert, where there must be one."""
        if not isinstance(self.subject, Agent):
            raise InputError(
                f"{self.subject.name} was learnt from recorded traces; there is no expert to ask"
            )
        return self.subject

    @property
    def language(self) -> Language:
        """The inputs that a machine without a task is meant for."""
        return language_of_machine(self.agent, self.pattern)

    def traces(self) -> TraceSet:
        """The training set."""
        if isinstance(self.subject, Recording):
            return self.subject.traces.subset(self.subject.shown)
        if self.sampling is not None:
            return sample_traces(self.agent, self.sampling)
        return record_all(self.agent, list(self.inputs), Limits(steps=self.max_steps), MOST_STEPS)

    def shape(self, traces: TraceSet) -> Shape:
        return Shape(len(traces.alphabet), len(traces.motions), self.hidden_size)

    def as_json(self, traces: TraceSet) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "agent": self.subject.name,
            "machine": format_machine(self.expert, "json") if self.expert and not self.expert.task else None,
            "recorded": self.expert is None,
            "hold_out": self.subject.hold_out if isinstance(self.subject, Recording) else None,
            "hidden_size": self.hidden_size,
            "recipe": asdict(self.recipe),
            "seeds": list(self.seeds),
            "sampling": asdict(self.sampling) if self.sampling else None,
            "inputs": list(self.inputs),
            "max_steps": self.max_steps,
            "states": self.states,
            "language": self.pattern,
            "data": {"traces": len(traces), "tokens": traces.tokens, "sha256": traces.fingerprint},
            "versions": versions(),
        }


def make_plan(
    agent: Agent,
    preset: str = "quick",
    inputs: tuple[str, ...] = (),
    *,
    hidden_size: int | Literal["fit"] | None = None,
    samples: int | None = None,
    max_digits: int | None = None,
    data_seed: int | None = None,
    first_seed: int | None = None,
    language: str | None = None,
    **changes: Any,
) -> Plan:
    """The plan for an agent: its preset, with the values changed that are not None.

    Without `inputs` the paper's sampler draws them; for an agent without a task, they are chosen from a
    language, a regular expression or every string over its input symbols. Without a hidden size it is the
    paper's, or, where the paper has none, the one that fits; with a polish, which wants a dimension for each
    state, the number of states.
    `changes` are fields of the recipe.
    """
    _check_names(changes)
    check_drawn(inputs, samples=samples, max_digits=max_digits, data_seed=data_seed)
    recipe = find_recipe(preset, agent.name if agent.task else MACHINE).with_overrides(**changes)
    if hidden_size is None and agent.name not in TASKS and not recipe.polish:
        hidden_size = FIT
    size = hidden_size if isinstance(hidden_size, int) else usual_hidden_size(agent)
    fit: Literal["wanted", "no"] = "wanted" if hidden_size == FIT else "no"
    seeds = _seeds(first_seed, recipe)
    symbols_of_model(agent.name, agent.alphabet, agent.blank)
    check_memory(Shape(len(agent.alphabet), len(MOTION_NAMES), size), recipe.seeds, recipe)
    if agent.task is None:
        choice = Choice(samples or Choice.samples, max_digits, data_seed or 0)
        plan = _plan_machine(with_rejections(agent), inputs, language, choice, recipe, tuple(seeds))
        size = hidden_size if isinstance(hidden_size, int) else plan.hidden_size
        return replace(plan, hidden_size=size, fit=fit)
    if language is not None:
        raise InputError(f"{agent.name} is a task and knows its inputs; leave out --language")
    sampling = None
    if not inputs:
        asked = {"samples": samples, "max_digits": max_digits, "data_seed": data_seed}
        given = {name: value for name, value in asked.items() if value is not None}
        sampling = replace(usual_sampling(agent), **given)
    return Plan(agent, size, recipe, tuple(seeds), sampling, inputs, fit=fit)


def _plan_machine(
    machine: Agent,
    inputs: tuple[str, ...],
    pattern: str | None,
    choice: Choice,
    recipe: Recipe,
    seeds: tuple[int, ...],
) -> Plan:
    """The plan for a machine without a task; the fewest states that explain its lesson tell its size."""
    language = language_of_machine(machine, pattern)
    plan = Plan(machine, 1, recipe, seeds, None, inputs, pattern=pattern)
    if not inputs:
        lesson = lesson_of_machine(machine, language, choice)
        plan = replace(plan, inputs=lesson.inputs, max_steps=lesson.max_steps)
    fewest = fewest_states_of_traces(plan.traces(), machine)[1] or 1
    return replace(plan, hidden_size=fewest + SPARE, states=fewest)


def plan_recording(
    recording: Recording,
    preset: str = "quick",
    *,
    hidden_size: int | Literal["fit"] | None = None,
    first_seed: int | None = None,
    **changes: Any,
) -> Plan:
    """The plan for recorded traces.

    By default the hidden size is the number of states that explain them, or, without a polish, the one that
    fits.
    """
    for name in OF_AN_EXPERT:
        if changes.pop(name, None) is not None:
            raise InputError(f"{name} asks an expert, and {recording.name} was only recorded; leave it out")
    _check_names(changes)
    recipe = find_recipe(preset, "").with_overrides(**changes)
    fit = hidden_size == FIT or (hidden_size is None and not recipe.polish)
    size = hidden_size if isinstance(hidden_size, int) else None
    if size is None:
        size = fewest_states_of_traces(recording.traces.subset(recording.shown))[1]
        if size is None:
            raise InputError(
                f"{recording.name}: no machine was found to tell the size by; give --hidden-size N"
            )
    seeds = _seeds(first_seed, recipe)
    check_memory(Shape(len(recording.alphabet), len(MOTION_NAMES), size), recipe.seeds, recipe)
    return Plan(recording, size, recipe, tuple(seeds), fit="wanted" if fit else "no")


def _seeds(first_seed: int | None, recipe: Recipe) -> range:
    """The seeds, checked; perhaps more than memory holds."""
    first = first_seed or 0
    last = first + recipe.seeds - 1
    if first < 0 or last > MOST_SEED:
        raise InputError(f"seeds must lie between 0 and {MOST_SEED:,}, found {first:,} to {last:,}")
    return range(first, last + 1)


def check_drawn(inputs: Sequence[str], **drawing: int | None) -> None:
    """Refuse settings that say how inputs are drawn where the inputs are given."""
    said = next((name for name, value in drawing.items() if value is not None), None)
    if inputs and said:
        raise InputError(f"the inputs are given, and none is drawn; leave out --{said.replace('_', '-')}")


def _check_names(changes: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Recipe) if field.name != "preset"]
    for name in changes:
        if name in RENAMED:
            raise InputError(f"{name} is called {RENAMED[name]} now")
        if name not in known:
            raise UnknownName("setting", name, [*known, *RENAMED.values(), "data_seed", "first_seed"])


def usual_hidden_size(agent: Agent) -> int:
    """The paper's for its tasks, else the number of states, but for a few."""
    if agent.name in TASKS:
        return TASKS[agent.name].hidden_size
    return HIDDEN_SIZES.get(agent.name, len(agent.states))


def usual_sampling(agent: Agent) -> Sampling:
    """The paper's set for its four tasks; for others every one-digit input and enough up to three digits."""
    task = agent.task
    assert task is not None
    if agent.name in PAPER_SAMPLING:
        return PAPER_SAMPLING[agent.name]
    if isinstance(task, WordTask):
        return WORD_SAMPLING[task.name]
    if task.name in NUMBER_SAMPLING:
        return NUMBER_SAMPLING[task.name]
    assert isinstance(task, NumberTask)
    radix, arity = task.radix, task.operand_count
    least = (2 * radix) ** arity if arity == 1 else 2 * radix**2
    wanted = least + max(100, 2 * agent.rule_count)
    return Sampling(p=1, max_digits=3, samples=min(task.count_up_to(3, wanted), wanted))


def plan_from_json(config: Mapping[str, Any], origin: str) -> Plan:
    """The plan a run folder was made with."""
    try:
        if config["format"] not in (FORMAT, OLD_FORMAT):
            raise InputError(f"{origin}: expected a run of format {FORMAT!r}, found {config['format']!r}")
        config = _renamed(config)
        machine = config["machine"]
        subject: Agent | Recording
        if config.get("recorded"):
            subject = read_recording(Path(origin) / RECORDING, config.get("hold_out", True))
        else:
            subject = parse_machine(machine, "json") if machine else expert(config["agent"])
        return Plan(
            subject,
            hidden_size=int(config["hidden_size"]),
            recipe=Recipe(**config["recipe"]),
            seeds=tuple(config["seeds"]),
            sampling=Sampling(**_renamed(config["sampling"])) if config["sampling"] else None,
            inputs=tuple(config["inputs"]),
            max_steps=int(config["max_steps"]),
            states=config.get("states"),
            fit="done" if config.get("fit") else "no",
            pattern=config.get("language"),
        )
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{origin} holds another configuration than this version writes ({error}); start anew"
        ) from error


def _renamed(config: Mapping[str, Any]) -> dict[str, Any]:
    return {RENAMED.get(name, name): value for name, value in config.items()}


def versions() -> dict[str, str]:
    """What the run was made with."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("dfst", "numpy", "numba", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def weights_of(
    theta: NDArray[Any], plan: Plan, traces: TraceSet, seed: int, iterations: int, **more: str
) -> Weights:
    """One seed's parameters (P,) as weights that can act, with their history written on them."""
    agent = plan.subject
    A, B, C, h0 = (np.array(part) for part in plan.shape(traces).split(theta))
    return Weights(
        A,
        B,
        C,
        h0,
        alphabet=symbols_of_model(agent.name, agent.alphabet, agent.blank),
        motions=traces.motions,
        layout=agent.layout,
        name=agent.name,
        task=agent.task,
        training={
            "samples": str(len(traces)),
            "data_seed": str(plan.sampling.data_seed) if plan.sampling else "",
            "seed": str(seed),
            "iterations": str(iterations),
            "recipe": plan.recipe.preset,
            **more,
        },
    )
