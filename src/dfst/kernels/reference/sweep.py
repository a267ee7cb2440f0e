"""The sweeps of the operator as loops in torch: on any device, a step of all sequences at a time.

    forward    h_0 = h0, h_{t+1} = A[x_t] h_t          backward   g_t = A[x_t]ᵀ g_{t+1} + drive_t

up to the end of each sequence, zeros beyond it. Legend: see `operator`.
"""

from __future__ import annotations

import torch
from torch import Tensor


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
