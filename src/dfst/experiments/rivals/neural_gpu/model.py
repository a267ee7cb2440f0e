"""The Neural GPU: convolutional gated recurrent units, applied n times to an image that began as a question.

    u, r = σ'(U ∗ s + b), σ'(R ∗ s + b)     s ← u ⊙ s + (1 − u) ⊙ tanh(C ∗ (r ⊙ s) + b)

σ' is the sigmoid with the published cutoff, 1.2 σ − 0.1 held within [0, 1], so that a gate can shut entirely.
A step is two such units in a row. In training, six sets of their parameters take turns and are pulled
together ("relaxed sharing"); afterwards their average serves every step.

An image is `height` × n cells of `maps` numbers. Here the columns of many images lie one after another in a
ribbon, with an empty column behind each image: a 3 × 3 convolution is then one matrix product over ribbons
shifted by one column, with the height written into the matrix, and ribbons of one length serve questions of
every length. Several models work side by side, one ribbon each.

Legend: s models, p parameters of a model, x sets of shared parameters, l units in a step, m maps, h height,
f = h·m numbers in a column, q questions, n cells of a question, c columns of a ribbon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

KERNEL = 3
BANKS = 3
"""Kernels of a unit: update, reset, candidate."""
CUTOFF = 1.2
INITIAL_SCALE = 1.8
GATE_BIAS = 1.0
EMBEDDING_RANGE = 1.7

Unit = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
"""`gated_unit`, or something that computes the same faster."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a model; the published ones by default."""

    radix: int = 2
    maps: int = 24
    height: int = 4
    units: int = 2
    sets: int = 6

    @property
    def kernel_weights(self) -> int:
        """Numbers in the kernels of one set, 31,104 by default.

        The paper's Table 1 says 10,368: exactly a third, as if a unit had one bank of kernels.
        """
        return self.units * BANKS * KERNEL**2 * self.maps**2

    @property
    def set_size(self) -> int:
        """Numbers in one set of shared parameters: kernels and biases."""
        return self.kernel_weights + self.units * BANKS * self.maps

    @property
    def rest_size(self) -> int:
        """Numbers outside the sets: what a symbol looks like, and how a digit is read off."""
        return (self.radix + 1) * self.maps + self.maps * self.radix + self.radix

    @property
    def size(self) -> int:
        return self.sets * self.set_size + self.rest_size

    def averaged(self) -> Shape:
        """The shape after the sets became one."""
        return replace(self, sets=1)


def initial_parameters(shape: Shape, seed: int, attempt: int = 0) -> NDArray[np.float32]:
    """(p,) fresh parameters; the sets begin equal in distribution, not in value."""
    rng = np.random.default_rng([seed, attempt])
    reach = INITIAL_SCALE * np.sqrt(3 / (KERNEL**2 * shape.maps))
    parts = []
    for _ in range(shape.sets):
        parts.append(rng.uniform(-reach, reach, size=shape.kernel_weights))
        biases = np.zeros((shape.units, BANKS, shape.maps))
        biases[:, :2] = GATE_BIAS
        parts.append(biases.ravel())
    parts.append(rng.uniform(-EMBEDDING_RANGE, EMBEDDING_RANGE, size=(shape.radix + 1) * shape.maps))
    reach = INITIAL_SCALE * np.sqrt(3 / shape.maps)
    parts.append(rng.uniform(-reach, reach, size=shape.maps * shape.radix))
    parts.append(np.zeros(shape.radix))
    return np.concatenate(parts).astype(np.float32)


def sets_of(theta: Tensor, shape: Shape) -> Tensor:
    """(s, x, set_size) a view of the shared parameters."""
    return theta[:, : shape.sets * shape.set_size].view(-1, shape.sets, shape.set_size)


def averaged(theta: Tensor, shape: Shape) -> Tensor:
    """(s, p of one set) the parameters with the sets replaced by their average."""
    return torch.cat([sets_of(theta, shape).mean(dim=1), theta[:, shape.sets * shape.set_size :]], dim=1)


def saturating(x: Tensor) -> Tensor:
    return torch.clamp(CUTOFF * torch.sigmoid(x) - (CUTOFF - 1) / 2, 0.0, 1.0)


def with_neighbours(image: Tensor) -> Tensor:
    """(s, c, 3f) each column with those to its left and right.

    The ends of the ribbon need no padding: its last column is empty, and what is computed there is discarded.
    """
    return torch.cat([image.roll(1, dims=1), image, image.roll(-1, dims=1)], dim=2)


def gated_unit(
    image: Tensor, gates: Tensor, gate_bias: Tensor, candidate: Tensor, candidate_bias: Tensor, mask: Tensor
) -> Tensor:
    """One unit: image (s, c, f), gates (s, 3f, 2f), candidate (s, 3f, f), mask (1, c, 1) → (s, c, f)."""
    update, reset = saturating(torch.bmm(with_neighbours(image), gates) + gate_bias).chunk(2, dim=2)
    fresh = torch.tanh(torch.bmm(with_neighbours(reset * image), candidate) + candidate_bias)
    return (fresh + update * (image - fresh)) * mask


