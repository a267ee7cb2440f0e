"""h_t = a_t h_{t-1} + b_t for all t at once, element by element, in about log₂ T rounds of doubling."""

from __future__ import annotations

import torch
from torch import Tensor


def scan(a: Tensor, b: Tensor, h: Tensor) -> Tensor:
    """(n, T, w) every h_t, from a, b (n, T, w) and the h (n, w) before the first step."""
    b = torch.cat([b[:, :1] + a[:, :1] * h[:, None], b[:, 1:]], dim=1)
    reach = 1
    while reach < b.shape[1]:
        # Each b_t now sums the last `reach` steps, each a_t is their product.
        b = torch.cat([b[:, :reach], b[:, reach:] + a[:, reach:] * b[:, :-reach]], dim=1)
        a = torch.cat([a[:, :reach], a[:, reach:] * a[:, :-reach]], dim=1)
        reach *= 2
    return b
