"""Closed loops: the compiled one against the readable one, and both against the experts."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from random_agent import random_agent

from dfst.errors import DfstError, MissingRule
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.rollout.transducer import rescaled
from dfst.world.grid import Limits
from dfst.world.unit import ClosedLoop, hold_against

EXPERTS = ["add2", "add10", "mult2", "mult10", "sub3", "compare10", "increment2", "sort10"]


def turned(weights, seed):
    """The same model in another basis: same behaviour in exact arithmetic, other bits."""
    d = weights.shape.d
    T, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))
    w = weights.astype(np.float64)
    return replace(
        w,
        A=np.ascontiguousarray(T @ w.A @ T.T),
        B=np.ascontiguousarray(w.B @ T.T),
        C=np.ascontiguousarray(w.C @ T.T),
        h0=T @ w.h0,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", EXPERTS)
def test_compiled_experts_act_like_the_experts_step_by_step(name, dtype):
    agent = expert(name)
    rng = np.random.default_rng(1)
    rollout = Rollout(compile_agent(agent, dtype=dtype))
    for n in (1, 2, 5, 17):
        text = agent.task.write(agent.task.random_operands(rng, (n,) * agent.task.operand_count))
        run = rollout.run(text, against=agent)
        assert run.difference is None
        assert run.halted
        assert run.answer == agent.run(text).answer
        assert run.margin == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["add2", "mult2", "sort3"])
def test_compiled_and_readable_agree_to_the_last_bit(name, dtype):
    weights = turned(compile_agent(expert(name)), seed=3).astype(dtype)
    text = weights.task.example
    slow = ClosedLoop(weights, text).finish()
    for remember in (True, False):
        fast = Rollout(weights).run(text, remember=remember)
        assert (fast.steps, fast.halted, fast.head, fast.cells) == (
            slow.steps,
            slow.halted,
            slow.head,
            slow.cells,
        )
        assert fast.margin == slow.margin
        assert fast.relative_margin == pytest.approx(slow.relative_margin, rel=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_random_agents_and_their_compiled_dfsts(seed):
    rng = np.random.default_rng(seed)
    agent = random_agent(rng, states=int(rng.integers(1, 9)), symbols=int(rng.integers(2, 6)))
    limits = Limits(steps=500)
    try:
        expected = ClosedLoop(agent, "", limits).finish()
    except MissingRule:
        return
    run = Rollout(compile_agent(agent)).run("", limits, against=agent)
    assert run.difference is None
    assert (run.steps, run.halted) == (expected.steps, expected.halted)
    assert [c for c, _ in run.cells] == [c for c, _ in expected.cells]


def test_a_difference_is_found_where_it_is():
    agent = expert("add10")
    weights = compile_agent(agent)
    B = weights.B.copy()
    state = agent.states.index("carry")
    B[3, :, state] = 0
    B[3, 9, state] = 1
    run = Rollout(replace(weights, B=B)).run("38+5", against=agent)
    assert run.difference is not None
    assert run.difference.read == "3"
    assert run.difference.expected == ("4", "D")
    assert run.difference.found == ("9", "D")
    assert run.difference.step == run.steps


def test_remembered_bits_change_nothing():
    weights = turned(compile_agent(expert("add2")), seed=1).astype(np.float32)
    rollout = Rollout(weights)
    texts = ["1" * n + "+" + "1" * m for n in (3, 40) for m in (1, 40)]
    first = [rollout.run(t) for t in texts]
    again = [rollout.run(t) for t in texts]
    plain = [rollout.run(t, remember=False) for t in texts]
    for a, b, c in zip(first, again, plain, strict=True):
        assert (a.steps, a.answer, a.margin) == (b.steps, b.answer, b.margin) == (c.steps, c.answer, c.margin)


def test_many_at_once_is_one_at_a_time():
    agent = expert("mult10")
    rollout = Rollout(compile_agent(agent))
    texts = [f"{a}×{b}" for a in (7, 99, 12345) for b in (0, 88, 404)]
    assert [r.answer for r in rollout.run_each(texts)] == [rollout.run(t).answer for t in texts]


class Waiting(Rollout):
    """Its first run ends when its last has begun, or never does."""

    def __init__(self, weights):
        super().__init__(weights)
        self.begun, self.last = [], threading.Event()

    def run(self, text, *rest):
        self.begun.append(text)
        if text == "111+1":
            self.last.set()
        if text == "1+1":
            assert self.last.wait(20)
        return super().run(text, *rest)


def test_a_core_that_is_done_takes_the_next_input():
    rollout = Waiting(compile_agent(expert("add2")))
    texts = ["1+1", "1+0", "10+1", "11+1", "100+1", "101+1", "110+1", "111+1"]
    runs = rollout.run_each(texts, threads=2)
    assert [run.input for run in runs] == texts
    assert sorted(rollout.begun) == sorted(texts)


class Slow(Rollout):
    """Takes its time, so that whoever stops it is always faster."""

    def __init__(self, weights):
        super().__init__(weights)
        self.begun = []

    def run(self, text, *rest):
        self.begun.append(text)
        time.sleep(0.02)
        return super().run(text, *rest)


def test_who_has_seen_enough_leaves_the_rest_undone():
    rollout = Slow(compile_agent(expert("add2")))
    runs = rollout.run_each(["10+1"] * 500, threads=1)
    assert next(runs).answer == "11"
    runs.close()
    assert len(rollout.begun) < 500


def test_out_of_steps_is_not_halted():
    run = Rollout(compile_agent(expert("add2"))).run("111+111", Limits(steps=10))
    assert not run.halted
    assert run.steps == 10
    assert run.answer is None


def test_an_overflowing_hidden_state_is_an_error():
    weights = compile_agent(expert("add2"))
    with pytest.raises(DfstError, match="overflowed at step"):
        Rollout(replace(weights, A=weights.A * np.float32(3e38))).run("1" * 40 + "+1")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [0.25, 0.3, 3, 1e9])
def test_a_hidden_state_that_fades_or_grows_is_rescaled_and_the_run_goes_on(factor, dtype):
    agent, text = expert("add2"), "1" * 40 + "+1"
    exact = turned(compile_agent(agent), 3).astype(dtype)
    weights = replace(exact, A=exact.A * dtype(factor))
    fast, slow = Rollout(weights).run(text, against=agent), hold_against(weights, agent, text)
    assert fast.halted
    assert slow.halted
    assert (fast.steps, fast.margin) == (slow.steps, slow.margin)
    assert fast.norm == pytest.approx(slow.norm)
    assert fast.answer == slow.answer == "1" + "0" * 40
    if factor == 0.25:  # a power of two: the same directions, to the bit
        hold_against(exact, agent, text)
        some = exact.hidden != 0
        assert len(set(weights.hidden[some] / exact.hidden[some])) == 1


def test_rescaling_is_exact_and_rare():
    rng = np.random.default_rng(0)
    for exponent in range(-140, 128, 4):
        h = np.ldexp(rng.uniform(-1, 1, 5), exponent).astype(np.float32)
        largest, found = np.abs(h).max(), rescaled(h)
        if 2.0**-60 <= largest < 2.0**60 or 2.0**-40 <= abs(h[0]) < 2.0**40:
            assert found is h
        else:
            assert np.array_equal(found, np.ldexp(h, -60 if largest > 1 else 60))
        assert found.dtype == h.dtype
    assert not rescaled(np.zeros(3)).any()
    assert np.isinf(rescaled(np.array([np.inf, 1.0]))[0])


def test_traces_of_models_and_agents_are_the_same():
    agent = expert("add2")
    assert compile_agent(agent).trace("101+11").same_as(agent.trace("101+11"))


@pytest.mark.parametrize("seed", range(20))
def test_both_loops_leave_the_expert_at_the_same_action(seed):
    agent = expert("add2")
    rng = np.random.default_rng(seed)
    exact = turned(compile_agent(agent), seed=seed)
    weights = replace(exact, B=exact.B + rng.normal(size=exact.B.shape) * 0.3 * rng.random())
    for text in ("1+1", "1011+111"):
        limits = Limits(steps=200)
        fast = Rollout(weights).run(text, limits, against=agent)
        slow = hold_against(weights, agent, text, limits)
        assert (fast.steps, fast.halted, fast.head, fast.cells, fast.difference) == (
            slow.steps,
            slow.halted,
            slow.head,
            slow.cells,
            slow.difference,
        )
        assert fast.steps == 0 or fast.margin == slow.margin


def test_a_run_held_against_an_expert_just_ends_where_it_overflows():
    agent = expert("add2")
    exact = compile_agent(agent)
    weights, text = replace(exact, A=exact.A * np.float32(3e38)), "1" * 40 + "+1"
    fast, slow = Rollout(weights).run(text, against=agent), hold_against(weights, agent, text)
    assert (fast.steps, fast.halted, fast.difference) == (slow.steps, slow.halted, slow.difference)
    assert not fast.halted
    with pytest.raises(DfstError) as compiled:
        Rollout(weights).run(text)
    with pytest.raises(DfstError) as readable:
        ClosedLoop(weights, text).finish()
    assert str(compiled.value) == str(readable.value)


def test_an_agent_held_against_itself_never_leaves():
    agent = expert("mult2")
    run = hold_against(agent, agent, "11×10")
    assert (run.difference, run.answer) == (None, "110")
