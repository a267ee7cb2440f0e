"""Anything with a table or with weights, made ready to be evaluated at full speed, on the CPU or a GPU."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dfst.errors import InputError
from dfst.evaluation.evaluate import Subject
from dfst.machines.agent import Agent
from dfst.machines.rejections import with_rejections
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights
from dfst.world.grid import Limits
from dfst.world.run import Run


def weights_of_subject(subject: Agent | Weights, precision: str = "as stored") -> Weights:
    """A model, or an agent as its exact one-hot model, with its rejections where it has no task."""
    if isinstance(subject, Agent):
        weights = compile_agent(subject if subject.task else with_rejections(subject))
    else:
        weights = subject
    return weights if precision == "as stored" else weights.astype(np.dtype(precision))


def is_table(weights: Weights) -> bool:
    """Whether its steps move zeros and ones about, as in a compiled or polished model."""
    return all(bool(np.isin(tensor, (0, 1)).all()) for tensor in (weights.A, weights.h0))


def ready(models: Sequence[Weights], device: Literal["cpu", "cuda"] = "cpu") -> list[Subject]:
    """Models of one shape, in order, as `evaluate` takes them.

    On a GPU all of them run side by side, if it can hold one. A model that soon repeats its hidden states to
    the bit is a table on the CPU, which no GPU outruns.
    """
    if device == "cuda" and models:
        from dfst.kernels.gpu.rollout import able

        if able(models[0]):
            return list(SideBySide(models).subjects)
    return [Rollout(model) for model in models]


class SideBySide:
    """Models of one shape; `subjects` are what `evaluate` takes, in order of the models.

    `evaluate` asks one subject at a time; a GPU wants all the seeds of a run together. Whoever asks first for
    an input has every model run on it, and the others find their runs made.
    """

    def __init__(self, models: Sequence[Weights], device: str = "cuda") -> None:
        from dfst.kernels.gpu.rollout import GpuRollouts

        self._rollouts = GpuRollouts(models, device)
        self.subjects = [OneOfThem(self) for _ in models]

    def prepare(self, texts: Sequence[str], limits: Limits, against: Agent) -> None:
        """Run every model on these inputs."""
        for subject, runs in zip(self.subjects, self._rollouts.run(texts, against, limits), strict=True):
            for text, run in zip(texts, runs, strict=True):
                subject.made[text, limits, against.name] = run


@dataclass(frozen=True, eq=False)
class OneOfThem:
    """One of the models, as `evaluate` takes it."""

    beside: SideBySide = field(repr=False)
    made: dict[tuple[str, Limits, str], Run] = field(default_factory=dict, repr=False)

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> Iterator[Run]:
        """This model's runs, in order; all are made before the first is there."""
        if against is None:
            raise InputError("rollouts on a GPU are compared with an expert; give one, or run on the CPU")
        keys = [(text, limits, against.name) for text in texts]
        lacking = dict.fromkeys(key[0] for key in keys if key not in self.made)
        if lacking:
            self.beside.prepare(list(lacking), limits, against)
        yield from (self.made[key] for key in keys)
