"""The plan of a training run: everything that decides its outcome, as it stands in config.json."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.errors import InputError
from dfst.formats import format_machine, parse_machine
from dfst.learning.recipe import PAPER_D, Recipe
from dfst.model.weights import Shape
from dfst.traces.sample import PAPER_SAMPLING, Sampling, record_all, sample_traces
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits

FORMAT = "dfst-run/1"


@dataclass(frozen=True)
class Plan:
    """What is learnt, from what, how."""

    agent: Agent
    d: int
    recipe: Recipe
    seeds: tuple[int, ...]
    sampling: Sampling | None = None
    """The paper's sampler; None when the inputs are given."""
    inputs: tuple[str, ...] = ()
    max_steps: int = 100_000
    """Longest trace that is recorded of a given input."""

    def __post_init__(self) -> None:
        if self.d < 1:
            raise InputError(f"d must be at least 1, found {self.d}")

    def traces(self) -> TraceSet:
        """The training set."""
        if self.sampling is not None:
            return sample_traces(self.agent, self.sampling)
        return record_all(self.agent, list(self.inputs), Limits(steps=self.max_steps))

    def shape(self, traces: TraceSet) -> Shape:
        return Shape(len(traces.alphabet), len(traces.motions), self.d)

    def as_json(self, traces: TraceSet) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "agent": self.agent.name,
            "machine": None if self.agent.task else format_machine(self.agent, "json"),
            "d": self.d,
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "sampling": asdict(self.sampling) if self.sampling else None,
            "inputs": list(self.inputs),
            "max_steps": self.max_steps,
            "data": {"traces": len(traces), "tokens": traces.tokens, "sha256": traces.fingerprint},
            "versions": versions(),
        }


def default_sampling(agent: Agent) -> Sampling:
    """The paper's set for its four tasks; for others every one-digit input and enough up to three digits."""
    if agent.task is None:
        raise InputError(f"{agent.name} has no task to draw inputs from; give --inputs")
    if agent.name in PAPER_SAMPLING:
        return PAPER_SAMPLING[agent.name]
    radix, arity = agent.task.radix, agent.task.operand_count
    least = (2 * radix) ** arity if arity == 1 else 2 * radix**2
    room = (radix * (radix**3 - 1) // (radix - 1)) ** arity
    return Sampling(p=1, q=3, n=min(room, least + max(100, 2 * agent.rule_count)))


def plan_from_json(config: Mapping[str, Any], origin: str) -> Plan:
    """The plan a run folder was made with."""
    try:
        if config["format"] != FORMAT:
            raise InputError(f"{origin}: expected a run of format {FORMAT!r}, found {config['format']!r}")
        machine = config["machine"]
        return Plan(
            agent=parse_machine(machine, "json") if machine else expert(config["agent"]),
            d=int(config["d"]),
            recipe=Recipe(**config["recipe"]),
            seeds=tuple(config["seeds"]),
            sampling=Sampling(**config["sampling"]) if config["sampling"] else None,
            inputs=tuple(config["inputs"]),
            max_steps=int(config["max_steps"]),
        )
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{origin} holds another configuration than this version writes ({error}); start anew"
        ) from error


def versions() -> dict[str, str]:
    """What the run was made with."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("dfst", "numpy", "numba", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def hidden_size(agent: Agent) -> int:
    """The paper's d for its tasks, else the number of states."""
    return PAPER_D.get(agent.name, len(agent.states))


def dtype_of(recipe: Recipe) -> np.dtype[Any]:
    return np.dtype(recipe.precision)
