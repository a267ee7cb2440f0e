"""What all neural baselines share: symbols in, scores of actions out, sizes matched to the DFST's, training.

A network reads the symbols under the head, one at each step, and scores the symbol to write and the motion
after each. It is trained as the DFST is: the same traces, the squared distance of its scores to the one-hot
action, rare steps weighted alike, batches in the very order in which the DFST sees them, as many steps of
Adam, the gradient clipped to norm 1, the learning rate falling along a cosine to zero from the best of RATES
in a short pilot, which counts as training time. Nothing is kept on the way: a training that is broken off
begins anew.

Legend: b traces, T steps, Σ symbols, M motions, w width.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils._pytree import tree_flatten, tree_unflatten

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.baselines.reading import ReadingUnit
from dfst.machines.agent import MISSING
from dfst.states.follow import HiddenStates
from dfst.traces.reweighting import step_weights
from dfst.traces.traceset import TraceSet
from dfst.train.order import batch
from dfst.world.grid import MOTION_NAMES
from dfst.world.trace import UNKNOWN

RATES = (0.01, 0.003, 0.001)
PILOT = 0.05
"""Part of the steps that each rate gets in the pilot."""
CLIP = 1.0
MEASURED_AT_ONCE = 256
TOLD_EVERY = 50
"""Iterations between two reports of progress."""


@dataclass(frozen=True)
class Actions:
    """What a network reads and what it chooses from."""

    symbols: int
    motions: tuple[str, ...]
    unread: int = 0
    """How many symbols, the last ones, are only ever written."""

    @property
    def read(self) -> int:
        """How many symbols may be read."""
        return self.symbols - self.unread

    @property
    def scores(self) -> int:
        """Σ + M, the width of the read-out."""
        return self.symbols + len(self.motions)


class Network(nn.Module):
    """A causal network of some width. The state that `forward` returns lets reading go on."""

    context: int | None = None
    """The longest history it can read; None for any."""
    width_step: int = 1
    """Its width is a multiple of this."""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__()
        self.actions, self.width = actions, width

    def forward(self, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """Scores (b, T, Σ + M) for symbols read x (b, T), and the state after them."""
        raise NotImplementedError

    @property
    def parameter_count(self) -> int:
        return sum(p.numel() for p in self.parameters())


class Recurrent(Network):
    """One layer of a cell; the symbol enters one-hot, and h after reading it is scored."""

    kind: type[nn.LSTM | nn.GRU]

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.cell = self.kind(actions.read, width, batch_first=True)
        self.scores = nn.Linear(width, actions.scores)

    def forward(self, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        h, state = self.cell(nn.functional.one_hot(x, self.actions.read).to(self.scores.weight.dtype), state)
        return self.scores(h), state


class LSTM(Recurrent):
    """Gates decide what to forget, to add and to show."""

    kind = nn.LSTM


class GRU(Recurrent):
    """The LSTM's idea with two gates and one state, which in small sizes often trains best."""

    kind = nn.GRU


def nearest_width(kind: type[Network], actions: Actions, parameters: int) -> int:
    """The width at which a network comes nearest to a number of parameters."""
    width = step = kind.width_step
    size = kind(actions, width).parameter_count
    while True:
        wider = kind(actions, width + step).parameter_count
        if wider > parameters:
            return width + step if wider - parameters < parameters - size else width
        width, size = width + step, wider


def action_loss(
    scores: Tensor, s: Tensor, m: Tensor, lengths: Tensor, symbols: int, weights: Tensor | float = 1.0
) -> Tensor:
    """The paper's loss of traces padded to (b, T): squared distance to the one-hot action, halved. Unknown
    actions count for nothing, the others as much as their weights (b, T) say."""
    motions, known = scores.shape[2] - symbols, m != UNKNOWN
    s, m = s * known, m * known
    wanted = torch.cat([nn.functional.one_hot(s, symbols), nn.functional.one_hot(m, motions)], dim=2)
    away = (scores - wanted).square().sum(2)
    inside = torch.arange(scores.shape[1], device=scores.device) < lengths[:, None]
    return ((away * inside * known * weights).sum(1) / (2 * lengths)).mean()


def full_precision() -> AbstractContextManager[None]:
    """Inside, a GPU's recurrent kernels compute in float32: by default they round to ten bits (TF32)."""
    flags: AbstractContextManager[None] = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
    return flags


