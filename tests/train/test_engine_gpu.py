"""The GPU engine against the CPU engine and itself: interpreted everywhere, on a GPU with `-m gpu`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evidence import slow

torch = pytest.importorskip("torch", reason="training needs torch")
GPU = torch.cuda.is_available()
if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="no Triton for this platform: the kernels cannot even be interpreted")

from dfst.errors import InputError  # noqa: E402
from dfst.model.weights import Shape  # noqa: E402
from dfst.traces.traceset import TraceSet, gather  # noqa: E402
from dfst.train.engine_cpu import CpuEngine  # noqa: E402
from dfst.train.engine_gpu import GpuEngine  # noqa: E402
from dfst.train.order import batch  # noqa: E402
from dfst.train.recipe import Recipe  # noqa: E402
from dfst.train.state import TrainingState, initial_state  # noqa: E402
from dfst.world.grid import MOTIONS  # noqa: E402
from dfst.world.trace import Trace  # noqa: E402

DEVICE = "cuda" if GPU else "cpu"
SHAPE = Shape(3, 5, 6)
RECIPE = Recipe("test", steps=100, learning_rate=0.05, batch_size=3, gradient_clip=0.5, weight_decay=0.005)


def some_traces(shape: Shape, lengths: list[int]) -> TraceSet:
    rng = np.random.default_rng(7)
    alphabet = tuple(f"a{i}" for i in range(shape.symbols))

    def draw(end: int, length: int) -> Any:
        return rng.integers(0, end, length).astype(np.uint8)

    return gather(
        [Trace("t", "", alphabet, *(draw(e, n) for e in (shape.symbols, shape.symbols, 5))) for n in lengths],
        "t",
        alphabet,
        MOTIONS,
    )


TRACES = some_traces(SHAPE, [2, 3, 0, 1, 3])


def trained(engine: Any, state: TrainingState, counts: list[int]) -> TrainingState:
    for count in counts:
        engine.advance(state, count)
    engine.sync(state)
    return state


@pytest.mark.parametrize(
    "recipe",
    [
        replace(RECIPE, state_noise=2.0, reweighting=0.5),
        # the powers of every matrix are slow to interpret
        *slow(replace(RECIPE, batch_size=9, gradient_clip=0.0, weight_decay=0.0, learning_rate=0.01)),
        *slow(RECIPE, replace(RECIPE, state_noise=2.0, stability=0.3)),
    ],
)
def test_it_trains_as_the_cpu_does(recipe: Recipe) -> None:
    here, there = (initial_state(SHAPE, [3, 8], np.float64) for _ in range(2))
    gpu, cpu = GpuEngine(SHAPE, TRACES, recipe, DEVICE), CpuEngine(SHAPE, TRACES, recipe)
    for count in (2, 1):
        np.testing.assert_allclose(gpu.advance(here, count), cpu.advance(there, count), rtol=1e-11)
    gpu.sync(here)
    np.testing.assert_allclose(gpu.latest, cpu.latest, rtol=1e-11)
    for name in ("theta", "first", "second", "norm"):
        np.testing.assert_allclose(getattr(here, name), getattr(there, name), rtol=1e-9, atol=1e-13)
    assert here.iteration == there.iteration == 3


def test_it_sees_the_traces_that_the_order_names() -> None:
    engine = GpuEngine(SHAPE, TRACES, RECIPE, DEVICE)
    state = initial_state(SHAPE, [5, 2**40 + 1], np.float32)
    state.iteration = 50
    engine.advance(state, 2)
    assert engine._resident is not None
    chosen = engine._resident.plan.chosen.cpu().numpy()
    for i in range(2):
        for j, seed in enumerate(state.seeds):
            drawn = batch(int(seed), 50 + i, len(TRACES), 3)
            longest_first = np.argsort(-TRACES.lengths[drawn], kind="stable")
            np.testing.assert_array_equal(chosen[i, j], drawn[longest_first])


def test_a_run_cut_anywhere_and_a_seed_alone_end_in_the_same_bits() -> None:
    whole = trained(GpuEngine(SHAPE, TRACES, RECIPE, DEVICE), initial_state(SHAPE, [1, 2], np.float32), [2])
    cut = trained(GpuEngine(SHAPE, TRACES, RECIPE, DEVICE), initial_state(SHAPE, [1, 2], np.float32), [1])
    trained(GpuEngine(SHAPE, TRACES, RECIPE, DEVICE), cut, [1])
    alone = trained(GpuEngine(SHAPE, TRACES, RECIPE, DEVICE), initial_state(SHAPE, [2], np.float32), [2])
    for name in ("theta", "first", "second", "norm"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(cut, name))
        np.testing.assert_array_equal(getattr(whole, name)[1:], getattr(alone, name))


def test_a_seed_that_diverges_is_frozen_and_the_others_go_on() -> None:
    engine = GpuEngine(SHAPE, TRACES, RECIPE, DEVICE)
    state, well = initial_state(SHAPE, [1, 2], np.float32), initial_state(SHAPE, [2], np.float32)
    state.theta[0, -1] = np.inf
    with np.errstate(all="ignore"):
        losses = engine.advance(state, 2)
    engine.sync(state)
    assert state.alive.tolist() == [False, True]
    assert np.isnan(losses[0])
    assert np.isfinite(losses[1])
    assert not state.first[0].any()
    np.testing.assert_array_equal(
        state.theta[1:], trained(GpuEngine(SHAPE, TRACES, RECIPE, DEVICE), well, [2]).theta
    )


@pytest.mark.parametrize("clip", [0.0, 1.0])
def test_a_gradient_whose_square_overflows_stops_the_seed_unless_it_is_clipped(clip: float) -> None:
    states = [initial_state(SHAPE, [3], np.float32) for _ in range(2)]
    recipe = replace(RECIPE, gradient_clip=clip)
    for state, engine in zip(
        states, (GpuEngine(SHAPE, TRACES, recipe, DEVICE), CpuEngine(SHAPE, TRACES, recipe)), strict=True
    ):
        A, B, *_ = SHAPE.split(state.theta)
        A[:], B[:] = 0, 1e12
        with np.errstate(all="ignore"):
            trained(engine, state, [1])
        assert state.alive.tolist() == [clip > 0]
    # sums of products round otherwise from processor to processor
    np.testing.assert_allclose(states[0].theta, states[1].theta, rtol=4 * np.finfo(np.float32).eps)


@pytest.mark.skipif(GPU, reason="there is a GPU here")
def test_without_a_gpu_one_line_says_what_to_do() -> None:
    with pytest.raises(InputError, match="--device cpu"):
        GpuEngine(SHAPE, TRACES, RECIPE)


@pytest.mark.gpu
def test_on_a_gpu_graphs_and_single_launches_end_in_the_same_bits() -> None:
    shape = Shape(12, 5, 20)
    traces = some_traces(shape, [60, 30, 69, 1, 44] * 8)
    recipe = Recipe("test", steps=1000, learning_rate=0.003, gradient_clip=1.0, weight_decay=0.01)
    long = trained(GpuEngine(shape, traces, recipe), initial_state(shape, [1, 2, 3], np.float32), [100])
    short = trained(
        GpuEngine(shape, traces, recipe), initial_state(shape, [1, 2, 3], np.float32), [7] * 14 + [2]
    )
    np.testing.assert_array_equal(long.theta, short.theta)
    assert np.isfinite(long.theta).all()
