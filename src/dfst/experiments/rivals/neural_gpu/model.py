"""The Neural GPU: convolutional gated recurrent units, applied n times to an image that began as a question.

    u, r = σ'(U ∗ s + b), σ'(R ∗ s + b)     s ← u ⊙ s + (1 − u) ⊙ tanh(C ∗ (r ⊙ s) + b)

σ' is the sigmoid with the published cutoff, 1.2 σ − 0.1 held within [0, 1], so that a gate can shut entirely.
A step is two such units in a row. In training, six sets of their parameters take turns and are pulled
together ("relaxed sharing"); afterwards their average serves every step.

Legend: x sets of shared parameters, l units in a step, m maps, h height, q questions, n cells of a question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

KERNEL = 3
CUTOFF = 1.2
INITIAL_SCALE = 1.8
GATE_BIAS = 1.0
EMBEDDING_RANGE = 1.7


@dataclass(frozen=True)
class Shape:
    """The sizes of a model; the published ones by default.

    The kernels of one set are 31,104 numbers then. The paper's Table 1 says 10,368: exactly a third, as if a
    unit had one bank of kernels in place of update, reset and candidate.
    """

    radix: int = 2
    maps: int = 24
    height: int = 4
    units: int = 2
    sets: int = 6


class NeuralGPU(nn.Module):
    """Scores the digits of answers."""

    def __init__(self, shape: Shape, seed: int = 0, attempt: int = 0) -> None:
        super().__init__()
        self.shape = shape
        x, l, m = shape.sets, shape.units, shape.maps
        self.gates = nn.Parameter(torch.empty(x, l, 2 * m, m, KERNEL, KERNEL))
        self.gate_bias = nn.Parameter(torch.empty(x, l, 2 * m))
        self.candidate = nn.Parameter(torch.empty(x, l, m, m, KERNEL, KERNEL))
        self.candidate_bias = nn.Parameter(torch.empty(x, l, m))
        self.looks = nn.Parameter(torch.empty(shape.radix + 1, m))
        """What a symbol looks like"""
        self.reading = nn.Parameter(torch.empty(m, shape.radix))
        self.reading_bias = nn.Parameter(torch.empty(shape.radix))
        self.begin(seed, attempt)

    @torch.no_grad()
    def begin(self, seed: int, attempt: int) -> None:
        """Fresh random parameters; the sets begin equal in distribution, not in value."""
        random = torch.Generator().manual_seed(1000 * seed + attempt)
        kernel, reading = (INITIAL_SCALE * math.sqrt(3 / (n * self.shape.maps)) for n in (KERNEL**2, 1))
        ranges = {"gates": kernel, "candidate": kernel, "looks": EMBEDDING_RANGE, "reading": reading}
        for name, reach in ranges.items():
            parameter = getattr(self, name)
            parameter.copy_(torch.empty(parameter.shape).uniform_(-reach, reach, generator=random))
        self.gate_bias.fill_(GATE_BIAS)
        self.candidate_bias.zero_()
        self.reading_bias.zero_()

    def forward(self, questions: Tensor, dropout: float = 0.0) -> Tensor:
        """Scores (q, n, radix) of the digits of each answer, for questions (q, n)."""
        first_row = torch.tanh(self.looks)[questions].transpose(1, 2)[:, :, None]
        image = functional.pad(first_row, (0, 0, 0, self.shape.height - 1))
        for step in range(questions.shape[1]):
            if dropout:
                image = functional.dropout(image, dropout)
            for unit in range(self.shape.units):
                image = self._unit(image, step % self.shape.sets, unit)
        scores: Tensor = image[:, :, 0].transpose(1, 2) @ self.reading + self.reading_bias
        return scores

    def _unit(self, image: Tensor, chosen: int, unit: int) -> Tensor:
        """One unit of one set: image (q, m, h, n) → (q, m, h, n)."""
        gates = functional.conv2d(image, self.gates[chosen, unit], self.gate_bias[chosen, unit], padding=1)
        update, reset = saturating(gates).chunk(2, dim=1)
        fresh = torch.tanh(
            functional.conv2d(
                reset * image, self.candidate[chosen, unit], self.candidate_bias[chosen, unit], padding=1
            )
        )
        return fresh + update * (image - fresh)

    @property
    def shared(self) -> tuple[nn.Parameter, ...]:
        """The parameters of which there are several sets, (x, …) each."""
        return self.gates, self.gate_bias, self.candidate, self.candidate_bias

    def distance(self) -> Tensor:
        """How far the sets are from their average: the sum of squares."""
        apart = [(sets - sets.mean(dim=0, keepdim=True)).square().sum() for sets in self.shared]
        return torch.stack(apart).sum()

    @torch.no_grad()
    def average(self) -> None:
        """Put the average in the place of every set."""
        for sets in self.shared:
            sets.copy_(sets.mean(dim=0, keepdim=True).expand_as(sets))

    def averaged(self) -> NeuralGPU:
        """The model as it is used: one set, the average."""
        one = NeuralGPU(replace(self.shape, sets=1)).to(self.looks.device)
        with torch.no_grad():
            for mine, its in zip(self.shared, one.shared, strict=True):
                its.copy_(mine.mean(dim=0, keepdim=True))
            for name in ("looks", "reading", "reading_bias"):
                getattr(one, name).copy_(getattr(self, name))
        return one

    @property
    def parameter_count(self) -> int:
        return sum(p.numel() for p in self.parameters())


def saturating(x: Tensor) -> Tensor:
    return torch.clamp(CUTOFF * torch.sigmoid(x) - (CUTOFF - 1) / 2, 0.0, 1.0)