@dataclass(frozen=True, eq=False)
class Padded:
    """Traces as rectangles on a device, ready to be drawn from."""

    x: Tensor
    """(n, T)"""
    s: Tensor
    m: Tensor
    weights: Tensor
    """(n, T) how much each step counts in training"""
    lengths: NDArray[np.int64]
    """(n,) on the host, where batches are drawn"""

    def batch(self, chosen: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """x, s, m (b, T) and lengths (b,) of the chosen traces, T that of the longest of them."""
        at = torch.from_numpy(chosen).to(self.x.device)
        lengths = self.lengths[chosen]
        x, s, m = (array[at, : lengths.max()].long() for array in (self.x, self.s, self.m))
        return x, s, m, torch.from_numpy(lengths).to(self.x.device)


def padded(traces: TraceSet, device: str, reweighting: float = 0.0) -> Padded:
    """All traces, padded with zeros to the longest."""
    ends = np.cumsum(traces.lengths)[:-1]
    flat = (traces.x, traces.s, traces.m, step_weights(traces, reweighting).astype(np.float32))
    pieces = [map(torch.from_numpy, np.split(column, ends)) for column in flat]
    x, s, m, weights = (pad_sequence(list(column), batch_first=True).to(device) for column in pieces)
    return Padded(x, s, m, weights, traces.lengths)


class NetworkReader:
    """A trained network as a reader: the best symbol and the best motion after each symbol read."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.context = network.context
        names = network.actions.motions
        self._codes = np.array([MOTION_NAMES.index(name) for name in names], dtype=np.uint8)

    @torch.no_grad()
    def read(self, x: NDArray[np.uint8], state: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Any]:
        device = next(self.network.parameters()).device
        with full_precision():
            scores, state = self.network(torch.from_numpy(x).to(device).long(), state)
        k = self.network.actions.symbols
        symbols = scores[..., :k].argmax(2).cpu().numpy().astype(np.uint8)
        motions = scores[..., k:].argmax(2).cpu().numpy()
        return symbols, self._codes[motions], state

    def hidden_states(self) -> HiddenStates | None:
        """Its recurrence in float64, so that hidden states can be merged; None where the state grows."""
        if self.context is not None:
            return None
        network = deepcopy(self.network).cpu().double()

        @torch.no_grad()
        def read(symbol: int, state: Any) -> Any:
            return network(torch.tensor([[symbol]]), state)[1]

        parts, form = tree_flatten(read(0, None))
        sizes = [part.numel() for part in parts]

        def step(h: NDArray[np.float64], symbol: int) -> NDArray[np.float64]:
            pieces = zip(torch.from_numpy(h).split(sizes), parts, strict=True)
            # Nothing but the start is zero in every place.
            state = tree_unflatten([one.view(part.shape) for one, part in pieces], form) if h.any() else None
            return np.concatenate([part.numpy().ravel() for part in tree_flatten(read(symbol, state))[0]])

        return HiddenStates(np.zeros(sum(sizes)), step)


class Training:
    """A network on its way, from fresh parameters of a seed."""

    def __init__(self, network: Network, data: Padded, seed: int, batch: int, rate: float) -> None:
        self.network, self.data, self.seed, self.batch, self.rate = network, data, seed, batch, rate
        self.optimiser = torch.optim.Adam(network.parameters(), lr=rate)

    def train(self, steps: int, tell: Callable[[int, int, float], None] | None = None) -> float:
        """Take so many steps; the mean loss over the last quarter of them, infinite if it diverged."""
        losses: list[torch.Tensor] = []
        for iteration in range(steps):
            loss = self.step(iteration, iteration / steps)
            if iteration >= steps - max(1, steps // 4):
                losses.append(loss)
            if tell and (iteration + 1) % TOLD_EVERY == 0:
                tell(iteration + 1, steps, float(loss))
        tail = torch.stack(losses).mean()
        return float(tail) if torch.isfinite(tail) else math.inf

    def step(self, iteration: int, spent: float) -> torch.Tensor:
        """One step of Adam; the loss. A step whose gradient is not finite changes nothing."""
        self.optimiser.param_groups[0]["lr"] = 0.5 * self.rate * (1 + math.cos(math.pi * spent))
        self.optimiser.zero_grad()
        with full_precision():
            loss = self._loss(batch(self.seed, iteration, len(self.data.lengths), self.batch))
            loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        if torch.isfinite(norm):
            self.optimiser.step()
        return loss.detach()

    def _loss(self, chosen: NDArray[np.int64], weighted: bool = True) -> torch.Tensor:
        x, s, m, lengths = self.data.batch(chosen)
        at = torch.from_numpy(chosen).to(x.device)
        weights = self.data.weights[at, : x.shape[1]] if weighted else 1.0
        return action_loss(self.network(x)[0], s, m, lengths, self.network.actions.symbols, weights)

    @torch.no_grad()
    def whole_loss(self) -> float:
        """The loss over all traces, every step counting alike."""
        n = len(self.data.lengths)
        pieces = [np.arange(i, min(i + MEASURED_AT_ONCE, n)) for i in range(0, n, MEASURED_AT_ONCE)]
        with full_precision():
            return sum(float(self._loss(piece, weighted=False)) * len(piece) for piece in pieces) / n


def train_network(assignment: Assignment, kind: type[Network]) -> Trained:
    """Choose a width and a rate, train from the seed, and hand back a subject."""
    traces = assignment.traces
    recipe = assignment.plan.recipe.for_size(assignment.plan.shape(traces).d)
    read = int(np.flatnonzero((assignment.agent.next != MISSING).any(axis=0)).max()) + 1
    actions = Actions(len(traces.alphabet), traces.motions, unread=len(traces.alphabet) - read)
    width = nearest_width(kind, actions, assignment.parameters)
    data = padded(traces, assignment.device, recipe.reweighting)

    def begin(rate: float) -> Training:
        torch.manual_seed(assignment.seed)
        network = kind(actions, width).to(assignment.device)
        return Training(network, data, assignment.seed, recipe.batch_size, rate)

    began = time.monotonic()
    pilot = max(1, round(recipe.steps * PILOT))
    training = begin(min(RATES, key=lambda rate: begin(rate).train(pilot)))
    training.train(recipe.steps, assignment.tell)
    reader = NetworkReader(training.network.eval())
    return Trained(
        subject=ReadingUnit(reader, assignment.agent, kind.__name__),
        samples=len(traces),
        parameters=training.network.parameter_count,
        iterations=recipe.steps,
        seconds=time.monotonic() - began,
        loss=training.whole_loss(),
        settings={
            "width": width, "rate": training.rate, "batch": recipe.batch_size, "clip": CLIP,
            "reweighting": recipe.reweighting,
            **({"context": kind.context} if kind.context else {}),
        },
        hidden=reader.hidden_states(),
    )  # fmt: skip
