"""A memory of hidden states changes nothing but the time."""

from __future__ import annotations

import numpy as np
import pytest
from test_rollouts import turned

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout import compiled
from dfst.model.rollout.compiled import UNKNOWN, Memory, Rollout
from dfst.world.grid import Limits

TEXTS = ["1011+111", "1" * 40 + "+1", "1" * 60 + "+" + "1" * 60]


def outcome(run):
    return run.steps, run.halted, run.head, run.cells, run.margin, run.difference


@pytest.mark.parametrize("room", [1, 2, 7, 64])
@pytest.mark.parametrize("repeats", [True, False])
def test_bits_are_those_of_a_run_without_memory(room, repeats, monkeypatch):
    """With little room, steps that end in the midst of it, several runs."""
    monkeypatch.setattr(compiled, "ROOM", room)
    agent = expert("add2")
    exact = compile_agent(agent)
    weights = exact if repeats else turned(exact, seed=5).astype(np.float32)
    rollout, plain = Rollout(weights), Rollout(weights)
    for text in TEXTS * 2:
        for limits in (Limits(), Limits(steps=97)):
            expected = plain.run(text, limits, against=agent, remember=False)
            assert outcome(rollout.run(text, limits, against=agent)) == outcome(expected)


def test_what_is_kept_is_found_again_and_what_has_no_room_is_not(monkeypatch):
    monkeypatch.setattr(compiled, "ROOM", 8)
    made = Memory(d=3, symbols=2, width=8, dtype=np.dtype(np.float32))
    for i in [*range(8), *range(8)]:
        made.work[0, :3] = i
        assert made.enter(0) == i
    made.work[0, :3] = -1
    assert made.enter(0) == UNKNOWN


def test_a_model_that_repeats_becomes_a_table():
    rollout = Rollout(compile_agent(expert("add2")))
    rollout.run("1" * 300 + "+" + "1" * 300)
    (used,) = rollout._idle
    assert used.kept[0] == 12
