"""Anything with a table or with weights, made ready to be evaluated at full speed."""

from __future__ import annotations

import numpy as np

from dfst.agents.agent import Agent
from dfst.model.compile import compile_agent
from dfst.model.weights import Weights
from dfst.rollout.compiled import Rollout


def rollout_of(subject: Agent | Weights, precision: str = "as stored") -> Rollout:
    """A rollout of a model, or of an agent as its exact one-hot model."""
    weights = compile_agent(subject) if isinstance(subject, Agent) else subject
    return Rollout(weights if precision == "as stored" else weights.astype(np.dtype(precision)))
