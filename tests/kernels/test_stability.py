"""The stability penalty: the slow twin against its slope, the compiled ones against it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from evidence import slow
from numba import njit

from dfst.kernels.cpu.stability import SPARE, add_stability, fill_words
from dfst.kernels.reference.stability import SQUARINGS, stability_penalty, words_of
from dfst.model.rollout.tile import padded
from dfst.model.weights import Shape
from dfst.traces.reweighting import NO_SYMBOL

SIZES = [(1, 1), (2, 3), (4, 12), (3, 17)]
"""symbols, d"""
LARGE = [(12, 20), (4, 32), (5, 33), (12, 108), (2, 128)]


def one_by_one(symbols: int) -> Any:
    return np.arange(symbols)[:, None]


def in_turn(symbols: int, length: int) -> Any:
    """Words of one to `length` symbols, some of them twice."""
    rng = np.random.default_rng(length)
    words = rng.integers(0, symbols, (symbols, length))
    words[np.arange(length) >= rng.integers(1, length + 1, (symbols, 1))] = NO_SYMBOL
    return words


def matrices(symbols: int, d: int) -> Any:
    """Near a loop or, every other one, near cycles of five, so that powers neither vanish nor explode and
    both numbers of rounds have their say."""
    rng = np.random.default_rng([symbols, d])
    fives = np.kron(np.eye(d // 5), np.roll(np.eye(5), 1, axis=0))
    cycles = np.eye(d)
    cycles[: len(fives), : len(fives)] = fives
    near = np.stack([cycles if x % 2 else np.eye(d) for x in range(symbols)])
    return near * 0.99 + rng.standard_normal((symbols, d, d)) * 0.03 / np.sqrt(d)


def test_both_numbers_of_rounds_are_tried() -> None:
    """Else the comparisons below would say nothing of one of them."""
    chosen = set()
    for A in matrices(4, 12):
        near, *far = (np.linalg.matrix_power(A, n) for n in (52, 64, 72))
        chosen.add(int(np.argmin([np.linalg.norm(power - near) for power in far])))
    assert chosen == {0, 1}


def test_matrices_that_are_stable_alone_can_grow_in_turn() -> None:
    A = np.array([[[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]])
    assert stability_penalty(A, one_by_one(2))[0] < 1e-12
    assert stability_penalty(A, np.array([[0, 1]]))[0] > 1


def test_what_is_read_first_is_the_right_factor() -> None:
    A = 1.3 * matrices(2, 3)
    penalty = stability_penalty(A, np.array([[0, 1]]))[0]
    assert penalty == pytest.approx(stability_penalty((A[1] @ A[0])[None], one_by_one(1))[0])
    assert penalty != pytest.approx(stability_penalty((A[0] @ A[1])[None], one_by_one(1))[0])
    assert penalty > 0


def of_a_matrix(matrix: Any) -> tuple[float, Any]:
    penalty, gradient = stability_penalty(matrix[None], one_by_one(1))
    return penalty, gradient[0]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 10, 12, 20])
def test_cycles_cost_nothing(length: int) -> None:
    penalty, gradient = of_a_matrix(np.roll(np.eye(length), 1, axis=0))
    assert penalty == 0
    assert not gradient.any()


def test_loops_and_ends_cost_nothing_and_growth_and_drift_do() -> None:
    ends = np.eye(5, k=1)
    merges = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for matrix in (ends, merges, np.eye(3), np.zeros((2, 2))):
        penalty, gradient = of_a_matrix(matrix)
        assert penalty == 0
        assert not gradient.any()
    for matrix in (np.diag([1.001, 1.0]), np.array([[1.0, 0.001], [0.0, 1.0]])):
        penalty, gradient = of_a_matrix(matrix)
        assert penalty > 0.4 * (12 * 0.001) ** 2
        assert (gradient * (matrix - np.eye(2))).sum() > 0


@pytest.mark.parametrize("parts", [7, 15, 30, 60, 180])
def test_a_slow_turn_costs_something(parts: int) -> None:
    """A loop that is learnt as one looks right on short inputs: five symbols turn it by a twelfth."""
    angle = 2 * np.pi / parts
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert of_a_matrix(turn)[0] > 0.05


def test_a_small_drift_costs_its_square() -> None:
    costs = [of_a_matrix(np.array([[1.0, drift], [0.0, 1.0]]))[0] for drift in (1e-4, 1e-5)]
    assert costs[0] / costs[1] == pytest.approx(100, rel=1e-3)


def test_a_loop_that_fades_is_pulled_up_and_what_fades_fast_is_left_alone() -> None:
    _, gradient = of_a_matrix(np.diag([0.99, 0.7, 0.5]))
    slopes = np.diag(gradient)
    assert slopes[0] < -0.1
    assert np.abs(slopes[1:]).max() < 1e-8


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize(("symbols", "d"), SIZES)
def test_the_gradient_is_the_slope(symbols: int, d: int, length: int) -> None:
    A, words = matrices(symbols, d), in_turn(symbols, length)
    penalty, gradient = stability_penalty(A, words)
    assert penalty >= 0
    rng = np.random.default_rng(0)
    for _ in range(3):
        nudge = 1e-7 * rng.standard_normal(A.shape)
        above, below = (stability_penalty(A + sign * nudge, words, A)[0] for sign in (1, -1))
        rise = (above - below) / 2
        assert rise == pytest.approx((gradient * nudge).sum(), rel=1e-5, abs=1e-12)


def test_words_are_those_of_one_symbol_and_those_that_were_shown_by_turns() -> None:
    shown = np.array([[0, 1, 2], [2, 1, NO_SYMBOL], [1, 0, 0]], np.int8)
    alone = np.array([[x, NO_SYMBOL, NO_SYMBOL] for x in range(4)])
    drawn = [words_of(7, step, 4, shown) for step in range(200)]
    assert all((words == alone).all() for words in drawn[::2])
    found = np.concatenate(drawn[1::2])
    assert {tuple(word) for word in found.tolist()} == {tuple(word) for word in shown.tolist()}
    counts = [(found == word).all(axis=1).mean() for word in shown]
    assert min(counts) > 0.25
    assert (words_of(7, 1, 4, shown[:0]) == alone).all()


@pytest.mark.parametrize("length", [1, 3])
def test_words_are_the_same_compiled(length: int) -> None:
    shown = np.random.default_rng(0).integers(-1, 5, (11, length)).astype(np.int8)
    for seed in (0, 3, 2**40 + 1):
        for step in (0, 1, 2, 99_999):
            words = np.empty((5, length), np.int64)
            fill_words(seed, step, shown, words)
            assert (words == words_of(seed, step, 5, shown)).all()


@njit
def _added(theta, words, d, weight, scratch, straight, gradient):  # type: ignore[no-untyped-def]
    add_stability(theta, words, d, weight, scratch, straight, gradient)


@pytest.mark.parametrize("length", [1, 2, 3, 6])
@pytest.mark.parametrize(("symbols", "d"), SIZES + LARGE[:1])
def test_compiled_for_the_cpu(symbols: int, d: int, length: int) -> None:
    A, before, words = matrices(symbols, d), np.arange(symbols * d * d + 5.0), in_turn(symbols, length)
    gradient = before.copy()
    scratch = np.empty((length - 1 + SQUARINGS + SPARE, d, padded(d)))
    theta = np.append(A.ravel(), np.ones(5))
    _added(theta, words, d, 0.5, scratch, np.arange(d), gradient)
    expected = before + 0.5 * np.append(stability_penalty(A, words)[1].ravel(), np.zeros(5))
    np.testing.assert_allclose(gradient, expected, rtol=1e-11, atol=1e-11)


def test_a_word_whose_powers_overflow_is_left_out() -> None:
    A = np.stack([np.diag([1e8, 1.0]), np.diag([1.01, 0.5])])
    gradient, scratch = np.zeros(8), np.empty((SQUARINGS + SPARE, 2, padded(2)))
    _added(A.ravel(), one_by_one(2), 2, 1.0, scratch, np.arange(2), gradient)
    assert not gradient[:4].any()
    assert gradient[4] > 0
    assert np.isfinite(gradient).all()


def check_on_a_gpu(symbols: int, d: int, length: int, dtype: Any, tolerance: float) -> None:
    torch = pytest.importorskip("torch", reason="training needs torch")
    gpu = torch.cuda.is_available()
    if not gpu:
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="no Triton for this platform")
    from dfst.kernels.gpu.stability import Stability

    shape = Shape(symbols, 5, d)
    theta = np.zeros((2, shape.size), dtype)
    theta[:, : symbols * d * d] = [matrices(symbols, d).ravel(), 0.9 * matrices(symbols, d).ravel()]
    here = torch.tensor(theta, device="cuda" if gpu else "cpu")
    words = np.stack([in_turn(symbols, length), in_turn(symbols, length)[::-1]])
    work = Stability(shape, 2, length, here)
    laid_out = np.ascontiguousarray(words.transpose(2, 0, 1)).astype(np.int32)
    work.run(here, torch.from_numpy(laid_out).to(here.device), torch.tensor([0.5, 0.25]).to(here))
    for seed, found in enumerate(work.slopes.cpu().numpy()):
        A = theta[seed, : symbols * d * d].astype(float).reshape(symbols, d, d)
        expected = (0.5, 0.25)[seed] * stability_penalty(A, words[seed])[1]
        assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize(
    ("symbols", "d", "length"),
    [(1, 1, 1), (2, 3, 2), (2, 3, 6), (3, 17, 3), (2, 33, 2), *slow((3, 17, 1), (1, 65, 2))],
)
def test_in_triton(symbols: int, d: int, length: int) -> None:
    check_on_a_gpu(symbols, d, length, np.float64, 1e-11)
    check_on_a_gpu(symbols, d, length, np.float32, 1e-4)


def test_in_triton_a_word_whose_powers_overflow_is_left_out() -> None:
    torch = pytest.importorskip("torch", reason="training needs torch")
    gpu = torch.cuda.is_available()
    if not gpu:
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="no Triton for this platform")
    from dfst.kernels.gpu.stability import Stability

    shape = Shape(2, 5, 2)
    theta = np.zeros((1, shape.size), np.float32)
    theta[0, :8] = np.stack([np.diag([1e3, 1.0]), np.diag([1.01, 0.5])]).ravel()
    here = torch.tensor(theta, device="cuda" if gpu else "cpu")
    work = Stability(shape, 1, 1, here)
    with np.errstate(all="ignore"):
        work.run(
            here, torch.arange(2, dtype=torch.int32).reshape(1, 1, 2).to(here.device), here[:, 0] * 0 + 1
        )
    found = work.slopes.cpu().numpy()
    assert np.isfinite(found).all()
    assert found[0, 1, 0, 0] > 0


@pytest.mark.parametrize(
    ("symbols", "length", "n", "seeds"), [(12, 3, 99, 2), (1, 3, 1, 1), (5, 2, 1, 3), (13, 8, 7, 1)]
)
def test_words_are_the_same_in_triton(symbols: int, length: int, n: int, seeds: int) -> None:
    torch = pytest.importorskip("torch", reason="training needs torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="no Triton for this platform")
    from dfst.kernels.gpu.stability import words_kernel

    shown = np.random.default_rng(n).integers(-1, symbols, (n, length)).astype(np.int8)
    names = np.array([0, 7, 2**40 + 1][:seeds])
    words = torch.zeros(4, length, seeds, symbols, dtype=torch.int32, device=device)
    there = (torch.from_numpy(array).to(device) for array in (names, np.array([9]), shown))
    words_kernel[(4 * seeds,)](
        *there, n, words, seeds, symbols, K=1 << (symbols - 1).bit_length(), LENGTH=length
    )
    for batch in range(4):
        for seed in range(seeds):
            expected = words_of(int(names[seed]), 9 + batch, symbols, shown)
            assert (expected == words[batch, :, seed].cpu().numpy().T).all()


@pytest.mark.gpu
@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize(("symbols", "d"), LARGE)
def test_on_a_gpu(symbols: int, d: int, length: int) -> None:
    check_on_a_gpu(symbols, d, length, np.float32, 1e-3)