class NeuralGPU(nn.Module):
    """A stack of models of one shape, each with parameters of its own."""

    def __init__(self, shape: Shape, theta: Tensor, unit: Unit = gated_unit) -> None:
        super().__init__()
        self.shape = shape
        self.theta = nn.Parameter(theta)
        """(s, p)"""
        self.unit = unit
        offsets = torch.arange(shape.height)[:, None] - torch.arange(shape.height)[None, :] + KERNEL // 2
        reach = torch.nn.functional.one_hot(offsets.clamp(0, KERNEL - 1), KERNEL).to(theta.dtype)
        inside = (offsets >= 0) & (offsets < KERNEL)
        self.register_buffer("rows", (reach * inside[..., None]).to(theta.device), persistent=False)
        """(h, h, 3) which row of a kernel leads from one row of the image to another"""

    def forward(self, questions: Tensor, columns: int | None = None, dropout: float = 0.0) -> Tensor:
        """Scores (s, q, n, radix) of the digits of each answer, for questions (s, q, n)."""
        shape = self.shape
        models, count, n = questions.shape
        columns = columns or count * (n + 1)
        units = self._units()
        mask = self._mask(count, n, columns)
        image = self._first_image(questions, columns)
        for step in range(n):
            if dropout:
                image = functional.dropout(image, dropout)
            for unit in range(shape.units):
                image = self.unit(image, *units[step % shape.sets][unit], mask)
        first_row = image[:, : count * (n + 1), : shape.maps].reshape(models, count, n + 1, shape.maps)
        weight, bias = self._reading()
        scores = torch.bmm(first_row[:, :, :n].reshape(models, -1, shape.maps), weight) + bias
        return scores.view(models, count, n, shape.radix)

    def distance(self) -> Tensor:
        """(s,) how far the sets are from their average: the sum of squares."""
        sets = sets_of(self.theta, self.shape)
        return (sets - sets.mean(dim=1, keepdim=True)).square().sum(dim=(1, 2))

    def _units(self) -> list[list[tuple[Tensor, Tensor, Tensor, Tensor]]]:
        """[set][unit] the kernels as matrices, and the biases."""
        shape, models = self.shape, self.theta.shape[0]
        lead = (models, shape.sets, shape.units, BANKS)
        sets = sets_of(self.theta, shape)
        kernels = sets[..., : shape.kernel_weights].reshape(*lead, KERNEL, KERNEL, shape.maps, shape.maps)
        f = shape.height * shape.maps
        matrices = torch.einsum("sxlbtyio,jky->sxlbtjiko", kernels, self.rows).reshape(*lead, KERNEL * f, f)
        biases = (
            sets[..., shape.kernel_weights :]
            .reshape(*lead, 1, shape.maps)
            .repeat(1, 1, 1, 1, 1, shape.height)
        )
        chosen = []
        for weights, bias in zip(matrices.unbind(1), biases.unbind(1), strict=True):
            row = []
            for w, b in zip(weights.unbind(1), bias.unbind(1), strict=True):
                update, reset, candidate = w.unbind(1)
                gates = torch.cat([update, reset], dim=2)
                row.append(
                    (
                        gates,
                        torch.cat([b[:, 0], b[:, 1]], dim=2),
                        candidate.contiguous(),
                        b[:, 2].contiguous(),
                    )
                )
            chosen.append(row)
        return chosen

    def _first_image(self, questions: Tensor, columns: int) -> Tensor:
        """(s, c, f) the question's symbols in the first row of the image, nothing below."""
        shape = self.shape
        models, count, n = questions.shape
        start = shape.sets * shape.set_size
        looks = self.theta[:, start : start + (shape.radix + 1) * shape.maps]
        looks = torch.tanh(looks.reshape(models, shape.radix + 1, shape.maps))
        symbols = torch.arange(shape.radix + 1, device=looks.device)
        chosen = questions.reshape(models, -1, 1) == symbols
        cells = torch.bmm(chosen.to(looks.dtype), looks).view(models, count, n, shape.maps)
        cells = functional.pad(cells, (0, (shape.height - 1) * shape.maps, 0, 1))
        ribbon = cells.view(models, count * (n + 1), shape.height * shape.maps)
        return functional.pad(ribbon, (0, 0, 0, columns - count * (n + 1)))

    def _reading(self) -> tuple[Tensor, Tensor]:
        """The matrix (s, m, radix) and the bias (s, 1, radix) that score the digits of a cell."""
        shape = self.shape
        start = self.shape.size - shape.maps * shape.radix - shape.radix
        weight = self.theta[:, start : start + shape.maps * shape.radix]
        return weight.reshape(-1, shape.maps, shape.radix), self.theta[:, None, -shape.radix :]

    def _mask(self, count: int, n: int, columns: int) -> Tensor:
        """(1, c, 1) 1 where a column belongs to an image."""
        place = torch.arange(columns, device=self.theta.device)
        inside = (place % (n + 1) < n) & (place < count * (n + 1))
        return inside.to(self.theta.dtype).view(1, columns, 1)
