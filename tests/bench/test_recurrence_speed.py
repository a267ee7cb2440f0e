"""What the benchmark of the recurrence times gives the same states; a row says what was left out, and why."""

from __future__ import annotations

import importlib.util

import pytest

torch = pytest.importorskip("torch", reason="most ways are in torch")

from dfst.bench import recurrence  # noqa: E402
from dfst.bench.suite import SIZES  # noqa: E402


def test_every_way_gives_the_same_states() -> None:
    x = torch.randint(0, 3, (4, 9))
    A = torch.linalg.qr(torch.randn(3, 5, 5))[0].contiguous()
    h0 = torch.randn(5)
    expected = recurrence.recurrence(A, x, h0)
    torch.testing.assert_close(recurrence.loop(A, x, h0), expected)
    torch.testing.assert_close(recurrence.scanned(A, x, h0), expected[:, 1:])
    if recurrence.jax_works("cpu"):
        found = torch.from_numpy(recurrence.in_jax(A, x, h0, train=False)().__array__().copy())
        torch.testing.assert_close(found, expected[:, 1:])


@pytest.mark.parametrize("train", [False, True])
def test_a_row_is_measured(train: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrence, "REPEATS", 1)
    found = recurrence.measure("3 5", "cpu", train)
    assert list(found)[:3] == ["d", "T", "ours"]
    assert found["ours"] > 0
    assert found["loop over ours"] > 0
    if importlib.util.find_spec("jax") is None:
        assert found["JAX over ours"] == "no jax for cpu"


def test_a_scan_that_would_fill_the_memory_is_left_out() -> None:
    ways = recurrence.ways(256, 4096, "cpu", train=False)
    assert (ways["scan"], ways["JAX"]) == ("too large", "too large")
    assert SIZES[-1] == "256 4096"


@pytest.mark.gpu
@pytest.mark.parametrize("train", [False, True])
def test_on_a_gpu(train: bool) -> None:
    assert recurrence.measure("12 64", "cuda", train)["ours"] > 0
