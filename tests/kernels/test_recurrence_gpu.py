"""The GPU kernels against the reference: under Triton's interpreter everywhere, on a GPU with `-m gpu`."""

from __future__ import annotations

import os
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
from dfst.kernels.gpu import cluster as gpu_cluster  # noqa: E402
from dfst.kernels.gpu import nvrtc  # noqa: E402
from dfst.kernels.gpu.recurrence import (  # noqa: E402
    DEFAULT,
    Recurrence,
    Tuning,
    losses_and_gradients,
    upload,
)
from dfst.kernels.reference import recurrence as reference  # noqa: E402
from dfst.kernels.reference.noise import Noise, noise_key  # noqa: E402
from dfst.model.weights import Shape  # noqa: E402
from dfst.traces.traceset import TraceSet, gather  # noqa: E402
from dfst.world.grid import MOTIONS  # noqa: E402
from dfst.world.trace import Trace  # noqa: E402

DEVICE = "cuda" if GPU else "cpu"
# motions, symbols, d, lengths of the traces, seeds, traces a batch
SMALL = [
    (5, 4, 12, [3, 0, 7, 1], 2, 3),
    (2, 1, 1, [4, 2], 1, 2),
    (5, 3, 17, [5, 9], 1, 2),
    (3, 7, 8, [40, 2, 0], 2, 3),
]
LARGE = [
    (5, 4, 12, [69] * 20, 4, 32),
    (5, 12, 20, [69, 1, 33, 0, 68], 16, 32),
    (5, 4, 32, [431, 17, 2, 100], 3, 5),
    (5, 12, 108, [431, 3, 200, 0, 77], 2, 6),
    (5, 40, 128, [63, 100], 1, 2),
    (5, 2, 5, [500], 1, 1),
    (5, 12, 64, [100, 63], 2, 7),
    (4, 9, 33, [100, 63, 1], 5, 9),
    (5, 6, 100, [63, 64, 65], 3, 8),
    (5, 13, 129, [63, 100], 2, 3),
    (5, 3, 200, [40, 77, 1], 2, 3),
]


def random_case(case: Any, dtype: Any) -> tuple[Shape, TraceSet, Any, Any]:
    motions, symbols, d, lengths, seeds, batch = case
    rng = np.random.default_rng([motions, symbols, d, seeds])
    shape = Shape(symbols, motions, d)
    alphabet = tuple(f"a{i}" for i in range(symbols))

    def draw(end: int, length: int) -> Any:
        return rng.integers(0, end, length).astype(np.uint8)

    traces = gather(
        [Trace("t", "", alphabet, draw(symbols, n), draw(symbols, n), draw(motions, n)) for n in lengths],
        "t",
        alphabet,
        MOTIONS[:motions],
    )
    theta = 0.3 * rng.standard_normal((seeds, shape.size))
    A, _, _, _ = shape.split(theta)
    # products of hundreds of matrices must neither vanish nor explode
    A[...] = np.linalg.qr(A)[0] + 0.02 * A / np.sqrt(d)
    return shape, traces, theta.astype(dtype), rng.integers(0, len(lengths), (seeds, batch))


def check(
    case: Any, dtype: Any, tolerance: float, tuning: Tuning = DEFAULT, sigma: float | None = None
) -> None:
    shape, traces, theta, chosen = random_case(case, dtype)
    keys = np.array([noise_key(seed, 7) for seed in range(len(theta))])
    noise = None if sigma is None else Noise(sigma, keys)
    weight = None if sigma is None else np.linspace(0.1, 3.0, traces.tokens)
    expected = reference.losses_and_gradients(theta.astype(np.float64), shape, traces, chosen, noise, weight)
    found = losses_and_gradients(
        torch.tensor(theta, device=DEVICE),
        shape,
        upload(traces, shape, DEVICE, weight),
        torch.tensor(chosen, device=DEVICE),
        tuning,
        noise,
    )
    np.testing.assert_allclose(found[0].cpu().numpy(), expected[0], rtol=10 * tolerance)
    for seed in range(len(theta)):
        for part, truth in zip(
            shape.split(found[1][seed].cpu().numpy()), shape.split(expected[1][seed]), strict=True
        ):
            assert np.linalg.norm(part - truth) <= tolerance * np.linalg.norm(truth)


