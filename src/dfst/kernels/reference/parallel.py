"""The recurrence in logarithmically many steps: h_t is a product of matrices, and products can be bracketed.

All traces of all seeds lie end to end in one scan; where a trace begins the product starts anew, so lengths
may differ and nothing is padded. It does about d times the arithmetic of the loop.

Legend: n tokens of all chosen traces; s seeds, d hidden size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet


def scan(matrices: Tensor, begins: Tensor) -> Tensor:
    """(n, d, d) products matrices[t] ⋯ matrices[b], b the last place up to t where begins (n,) holds.

    Neighbours are multiplied in pairs, the half as many products are scanned, and every other result is one
    multiplication away from its neighbour's.
    """
    n = len(matrices)
    if n < 2:
        return matrices
    pairs = n // 2 * 2
    odd = scan(
        joined(matrices[0:pairs:2], matrices[1::2], begins[1::2]),
        begins[0:pairs:2] | begins[1::2],
    )
    even = joined(odd[: (n - 1) // 2], matrices[2::2], begins[2::2])
    results = matrices.new_empty(matrices.shape)
    results[0], results[1::2], results[2::2] = matrices[0], odd, even
    return results


def joined(earlier: Tensor, later: Tensor, begins: Tensor) -> Tensor:
    """later · earlier, or later alone where it begins a trace."""
    return torch.where(begins[:, None, None], later, later @ earlier)


def losses_and_gradients(
    theta: NDArray[Any], shape: Shape, traces: TraceSet, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces."""
    seeds, b = chosen.shape
    lengths = traces.lengths[chosen.ravel()]
    places = [np.arange(traces.start[i], traces.start[i + 1]) for i in chosen.ravel()]
    tokens = np.concatenate(places)
    x, s, m = (torch.from_numpy(field[tokens].astype(np.int64)) for field in (traces.x, traces.s, traces.m))
    trace = torch.from_numpy(np.repeat(np.arange(seeds * b), lengths))
    begins = torch.cat([torch.ones(1, dtype=torch.bool), trace[1:] != trace[:-1]])[: len(trace)]
    weight = torch.from_numpy(np.repeat(1 / (2 * b * np.maximum(lengths, 1)), lengths).astype(theta.dtype))
    seed = trace // b

    parameters = torch.tensor(theta, requires_grad=True)
    A, B, C, h0 = shape.split(parameters)
    start = h0[seed]
    following = torch.einsum("nij,nj->ni", scan(A[seed, x], begins), start)
    h = torch.where(begins[:, None], start, following.roll(1, 0))
    symbol = torch.einsum("nij,nj->ni", B[seed, x], h) - torch.eye(shape.symbols, dtype=h.dtype)[s]
    motion = torch.einsum("nij,nj->ni", C[seed, x], h) - torch.eye(shape.motions, dtype=h.dtype)[m]
    each = weight * (symbol.square().sum(1) + motion.square().sum(1))
    losses = torch.zeros(seeds, dtype=h.dtype).index_add(0, seed, each)
    losses.sum().backward()
    assert parameters.grad is not None
    return losses.detach().numpy().astype(np.float64), parameters.grad.numpy()
