"""Every version of the recurrence against float64 autograd of the plain loop: every tensor, awkward sizes."""

from __future__ import annotations

import threading
from ast import literal_eval
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the reference needs torch")

from dfst.kernels.cpu import noise as noise_cpu
from dfst.kernels.cpu import recurrence as cpu
from dfst.kernels.cpu.schedule import SHARDS
from dfst.kernels.reference import recurrence as reference
from dfst.kernels.reference.noise import Noise, noise_key
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import MOTIONS
from dfst.world.trace import Trace

MIXED = [0, 1, 2, 7, 63, 64, 65, 7, 0, 30]
# symbols, motions, d, lengths of the traces, seeds, traces a batch
CASES = [
    (2, 5, 1, MIXED, 2, 11),
    (1, 1, 3, MIXED, 1, 5),
    (4, 5, 12, MIXED, 3, 13),
    (4, 5, 12, [70] * 9, 2, 32),
    (5, 5, 13, MIXED, 2, 7),
    (12, 5, 20, MIXED, 2, 11),
    (4, 5, 32, MIXED, 1, 3),
    (13, 6, 33, MIXED, 2, 10),
    (3, 5, 41, MIXED, 1, 70),
    (12, 5, 108, [65, 1, 0, 40], 2, 6),
    (3, 5, 8, [0, 0], 1, 2),
    (3, 5, 8, [1], 2, 1),
    (2, 5, 4, [700, 650], 1, 9),
]
UNKNOWN_SHARE = 0.1
"""Of the steps: what was done in them is not known, and no version may learn anything from it."""
TIGHT, LOOSE = 1e-12, 2e-5


def random_traces(rng: np.random.Generator, symbols: int, motions: int, lengths: list[int]) -> TraceSet:
    alphabet = tuple(f"a{i}" for i in range(symbols))

    def trace(n: int) -> Trace:
        x, s, m = (rng.integers(0, end, n).astype(np.uint8) for end in (symbols, symbols, motions))
        return Trace("t", "", alphabet, x, s, m)

    return gather([trace(n) for n in lengths], "t", alphabet, MOTIONS[:motions])


def random_case(case: Any, dtype: Any) -> tuple[Any, Shape, TraceSet, Any]:
    symbols, motions, d, lengths, seeds, b = case
    rng = np.random.default_rng([symbols, d, len(lengths), b])
    shape = Shape(symbols, motions, d)
    # Random orthogonal matrices keep h at length one over any number of steps.
    theta = rng.standard_normal((seeds, shape.size)) / np.sqrt(d)
    A, *_ = shape.split(theta)
    A[...] = np.linalg.qr(A)[0]
    traces = random_traces(rng, symbols, motions, lengths)
    traces = traces.without(rng.random(traces.tokens) < UNKNOWN_SHARE)
    chosen = rng.integers(0, len(lengths), (seeds, b))
    # Numbers that float32 holds too, so that both precisions have one truth.
    return theta.astype(np.float32).astype(dtype), shape, traces, chosen


@cache
def truth(case: str) -> tuple[Any, Any]:
    """The reference's answer, once for all versions and precisions."""
    return reference.losses_and_gradients(*random_case(literal_eval(case), np.float64))


def assert_same(found: Any, expected: Any, shape: Shape, tolerance: float) -> None:
    np.testing.assert_allclose(found[0], expected[0], rtol=tolerance)
    for name, part, truth in zip("ABCh", shape.split(found[1]), shape.split(expected[1]), strict=True):
        away = np.abs(part - truth).max(initial=0)
        assert away <= tolerance * max(1e-6, np.abs(truth).max(initial=0)), (
            f"gradient of {name} is {away} away"
        )


@pytest.mark.parametrize("version", [cpu], ids=["cpu"])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float64, TIGHT), (np.float32, LOOSE)], ids=["f64", "f32"]
)
def test_losses_and_gradients_are_those_of_the_loop(
    case: Any, version: Any, dtype: Any, tolerance: float
) -> None:
    theta, shape, traces, chosen = random_case(case, dtype)
    expected = truth(str(case))
    found = version.losses_and_gradients(theta, shape, traces, chosen)
    assert found[1].dtype == dtype
    assert_same(found, expected, shape, tolerance)


@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[7], CASES[9]], ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, TIGHT), (np.float32, LOOSE)])
def test_with_noise_and_reweighting_as_well(case: Any, dtype: Any, tolerance: float) -> None:
    theta, shape, traces, chosen = random_case(case, dtype)
    noise = Noise(0.25, np.array([noise_key(seed, 7) for seed in range(len(theta))]))
    weight = np.linspace(0.1, 3.0, traces.tokens)
    expected = reference.losses_and_gradients(theta.astype(np.float64), shape, traces, chosen, noise, weight)
    found = cpu.losses_and_gradients(theta, shape, traces, chosen, noise=noise, step_weights=weight)
    assert_same(found, expected, shape, tolerance)


def test_keys_are_the_same_compiled() -> None:
    for seed in (0, 7, 2**40 + 1):
        for step in (0, 1, 499_999):
            assert noise_key(seed, step) == noise_cpu.noise_key(seed, step)


