"""The CPU engine: torch's optimisers are its truth, and its bits depend on the state and the step alone."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the reference needs torch")

from dfst.experts import expert  # noqa: E402
from dfst.kernels.reference import recurrence as reference  # noqa: E402
from dfst.model.weights import Shape  # noqa: E402
from dfst.traces.traceset import TraceSet, gather  # noqa: E402
from dfst.train.engine_cpu import CpuEngine, Sharing  # noqa: E402
from dfst.train.interrupts import interrupts_held  # noqa: E402
from dfst.train.order import batch  # noqa: E402
from dfst.train.recipe import Recipe  # noqa: E402
from dfst.train.state import TrainingState, initial_state  # noqa: E402

SHAPE = Shape(4, 5, 7)
RECIPE = Recipe("test", steps=40, learning_rate=0.02, batch_size=3, gradient_clip=0.2, weight_decay=0.002)


def add2_traces() -> TraceSet:
    agent = expert("add2")
    return gather(
        [agent.trace(text) for text in ("1+1", "0+1", "10+1", "11+11", "1+0")], agent.name, agent.alphabet
    )


TRACES = add2_traces()


def advanced(
    counts: list[int], seeds: Any = (3, 8, 5), dtype: Any = np.float32, **options: Any
) -> TrainingState:
    state = initial_state(SHAPE, seeds, dtype)
    engine = CpuEngine(SHAPE, TRACES, options.pop("recipe", RECIPE), **options)
    for count in counts:
        engine.advance(state, count)
    return state


def assert_same_bits(one: TrainingState, other: TrainingState) -> None:
    assert one.iteration == other.iteration
    for name in ("theta", "first", "second", "norm", "alive"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize(
    "recipe",
    [
        RECIPE,
        replace(RECIPE, weight_decay=0.0, gradient_clip=0.0),
        replace(RECIPE, batch_size=99, beta1=0.5, beta2=0.9),
    ],
)
def test_it_trains_as_torch_does(recipe: Recipe) -> None:
    """20 steps of torch.optim.AdamW, clipped by the running norm, on the reference's gradients."""
    parameter = torch.nn.Parameter(torch.from_numpy(initial_state(SHAPE, [3], np.float64).theta))
    optimiser = torch.optim.AdamW(
        [parameter], lr=1.0, betas=(recipe.beta1, recipe.beta2), eps=recipe.epsilon, weight_decay=0.0
    )
    losses, usual = [], 1.0
    for step in range(20):
        chosen = batch(3, step, len(TRACES), recipe.batch_size)[None]
        loss, gradient = reference.losses_and_gradients(parameter.detach().numpy(), SHAPE, TRACES, chosen)
        losses.append(loss[0])
        optimiser.param_groups[0]["lr"] = float(recipe.levels(step, 1).rates[0])
        decay = float(recipe.levels(step, 1).decays[0])
        optimiser.param_groups[0]["weight_decay"] = decay / optimiser.param_groups[0]["lr"]
        parameter.grad = torch.from_numpy(gradient)
        if recipe.gradient_clip:
            norm = float(np.linalg.norm(gradient))
            limit = recipe.gradient_clip * usual
            parameter.grad *= min(1.0, limit / norm)
            usual = 0.99 * usual + 0.01 * min(norm, limit)
        optimiser.step()
    state = initial_state(SHAPE, [3], np.float64)
    engine = CpuEngine(SHAPE, TRACES, recipe)
    mean = engine.advance(state, 20)
    np.testing.assert_allclose(state.theta, parameter.detach().numpy(), rtol=1e-10, atol=1e-12)
    assert mean[0] == pytest.approx(np.mean(losses), rel=1e-12)
    assert recipe.gradient_clip == 0 or state.norm[0] == pytest.approx(usual, rel=1e-10)
    assert engine.latest[0] == pytest.approx(losses[-1], rel=1e-10)


