"""The recurrence as the paper writes it: one trace after the other, one step after the other. The truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet


def losses_and_gradients(
    theta: NDArray[Any], shape: Shape, traces: TraceSet, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces."""
    losses, gradients = np.zeros(len(theta)), np.zeros_like(theta)
    for seed, batch in enumerate(chosen):
        parameters = torch.tensor(theta[seed], requires_grad=True)
        *matrices, h0 = shape.split(parameters)
        A, B, C = (each.unbind() for each in matrices)
        loss = parameters.sum() * 0
        for i in batch:
            trace = traces[int(i)]
            h, total = h0, loss * 0
            for x, s, m in zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True):
                symbol, motion = B[x] @ h, C[x] @ h
                total = total + (symbol - torch.eye(shape.symbols, dtype=h.dtype)[s]).square().sum()
                total = total + (motion - torch.eye(shape.motions, dtype=h.dtype)[m]).square().sum()
                h = A[x] @ h
            loss = loss + total / (2 * max(len(trace), 1))
        loss = loss / len(batch)
        loss.backward()
        losses[seed] = loss.item()
        gradients[seed] = parameters.grad.numpy()  # type: ignore[union-attr]
    return losses, gradients
