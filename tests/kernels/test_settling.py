"""The penalty on walks that do not settle: the slow twin against its slope, the compiled ones against it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from numba import njit

from dfst.errors import InputError
from dfst.kernels.settling import settling, steps_to, walks_of
from dfst.kernels.settling_cpu import SPARE, add_settling, fill_walks
from dfst.kernels.tile import padded
from dfst.model.weights import Shape

SIZES = [(1, 1), (2, 3), (4, 12), (3, 17)]
"""symbols, d"""
LARGE = [(12, 20), (4, 32), (5, 33), (12, 108), (2, 128)]


def one_by_one(symbols: int) -> Any:
    return np.arange(symbols)[:, None]


def in_turn(symbols: int, length: int) -> Any:
    """Walks over several symbols, some of them twice."""
    return np.random.default_rng(length).integers(0, symbols, (symbols, length))


def matrices(symbols: int, d: int) -> Any:
    """Near a loop, so that powers neither vanish nor explode."""
    rng = np.random.default_rng([symbols, d])
    return np.eye(d) * 0.9 + rng.standard_normal((symbols, d, d)) * 0.4 / np.sqrt(d)


def test_loops_and_what_dies_out_cost_nothing() -> None:
    loop, fades = np.diag([1.0, 0.0, 1.0]), np.diag([1.0, 0.1, 0.0])
    dies_out = np.eye(5, k=1)
    for matrix in (loop, fades, dies_out):
        assert settling(matrix[None], one_by_one(1), 8)[0] < 1e-12


@pytest.mark.parametrize(
    "matrix",
    [np.array([[1.0, 0.1], [0.0, 1.0]]), np.diag([1.01, 0.0]), np.roll(np.eye(3), 1, axis=0)],
    ids=["drift", "growth", "turning"],
)
def test_drift_growth_and_turning_cost_something(matrix: Any) -> None:
    assert settling(matrix[None], one_by_one(1), 8)[0] > 1e-3


def test_cycles_whose_length_divides_n_are_let_be() -> None:
    turning = np.roll(np.eye(3), 1, axis=0)[None]
    assert settling(turning, one_by_one(1), 12)[0] < 1e-12
    assert settling(turning, one_by_one(1), 16)[0] > 0.1


def test_matrices_that_settle_alone_can_grow_in_turn() -> None:
    A = np.array([[[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]])
    assert settling(A, one_by_one(2), 6)[0] < 1e-12
    assert settling(A, np.array([[0, 1]]), 6)[0] > 1


def test_what_is_read_first_is_the_right_factor() -> None:
    """Reading 0, then 1, leads from the first state into the second; 1, then 0, leads nowhere."""
    first, second = np.zeros((2, 2)), np.zeros((2, 2))
    first[1, 0], second[1, 1] = 1, 1
    A = np.stack([first, second])
    assert settling(A, np.array([[0, 1]]), 1)[0] > 0.1
    assert settling(A, np.array([[1, 0]]), 1)[0] == 0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 12, 16, 24])
def test_the_steps_lead_to_twice_n(n: int) -> None:
    exponent = 1
    for step in steps_to(n):
        exponent += 1 if step else exponent
    assert exponent == 2 * n


@pytest.mark.parametrize("n", [0, -8, 5, 9, 10])
def test_other_lengths_are_refused_in_one_line(n: int) -> None:
    with pytest.raises(InputError, match=f"must settle by .* found {n}"):
        steps_to(n)


def test_growth_alone_lets_everything_else_be() -> None:
    half_learnt, turning = np.diag([0.97, 0.5]), np.roll(np.eye(3), 1, axis=0)
    ends = np.eye(5, k=1)
    merges = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for matrix in (half_learnt, turning, ends, merges, np.eye(3), np.zeros((2, 2))):
        penalty, gradient = settling(matrix[None], one_by_one(1), 8, growth=True)
        assert penalty == 0
        assert not gradient.any()
    for matrix in (np.diag([1.02, 1.0]), np.array([[1.0, 0.1], [0.0, 1.0]])):
        penalty, gradient = settling(matrix[None], one_by_one(1), 8, growth=True)
        assert penalty > 1e-3
        assert gradient[0, 0, 0] > 0


@pytest.mark.parametrize("growth", [False, True])
@pytest.mark.parametrize("n", [1, 3, 8, 12])
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize(("symbols", "d"), SIZES)
def test_the_gradient_is_the_slope(symbols: int, d: int, length: int, n: int, growth: bool) -> None:
    A, walks = matrices(symbols, d), in_turn(symbols, length)
    penalty, gradient = settling(A, walks, n, growth)
    assert penalty > 0 or growth
    rng = np.random.default_rng(0)
    for _ in range(3):
        nudge = 1e-6 * rng.standard_normal(A.shape)
        above, below = (settling(A + sign * nudge, walks, n, growth)[0] for sign in (1, -1))
        rise = (above - below) / 2
        assert rise == pytest.approx((gradient * nudge).sum(), rel=1e-5, abs=1e-12)


def test_walks_are_those_of_one_symbol_and_those_that_were_shown_by_turns() -> None:
    shown = np.array([[0, 1, 2], [2, 2, 1], [1, 0, 0]], np.uint8)
    drawn = [walks_of(7, step, 4, shown) for step in range(200)]
    assert all((walks == np.arange(4)[:, None]).all() for walks in drawn[::2])
    found = np.concatenate(drawn[1::2])
    assert {tuple(walk) for walk in found.tolist()} == {tuple(walk) for walk in shown.tolist()}
    counts = [(found == walk).all(axis=1).mean() for walk in shown]
    assert min(counts) > 0.25
    assert (walks_of(7, 1, 4, shown[:0]) == np.arange(4)[:, None]).all()
    assert (walks_of(7, 1, 4, shown[:, :1]) == np.arange(4)[:, None]).all()


@pytest.mark.parametrize("length", [1, 3])
def test_walks_are_the_same_compiled(length: int) -> None:
    shown = np.random.default_rng(0).integers(0, 5, (11, length)).astype(np.uint8)
    for seed in (0, 3, 2**40 + 1):
        for step in (0, 1, 2, 99_999):
            walks = np.empty((5, length), np.int64)
            fill_walks(seed, step, shown, walks)
            assert (walks == walks_of(seed, step, 5, shown)).all()


@njit
def _added(theta, walks, d, weight, steps, growth, scratch, straight, gradient):  # type: ignore[no-untyped-def]
    add_settling(theta, walks, d, weight, steps, growth, scratch, straight, gradient)


@pytest.mark.parametrize("growth", [False, True])
@pytest.mark.parametrize("n", [1, 8, 12])
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize(("symbols", "d"), SIZES + LARGE[:1])
def test_compiled_for_the_cpu(symbols: int, d: int, length: int, n: int, growth: bool) -> None:
    A, before, walks = matrices(symbols, d), np.arange(symbols * d * d + 5.0), in_turn(symbols, length)
    gradient = before.copy()
    steps = steps_to(n)
    scratch = np.empty((length - 1 + len(steps) + SPARE, d, padded(d)))
    theta = np.append(A.ravel(), np.ones(5))
    _added(theta, walks, d, 0.5, steps, growth, scratch, np.arange(d), gradient)
    expected = before + 0.5 * np.append(settling(A, walks, n, growth)[1].ravel(), np.zeros(5))
    np.testing.assert_allclose(gradient, expected, rtol=1e-11, atol=1e-11)


def check_on_a_gpu(
    symbols: int, d: int, length: int, n: int, growth: bool, dtype: Any, tolerance: float
) -> None:
    torch = pytest.importorskip("torch", reason="training needs torch")
    gpu = torch.cuda.is_available()
    if not gpu:
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="no Triton for this platform")
    from dfst.kernels.gpu_settling import Settling

    shape = Shape(symbols, 5, d)
    theta = np.zeros((2, shape.size), dtype)
    theta[:, : symbols * d * d] = [matrices(symbols, d).ravel(), 0.9 * matrices(symbols, d).ravel()]
    here = torch.tensor(theta, device="cuda" if gpu else "cpu")
    walks = np.stack([in_turn(symbols, length), in_turn(symbols, length)[::-1]])
    work = Settling(shape, 2, n, length, growth, here)
    laid_out = np.ascontiguousarray(walks.transpose(2, 0, 1)).astype(np.int32)
    work.run(here, torch.from_numpy(laid_out).to(here.device), torch.tensor([0.5, 0.25]).to(here))
    for seed, found in enumerate(work.slopes.cpu().numpy()):
        A = theta[seed, : symbols * d * d].astype(float).reshape(symbols, d, d)
        expected = (0.5, 0.25)[seed] * settling(A, walks[seed], n, growth)[1]
        assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("growth", [False, True])
@pytest.mark.parametrize(
    ("symbols", "d", "length", "n"),
    [(1, 1, 1, 1), (2, 3, 2, 8), (3, 17, 1, 12), (3, 17, 3, 6), (2, 33, 1, 2), (1, 65, 2, 1)],
)
def test_in_triton(symbols: int, d: int, length: int, n: int, growth: bool) -> None:
    check_on_a_gpu(symbols, d, length, n, growth, np.float64, 1e-11)
    check_on_a_gpu(symbols, d, length, n, growth, np.float32, 1e-4)


@pytest.mark.parametrize(
    ("symbols", "length", "n", "seeds"), [(12, 3, 99, 2), (1, 3, 1, 1), (5, 2, 1, 3), (13, 8, 7, 1)]
)
def test_walks_are_the_same_in_triton(symbols: int, length: int, n: int, seeds: int) -> None:
    torch = pytest.importorskip("torch", reason="training needs torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="no Triton for this platform")
    from dfst.kernels.gpu_settling import walks_kernel

    shown = np.random.default_rng(n).integers(0, symbols, (n, length)).astype(np.uint8)
    names = np.array([0, 7, 2**40 + 1][:seeds])
    walks = torch.zeros(4, length, seeds, symbols, dtype=torch.int32, device=device)
    there = (torch.from_numpy(array).to(device) for array in (names, np.array([9]), shown))
    walks_kernel[(4 * seeds,)](
        *there, n, walks, seeds, symbols, K=1 << (symbols - 1).bit_length(), LENGTH=length
    )
    for batch in range(4):
        for seed in range(seeds):
            expected = walks_of(int(names[seed]), 9 + batch, symbols, shown)
            assert (expected == walks[batch, :, seed].cpu().numpy().T).all()


@pytest.mark.gpu
@pytest.mark.parametrize(("length", "n"), [(1, 8), (1, 12), (3, 6)])
@pytest.mark.parametrize("growth", [False, True])
@pytest.mark.parametrize(("symbols", "d"), LARGE)
def test_on_a_gpu(symbols: int, d: int, length: int, n: int, growth: bool) -> None:
    check_on_a_gpu(symbols, d, length, n, growth, np.float32, 1e-3)
