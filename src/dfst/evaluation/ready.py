"""Anything with a table or with weights, made ready to be evaluated at full speed, on the CPU or a GPU."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dfst.evaluation.evaluate import Subject
from dfst.machines.agent import Agent
from dfst.machines.rejections import with_rejections
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights


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
        from dfst.evaluation.side_by_side import SideBySide
        from dfst.kernels.gpu.rollout import able

        if able(models[0]):
            return list(SideBySide(models).subjects)
    return [Rollout(model) for model in models]