def test_float32_follows_float64() -> None:
    narrow, wide = advanced([10]), advanced([10], dtype=np.float64)
    assert narrow.theta.dtype == np.float32
    np.testing.assert_allclose(narrow.theta, wide.theta, atol=2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_do_not_depend_on_how_steps_are_cut(dtype: Any) -> None:
    whole = advanced([40], dtype=dtype)
    assert_same_bits(advanced([1] * 40, dtype=dtype), whole)
    assert_same_bits(advanced([7, 20, 13], dtype=dtype), whole)


@pytest.mark.parametrize("seeds", [(3,), (3, 8, 5), (3, 8, 5, 1, 2, 9, 4, 7)])
def test_bits_do_not_depend_on_threads(seeds: tuple[int, ...]) -> None:
    alone = advanced([30], seeds, threads=1)
    for threads in (2, 3, 5):
        assert_same_bits(advanced([30], seeds, threads=threads), alone)


def test_bits_do_not_depend_on_whether_threads_share_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = advanced([30], threads=1)
    by_turns = [(7, True), (1, False), (12, False), (10, True)]
    monkeypatch.setattr(Sharing, "parts", lambda self, count: by_turns)
    assert_same_bits(advanced([30], threads=2), shared)


def test_bits_do_not_depend_on_other_seeds() -> None:
    together = advanced([30])
    for i, seed in enumerate((3, 8, 5)):
        np.testing.assert_array_equal(advanced([30], [seed]).theta[0], together.theta[i])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_a_seed_that_diverges_stops_alone(threads: int, value: float) -> None:
    healthy = advanced([30], threads=threads)
    state = initial_state(SHAPE, (3, 8, 5), np.float32)
    engine = CpuEngine(SHAPE, TRACES, RECIPE, threads)
    engine.advance(state, 10)
    state.theta[1] = value
    before = state.theta[1].copy(), state.first[1].copy(), state.second[1].copy()
    mean = engine.advance(state, 20)
    np.testing.assert_array_equal(state.alive, [True, False, True])
    for name, kept in zip(("theta", "first", "second"), before, strict=True):
        np.testing.assert_array_equal(getattr(state, name)[1], kept, err_msg=name)
    assert np.isnan(mean[1])
    assert np.isfinite(mean[[0, 2]]).all()
    for seed in (0, 2):
        np.testing.assert_array_equal(state.theta[seed], healthy.theta[seed])


def test_a_gradient_that_overflows_stops_the_seed_too() -> None:
    """The loss is finite in float64, the gradient of A is not in float32."""
    state = initial_state(SHAPE, [3], np.float32)
    A, B, *_ = SHAPE.split(state.theta)
    A[:], B[:] = 0, 1e19
    before = state.theta.copy()
    CpuEngine(SHAPE, TRACES, RECIPE).advance(state, 1)
    assert not state.alive.any()
    np.testing.assert_array_equal(state.theta, before)


def test_a_gradient_whose_square_overflows_stops_the_seed_unless_it_is_clipped() -> None:
    """Adam would never move again: its second moments would be infinite."""
    for clip, goes_on in ((0.0, False), (1.0, True)):
        state = initial_state(SHAPE, [3], np.float32)
        A, B, *_ = SHAPE.split(state.theta)
        A[:], B[:] = 0, 1e12
        before = state.theta.copy()
        CpuEngine(SHAPE, TRACES, replace(RECIPE, gradient_clip=clip)).advance(state, 1)
        assert state.alive.tolist() == [goes_on]
        assert np.isfinite(state.second).all()
        assert (state.theta != before).any() == goes_on


def test_training_learns() -> None:
    state = initial_state(SHAPE, [1, 2], np.float32)
    engine = CpuEngine(SHAPE, TRACES, Recipe("test", steps=600, learning_rate=0.02, gradient_clip=1.0))
    early = engine.advance(state, 10)
    engine.advance(state, 580)
    assert (engine.advance(state, 10) < early / 20).all()


def test_an_interrupt_waits_for_the_end_of_the_steps() -> None:
    done = []

    def interrupted() -> None:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("arrays")
            done.append("iteration")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["arrays", "iteration"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
