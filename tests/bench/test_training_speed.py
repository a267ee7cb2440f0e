"""What the benchmark of training times computes the same loss; its rows know their ratios and bars."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

from dfst.bench.training import Scanned, as_batch, on_cpu, on_cuda, row  # noqa: E402
from dfst.experts import expert  # noqa: E402
from dfst.model.weights import Shape  # noqa: E402
from dfst.traces.traceset import gather  # noqa: E402


def test_the_scan_has_the_loss_and_gradients_of_the_loop() -> None:
    agent = expert("add2")
    data = as_batch(gather([agent.trace(t) for t in ("1+1", "10+1", "11+111")], agent.name, agent.alphabet))
    model = Scanned(Shape(len(agent.alphabet), 5, 3)).double()
    rng = np.random.default_rng(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += torch.from_numpy(0.03 * rng.standard_normal(parameter.shape))
    results = []
    for loss in (model.loss, model.inner.loss):
        model.zero_grad()
        value = loss(*data)
        value.backward()
        results.append([value.detach(), *(p.grad.clone() for p in model.parameters())])
    for scanned, looped in zip(*results, strict=True):
        torch.testing.assert_close(scanned, looped, rtol=1e-10, atol=1e-12)


def test_a_row_knows_its_ratios_and_its_bars() -> None:
    quick = row("add2", 69, ours={1: 0.5, 16: 0.8}, loop=8.0, lstm=1.5, scan=None)
    assert (quick["over loop"], quick["over LSTM"], quick["16 seeds"]) == (16.0, 3.0, 0.8)
    assert quick["passes"]
    assert not row("add2", 69, ours={1: 0.5}, loop=7.0, lstm=1.5, scan=None)["passes"]
    assert not row("add2", 69, ours={1: 0.5}, loop=8.0, lstm=0.9, scan=1.0)["passes"]


def test_a_row_is_measured() -> None:
    found = on_cpu("add2", repeats=1)
    assert 0 < found["1 seed"] < found["torch loop"]


@pytest.mark.gpu
def test_on_a_gpu() -> None:
    found = on_cuda("add2", repeats=1)
    assert 0 < found["1 seed"] < found["torch loop"]
    assert found["torch scan"] > 0
