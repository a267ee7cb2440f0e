"""The scan that the GPU benchmark times must compute what the others compute."""

from __future__ import annotations

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip(
    "triton", reason="no Triton for this platform: the benchmark's own side cannot be imported"
)

from dfst.agents import expert  # noqa: E402
from dfst.bench.training import as_batch  # noqa: E402
from dfst.bench.training_gpu import Scanned, measure, row  # noqa: E402
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


def test_a_row_knows_its_rates_and_its_bar() -> None:
    quick = row("add2", 69, ours={1: 0.04, 16: 0.08}, loop=8.0, lstm=2.0, scan=1.0, limit=0.01)
    assert quick["steps a second"] == 200_000
    assert quick["of the latency limit"] == pytest.approx(0.25)
    assert quick["passes"]
    assert not row("add2", 69, ours={1: 0.07}, loop=8.0, lstm=2.0, scan=1.0, limit=0.01)["passes"]


@pytest.mark.gpu
def test_on_a_gpu_a_row_can_be_measured() -> None:
    found = measure("add2", (1, 4))
    assert 0 < found["of the latency limit"] < 1
    assert found["1 seed"] < found["torch loop"]
