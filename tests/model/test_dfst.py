"""The torch module: the paper's sizes and start, the loss of the recurrence, and weights there and back."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the module needs torch")

from dfst.experts import expert  # noqa: E402
from dfst.kernels.reference import recurrence as reference  # noqa: E402
from dfst.model.compile import compile_agent  # noqa: E402
from dfst.model.dfst import DFST  # noqa: E402
from dfst.model.weights import Shape  # noqa: E402
from dfst.paper import TASKS  # noqa: E402
from dfst.traces.traceset import gather  # noqa: E402


@pytest.mark.parametrize("task", TASKS)
def test_the_parameter_counts_of_the_paper(task: str) -> None:
    shape = Shape(len(expert(task).alphabet), 5, TASKS[task].hidden_size)
    model = DFST(shape)
    assert sum(p.numel() for p in model.parameters()) == shape.size == TASKS[task].parameters


def test_it_starts_at_the_identity() -> None:
    model = DFST(Shape(4, 5, 12), seed=3)
    assert torch.equal(model.A, torch.eye(12).expand(4, 12, 12))
    assert not model.B.any()
    assert not model.C.any()
    assert model.h0.norm().item() == pytest.approx(1)
    assert (model.h0 > 0).all()
    assert not torch.equal(model.h0, DFST(Shape(4, 5, 12), seed=4).h0)


def test_weights_there_and_back() -> None:
    weights = compile_agent(expert("add2"))
    model = DFST.from_weights(weights)
    assert model.to_weights(like=weights).fingerprint() == weights.fingerprint()
    with torch.no_grad():
        model.h0.add_(1)
    assert not np.array_equal(model.to_weights(like=weights).h0, weights.h0), (
        "the weights are a copy, not a view"
    )


def test_a_compiled_expert_scores_its_own_trace_exactly() -> None:
    agent = expert("add2")
    trace = agent.trace("101+11")
    symbols, motions = DFST.from_weights(compile_agent(agent))(
        torch.from_numpy(trace.x.astype(np.int64))[None]
    )
    assert torch.equal(symbols[0].argmax(1), torch.from_numpy(trace.s.astype(np.int64)))
    assert torch.equal(motions[0].argmax(1), torch.from_numpy(trace.m.astype(np.int64)))


def test_the_loss_is_that_of_the_recurrence() -> None:
    agent, shape = expert("add2"), Shape(4, 5, 7)
    texts = ["1+1", "101+11", "0+110"]
    traces = gather([agent.trace(text) for text in texts], agent.name, agent.alphabet)
    model = DFST(shape, dtype=torch.float64)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(
                0.1 * torch.randn(parameter.shape, dtype=torch.float64, generator=torch.manual_seed(5))
            )
    longest = int(traces.lengths.max())
    padded = np.zeros((3, len(texts), longest), dtype=np.int64)
    for i, trace in enumerate(traces[i] for i in range(len(texts))):
        padded[:, i, : len(trace)] = trace.x, trace.s, trace.m
    loss = model.loss(*torch.from_numpy(padded), torch.from_numpy(traces.lengths))
    loss.backward()
    theta = np.concatenate([p.detach().numpy().ravel() for p in (model.A, model.B, model.C, model.h0)])
    losses, gradients = reference.losses_and_gradients(theta[None], shape, traces, np.arange(3)[None])
    assert loss.item() == pytest.approx(losses[0], rel=1e-12)
    for parameter, expected in zip(
        (model.A, model.B, model.C, model.h0), shape.split(gradients[0]), strict=True
    ):
        np.testing.assert_allclose(parameter.grad, expected, atol=1e-13)


def test_an_empty_batch_of_time() -> None:
    symbols, motions = DFST(Shape(4, 5, 3))(torch.zeros(2, 0, dtype=torch.int64))
    assert symbols.shape == (2, 0, 4)
    assert motions.shape == (2, 0, 5)