def test_noise_is_as_often_up_as_down_and_differs_from_seed_to_seed_and_token_to_token() -> None:
    keys = np.array([noise_key(0, 0), noise_key(1, 0), noise_key(0, 1)])
    drawn = np.array([[Noise(2.0, keys).of(i, token, 70) for token in range(300)] for i in range(3)])
    assert set(np.unique(drawn)) == {-2.0, 2.0}
    flat = drawn.reshape(-1, 70)
    assert np.abs(flat.mean()) < 0.04
    # rows (seeds, steps, tokens) and columns are as good as independent: correlations within six sigmas
    assert np.abs(np.corrcoef(flat) - np.eye(len(flat))).max() < 6 / np.sqrt(70)
    assert np.abs(np.corrcoef(flat.T) - np.eye(70)).max() < 6 / np.sqrt(len(flat))


def test_the_reference_gradient_is_the_slope_of_its_loss() -> None:
    theta, shape, traces, chosen = random_case((3, 5, 4, [5, 2, 0], 1, 4), np.float64)
    _, gradients = reference.losses_and_gradients(theta, shape, traces, chosen)
    for i in range(shape.size):
        nudge = np.zeros_like(theta)
        nudge[0, i] = 1e-6
        above, _ = reference.losses_and_gradients(theta + nudge, shape, traces, chosen)
        below, _ = reference.losses_and_gradients(theta - nudge, shape, traces, chosen)
        assert (above - below)[0] / 2e-6 == pytest.approx(gradients[0, i], abs=1e-8)


def test_the_loss_of_a_known_model() -> None:
    """B = C = 0: each step misses one symbol and one motion, so the loss is 1 however long the trace is."""
    shape = Shape(3, 5, 4)
    traces = random_traces(np.random.default_rng(0), 3, 5, [9, 4])
    for version in (reference, cpu):
        losses, _ = version.losses_and_gradients(np.zeros((1, shape.size)), shape, traces, np.array([[0, 1]]))
        assert losses == pytest.approx(1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [13, 25, 41])
@pytest.mark.parametrize("batch", [3, 11, 70])
def test_bits_do_not_depend_on_other_seeds(d: int, batch: int, dtype: Any) -> None:
    theta, shape, traces, chosen = random_case((5, 5, d, MIXED, 5, batch), dtype)
    losses, gradients = cpu.losses_and_gradients(theta, shape, traces, chosen)
    for seed in range(5):
        alone = cpu.losses_and_gradients(theta[seed : seed + 1], shape, traces, chosen[seed : seed + 1])
        np.testing.assert_array_equal(alone[0], losses[seed : seed + 1])
        np.testing.assert_array_equal(alone[1], gradients[seed : seed + 1])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_uninitialised_memory_is_used(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    theta, shape, traces, chosen = random_case(case, np.float64)
    expected = cpu.losses_and_gradients(theta, shape, traces, chosen)
    empty = np.empty

    def poisoned(size: Any, dtype: Any = np.float64) -> Any:
        array = empty(size, dtype)
        array.fill(np.nan if array.dtype.kind == "f" else 2**40)
        return array

    monkeypatch.setattr(np, "empty", poisoned)
    monkeypatch.setattr(np, "empty_like", lambda like: poisoned(like.shape, like.dtype))
    found = cpu.losses_and_gradients(theta, shape, traces, chosen)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_infinity_stays_with_its_seed() -> None:
    theta, shape, traces, chosen = random_case((4, 5, 12, [20, 30, 5], 3, 6), np.float32)
    calm = cpu.losses_and_gradients(theta, shape, traces, chosen)
    theta[1] *= 1e30
    with np.errstate(invalid="ignore", over="ignore"):
        losses, gradients = cpu.losses_and_gradients(theta, shape, traces, chosen)
    assert not np.isfinite(losses[1])
    for seed in (0, 2):
        assert losses[seed] == calm[0][seed]
        np.testing.assert_array_equal(gradients[seed], calm[1][seed])


def test_calls_from_several_threads_do_not_meet() -> None:
    theta, shape, traces, chosen = random_case((4, 5, 12, MIXED, 2, 13), np.float32)
    expected = cpu.losses_and_gradients(theta, shape, traces, chosen)
    results: list[Any] = [None] * 4

    def call(i: int) -> None:
        results[i] = cpu.losses_and_gradients(theta, shape, traces, chosen)

    callers = [threading.Thread(target=call, args=(i,)) for i in range(len(results))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for result in results:
        np.testing.assert_array_equal(result[1], expected[1])


def test_a_batch_smaller_than_the_number_of_shards() -> None:
    assert SHARDS > 1
    theta, shape, traces, _ = random_case((4, 5, 12, MIXED, 1, 1), np.float64)
    chosen = np.array([[4]])
    expected = reference.losses_and_gradients(theta, shape, traces, chosen)
    assert_same(cpu.losses_and_gradients(theta, shape, traces, chosen), expected, shape, TIGHT)
