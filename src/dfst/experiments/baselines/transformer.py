"""A causal Transformer that reads the whole history of symbols seen.

Two pre-norm blocks of four heads. Positions enter as recency alone (ALiBi), for one head not at all: both
carry over to longer inputs better than learnt or rotary positions. Earlier keys and values are kept, so
reading goes on where it was; a run longer than CONTEXT steps is not read to its end and counts as not halted.

Legend: b traces, T new steps, P earlier steps, w width.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from dfst.experiments.baselines.network import Actions, Network

CONTEXT = 8192
LAYERS = 2
SLOPES = (1.0, 0.25, 0.0625, 0.0)
"""One head each."""


class Block(nn.Module):
    """Attention, then a feed-forward layer, each added to what comes in."""

    slopes: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("slopes", torch.tensor(SLOPES), persistent=False)
        self.before_attention, self.before_feed = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, z: Tensor, past: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (b, T, w) and the keys and values (2, b, heads, P, w / heads) of before."""
        b, T, w = z.shape
        heads = self.project(self.before_attention(z)).view(b, T, 3, len(SLOPES), -1).permute(2, 0, 3, 1, 4)
        queries, kept = heads[0], heads[1:] if past is None else torch.cat([past, heads[1:]], dim=3)
        keys, values = kept
        total = keys.shape[2]
        at = torch.arange(total, device=z.device)
        distance = at[total - T :, None] - at
        bias = (-self.slopes[:, None, None] * distance).masked_fill(distance < 0, float("-inf"))
        seen = scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
        z = z + self.merge(seen.transpose(1, 2).reshape(b, T, w))
        return z + self.narrow(gelu(self.widen(self.before_feed(z)))), kept


class Transformer(Network):
    """Symbols → vectors → such blocks, each with what it has seen → scores."""

    width_step, context = len(SLOPES), CONTEXT

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.embed = nn.Embedding(actions.read, width)
        self.layers = nn.ModuleList(Block(width) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, actions.scores)

    def forward(self, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        z, kept = self.embed(x), []
        for layer, before in zip(self.layers, state or [None] * LAYERS, strict=True):
            z, now = layer(z, before)
            kept.append(now)
        return self.scores(self.norm(z)), kept
