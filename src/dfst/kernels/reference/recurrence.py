"""The recurrence as the paper writes it: one trace after the other, one step after the other. The truth.

`losses_and_gradients` is the truth for the kernels that train, `recurrence` for the operator. `forward` and
`backward` are the operator's sweeps as loops in torch, on any device, up to the end of each sequence:

    forward    h_0 = h0, h_{t+1} = A[x_t] h_t          backward   g_t = A[x_t]ᵀ g_{t+1} + drive_t
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.kernels.reference.noise import Noise
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet


def losses_and_gradients(
    theta: NDArray[Any], shape: Shape, traces: TraceSet, chosen: NDArray[np.int64],
    noise: Noise | None = None, step_weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]:  # fmt: skip
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces.

    step_weights (tokens,): how much each counts; if not given, those of which the action is known, alike.
    """
    losses, gradients = np.zeros(len(theta)), np.zeros_like(theta)
    step_weights = traces.known.astype(np.float64) if step_weights is None else step_weights
    written, made = traces.targets
    for seed, batch in enumerate(chosen):
        parameters = torch.tensor(theta[seed], requires_grad=True)
        *matrices, h0 = shape.split(parameters)
        A, B, C = (each.unbind() for each in matrices)
        loss = parameters.sum() * 0
        for i in batch:
            trace = traces[int(i)]
            h, total = h0, loss * 0
            for token, x in enumerate(trace.x.tolist(), start=int(traces.start[i])):
                s, m = int(written[token]), int(made[token])
                symbol, motion = B[x] @ h, C[x] @ h
                wrong = (symbol - torch.eye(shape.symbols, dtype=h.dtype)[s]).square().sum()
                wrong = wrong + (motion - torch.eye(shape.motions, dtype=h.dtype)[m]).square().sum()
                total = total + wrong * float(step_weights[token])
                h = A[x] @ h
                if noise:
                    h = h + torch.tensor(noise.of(seed, token + 1, shape.d)).to(h)
            loss = loss + total / (2 * max(len(trace), 1))
        loss = loss / len(batch)
        loss.backward()
        losses[seed] = loss.item()
        gradients[seed] = parameters.grad.numpy()  # type: ignore[union-attr]
    return losses, gradients


def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, *readouts: Tensor, lengths: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """As `dfst.recurrence`, by autograd of the loop."""
    b, T = x.shape
    results: list[list[Tensor]] = [[] for _ in (A, *readouts)]
    matrices, *outputs = (each.unbind() for each in (A, *readouts))
    for i in range(b):
        h = [h0 if h0.dim() == 1 else h0[i]]
        symbols = x[i, : T if lengths is None else int(lengths[i])].tolist()
        for symbol in symbols:
            h.append(matrices[symbol] @ h[-1])
        results[0] += [*h, A.new_zeros(T - len(symbols), A.shape[2])]
        for O, found in zip(outputs, results[1:], strict=True):
            found += [O[symbol] @ state for symbol, state in zip(symbols, h, strict=False)]
            found += [A.new_zeros(T - len(symbols), O[0].shape[0])]
    states, *scores = (
        torch.cat([row.reshape(-1, width) for row in rows]).reshape(b, -1, width)
        for rows, width in zip(results, [A.shape[1], *(O.shape[1] for O in readouts)], strict=True)
    )
    return (states, *scores) if readouts else states


def forward(A: Tensor, tokens: Tensor, lengths: Tensor, h0: Tensor) -> Tensor:
    """h (b, T + 1, d)."""
    b, states = tokens.shape
    h = A.new_zeros(b, states, A.shape[2])
    h[:, 0] = h0
    for t in range(states - 1):
        following = torch.bmm(A[tokens[:, t]], h[:, t, :, None])[..., 0]
        h[:, t + 1] = torch.where((t < lengths)[:, None], following, 0)
    return h


def backward(A: Tensor, tokens: Tensor, lengths: Tensor, drive: Tensor) -> Tensor:
    """g (b, T + 1, d), the whole gradient of h."""
    states = tokens.shape[1]
    g = torch.where((torch.arange(states, device=A.device) <= lengths[:, None])[..., None], drive, 0)
    for t in reversed(range(states - 1)):
        earlier = torch.bmm(A[tokens[:, t]].mT, g[:, t + 1, :, None])[..., 0]
        g[:, t] += torch.where((t < lengths)[:, None], earlier, 0)
    return g
