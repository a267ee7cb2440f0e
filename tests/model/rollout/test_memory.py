"""A memory of hidden states changes nothing but the time, through whatever turns its clock takes it."""

from __future__ import annotations

import numpy as np
import pytest
from test_rollouts import turned

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout import memory
from dfst.model.rollout.compiled import Rollout
from dfst.model.rollout.memory import PAUSE, UNKNOWN, Memory
from dfst.world.grid import Limits

TEXTS = ["1011+111", "1" * 40 + "+1", "1" * 60 + "+" + "1" * 60]


def outcome(run):
    return run.steps, run.halted, run.head, run.cells, run.margin, run.difference


@pytest.mark.parametrize("first", [1, 2, 7, 64])
@pytest.mark.parametrize("pays", ["always", "never", "now and then"])
@pytest.mark.parametrize("repeats", [True, False])
def test_bits_are_those_of_a_run_without_memory(first, pays, repeats, monkeypatch):
    """Whatever the clock says, with little room, steps that end in the midst of a turn, several runs."""
    monkeypatch.setattr(memory, "FIRST", first)
    monkeypatch.setattr(memory, "PAUSE", 3)
    monkeypatch.setattr(memory, "MOST_BYTES", 120 * 32)
    rng = np.random.default_rng(first)
    answers = {
        "always": lambda *_: True,
        "never": lambda *_: False,
        "now and then": lambda *_: rng.random() < 0.5,
    }
    monkeypatch.setattr(Memory, "_pays", answers[pays])
    agent = expert("add2")
    exact = compile_agent(agent)
    weights = exact if repeats else turned(exact, seed=5).astype(np.float32)
    rollout, plain = Rollout(weights), Rollout(weights)
    for text in TEXTS * 2:
        for limits in (Limits(), Limits(steps=97)):
            expected = plain.run(text, limits, against=agent, remember=False)
            assert outcome(rollout.run(text, limits, against=agent)) == outcome(expected)


@pytest.fixture
def full() -> Memory:
    """A memory with no more room; it took two seconds a step to fill."""
    made = Memory(d=3, symbols=2, width=8, dtype=np.dtype(np.float32))
    for i in range(memory.FIRST):
        made.work[0, :3] = i
        assert made.enter(0) == i
    made.following[5, 1] = 9
    made.note(2.0 * memory.FIRST, memory.FIRST)
    made.work[0, :3] = -1
    assert made.enter(0) == UNKNOWN
    assert (made.on, made.patience) == (False, memory.FIRST)
    return made


def test_where_it_pays_it_grows_and_forgets_nothing(full):
    full.note(3.0 * memory.FIRST, memory.FIRST)
    full.turn()
    assert (full.on, full.patience, len(full.kept_h)) == (True, None, 2 * memory.FIRST)
    full.work[1, :3] = 5
    assert full.enter(1) == 5
    assert full.following[5, 1] == 9
    full.work[1, :3] = -1
    assert full.enter(1) == memory.FIRST


def test_where_it_does_not_pay_it_is_left_alone_and_begins_anew(full):
    full.note(1.0 * memory.FIRST, memory.FIRST)
    full.turn()
    assert (full.on, full.patience) == (False, PAUSE * memory.FIRST)
    full.note(1.0, PAUSE * memory.FIRST)
    assert full.patience == 0
    full.turn()
    assert (full.on, full.patience, len(full.kept_h)) == (True, None, 2 * memory.FIRST)
    assert full.kept[0] == 0
    assert (full.following == UNKNOWN).all()


def test_a_model_that_repeats_is_never_turned(monkeypatch):
    monkeypatch.setattr(Memory, "turn", lambda self: pytest.fail("there was room"))
    run = Rollout(compile_agent(expert("add2"))).run("1" * 300 + "+" + "1" * 300)
    assert run.steps > 20 * memory.FIRST


def test_a_model_that_never_repeats_is_mostly_computed(monkeypatch):
    monkeypatch.setattr(Memory, "_pays", lambda *_: False)
    rollout = Rollout(turned(compile_agent(expert("add2")), seed=5).astype(np.float32))
    rollout.run("1" * 300 + "+" + "1" * 300)
    (used,) = rollout._idle
    assert not used.on
    assert used.kept[0] <= 2 * memory.FIRST
