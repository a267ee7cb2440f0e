"""Subjects that the viewer is tried on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.machines import Agent, RuleBook
from dfst.model import Weights
from dfst.world.grid import D, L, R, U


def langton() -> Agent:
    """Langton's ant, its heading in the state."""
    rules, headings = RuleBook(("0", "1"), blank="0"), ("up", "right", "down", "left")
    moves = dict(zip(headings, (U, R, D, L), strict=True))
    for i, heading in enumerate(headings):
        right, left = headings[(i + 1) % 4], headings[i - 1]
        rules.on(heading, "0", moves[right], write="1", to=right)
        rules.on(heading, "1", moves[left], write="0", to=left)
    return rules.agent("langton")


def dense(weights: Weights, seed: int, noise: float = 0.0) -> Weights:
    """The same model in a basis without zeros, as learnt ones are; noise makes it err."""
    rng, d = np.random.default_rng(seed), len(weights.h0)
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    exact = weights.astype(np.float64)
    turned = {"A": Q @ exact.A @ Q.T, "B": exact.B @ Q.T, "C": exact.C @ Q.T, "h0": Q @ exact.h0}
    shaken = {name: tensor + noise * rng.normal(size=tensor.shape) for name, tensor in turned.items()}
    return replace(exact, **shaken).astype(weights.dtype)