@pytest.mark.parametrize(
    ("case", "dtype"),
    [
        *((case, np.float64) for case in SMALL),
        *((case, np.float32) for case in SMALL[1:3]),
        *slow((SMALL[0], np.float32), (SMALL[3], np.float32)),
    ],
)
def test_losses_and_every_gradient_equal_the_reference(case: Any, dtype: Any) -> None:
    check(case, dtype, 1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize(
    ("case", "dtype"),
    [
        *((case, np.float64) for case in SMALL[:3]),
        (SMALL[1], np.float32),
        *slow((SMALL[0], np.float32), (SMALL[2], np.float32)),
    ],
)
def test_with_noise_and_reweighting_as_well(case: Any, dtype: Any) -> None:
    check(case, dtype, 1e-5 if dtype == np.float32 else 1e-12, sigma=0.25)


def test_chunks_of_a_symbol_that_do_not_fill_and_several_tiles_add_up() -> None:
    check((5, 2, 24, [30, 25, 1], 2, 3), np.float64, 1e-12, Tuning(chunk=16, step=16, tile=16))


def test_a_batch_of_empty_traces_has_no_loss_and_no_gradient() -> None:
    shape, traces, theta, chosen = random_case((5, 3, 6, [0, 0], 2, 2), np.float64)
    losses, gradients = losses_and_gradients(
        torch.tensor(theta, device=DEVICE),
        shape,
        upload(traces, shape, DEVICE),
        torch.tensor(chosen, device=DEVICE),
    )
    assert not losses.any()
    assert not gradients.any()


def test_a_seed_does_not_depend_on_the_seeds_beside_it() -> None:
    shape, traces, theta, chosen = random_case(SMALL[0], np.float32)
    here = upload(traces, shape, DEVICE)

    def run(rows: Any) -> Any:
        return losses_and_gradients(
            torch.tensor(theta[rows], device=DEVICE), shape, here, torch.tensor(chosen[rows], device=DEVICE)
        )

    both, alone = run([0, 1]), run([1])
    assert torch.equal(both[0][1:], alone[0])
    assert torch.equal(both[1][1:], alone[1])


def test_a_symbol_outside_the_shape_is_refused_before_it_becomes_an_address() -> None:
    _, traces, _, _ = random_case((5, 4, 3, [50], 1, 1), np.float32)
    with pytest.raises(InputError, match="must be below 3"):
        upload(traces, Shape(3, 5, 3), DEVICE)


def test_a_hidden_size_beyond_the_kernels_is_refused() -> None:
    shape, traces, _, _ = random_case((5, 2, 3, [5], 1, 1), np.float32)
    with pytest.raises(InputError, match="at most 1024"):
        Recurrence(Shape(2, 5, 1025), upload(traces, shape, DEVICE), 1, 1, torch.float32)


@pytest.mark.parametrize(
    ("shape", "blocks"),
    [
        (Shape(4, 5, 12), 1),
        (Shape(12, 5, 20), 1),
        (Shape(4, 5, 32), 1),
        (Shape(12, 5, 108), 4),
        (Shape(40, 5, 128), None),
        (Shape(4, 5, 129), 2),
        (Shape(13, 5, 129), 8),
        (Shape(13, 5, 300), None),
    ],
)
def test_matrices_are_spread_over_as_few_blocks_as_hold_them(shape: Shape, blocks: int | None) -> None:
    found = gpu_cluster.spread(shape, 431, 1)
    assert (found and found.size) == blocks
    if found:
        assert found.size * found.rows >= shape.d
        assert found.lanes >= found.size
        assert found.shared_bytes <= nvrtc.SHARED_BYTES


@pytest.mark.gpu
@pytest.mark.parametrize("sweep", ["auto", "triton"])
@pytest.mark.parametrize("case", LARGE + SMALL)
def test_on_a_gpu_float32(case: Any, sweep: str) -> None:
    check(case, np.float32, 2e-5, Tuning(sweep=sweep))


@pytest.mark.gpu
@pytest.mark.parametrize("case", LARGE)
def test_on_a_gpu_float64(case: Any) -> None:
    check(case, np.float64, 1e-11)


@pytest.mark.gpu
@pytest.mark.parametrize("sweep", ["auto", "triton"])
@pytest.mark.parametrize("case", LARGE + SMALL)
def test_on_a_gpu_with_noise_and_reweighting(case: Any, sweep: str) -> None:
    check(case, np.float32, 2e-5, Tuning(sweep=sweep), sigma=0.25)


@pytest.mark.gpu
@pytest.mark.parametrize("case", LARGE)
def test_on_a_gpu_results_are_the_same_bits_however_many_traces_a_cluster_takes(case: Any) -> None:
    shape, traces, theta, chosen = random_case(case, np.float32)
    arguments = (
        torch.tensor(theta, device=DEVICE),
        shape,
        upload(traces, shape, DEVICE),
        torch.tensor(chosen, device=DEVICE),
    )
    first = losses_and_gradients(*arguments, Tuning(traces_a_cluster=1))
    for traces_a_cluster in (1, 2, 4):
        again = losses_and_gradients(*arguments, Tuning(traces_a_cluster=traces_a_cluster))
        assert torch.equal(first[0], again[0])
        assert torch.equal(first[1], again[1])


@pytest.mark.gpu
@pytest.mark.parametrize("case", LARGE + SMALL)
def test_on_a_gpu_the_readout_in_triton_agrees_too(case: Any) -> None:
    check(case, np.float32, 2e-5, Tuning(readout="triton"))
