"""Closed loops on a GPU: many models of one shape on many inputs, side by side, each in constant memory.

The twin of `rollout.compiled` for runs compared with an expert, equal to it action by action and in every
bit of h; `roll.cu` says how. A launch takes every run some steps further and leaves all that a run is on the
device, so that finished runs cost nothing, a run whose head leaves its box of cells goes on in a larger one,
and an interrupt is heard between launches.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.errors import InputError, OutOfCells
from dfst.kernels.gpu.nvrtc import MAX_THREADS, SHARED_BYTES, at_once, kernel, launch, runs_on
from dfst.machines.agent import Agent
from dfst.model.rollout.transducer import FAR, NEAR
from dfst.model.weights import Shape, Weights
from dfst.world.grid import Cell, Limits, first_cell
from dfst.world.run import Run
from dfst.world.unit import difference

RUNNING, HALTED, DIFFERS, NOT_FINITE, LEFT_THE_BOX = range(5)
X, Y, STEPS, STATE, STATUS, SYMBOL, MOTION, MARGIN, NORM = range(9)
"""The fields of a `Place` in `roll.cu`, 64 bits each."""
RIM = 255  # what stands around a box of cells; no symbol has this number
FIRST_STEPS = 1 << 12
SECONDS_A_LAUNCH = 0.2
MARGIN_OF_BOX = 32
"""Cells around the inputs at first; a box must not be smaller than the window of `roll.cu`."""
WINDOW_BYTES = 64 * 32
PITCH = 16  # rows of a box begin at multiples of this, as the window wants it
TOGETHER = (1, 2, 3, 4, 6, 8, 12, 16)
"""How many rollouts may share one copy of the matrices; few numbers, since each is compiled."""


@dataclass(frozen=True)
class Spread:
    """How rollouts of a shape lie over blocks; the names in `roll.cu` are C, RC, Q, STAGED and RULES."""

    size: int  # blocks that share one copy of the matrices
    rows: int  # rows of each matrix in one block
    together: int  # rollouts that work on that copy
    staged: bool  # whether the matrices fit into shared memory
    rules: int  # rules kept there; 0 if they do not fit
    threads: int
    shared_bytes: int


def spread(shape: Shape, itemsize: int, rules: int, together: int, largest: int = 8) -> Spread | None:
    """Over the fewest blocks that hold the matrices; through the caches, singly, where `largest` do not."""
    height = shape.d + shape.symbols + shape.motions
    values = together * (3 * -(-height // 4) * 4 * itemsize + 16) + 16
    for size, kept in product((1, 2, 4, 8), (rules, 0)):
        rows, clerks = -(-height // size), -(-together // size)
        threads = -(-together * rows // 32) * 32 + 32 * clerks
        shared = (
            values + clerks * WINDOW_BYTES + 16 * -(-kept // 4) + shape.symbols * shape.d * rows * itemsize
        )
        if size <= largest and shared <= SHARED_BYTES and threads <= MAX_THREADS:
            return Spread(size, rows, together, True, kept, threads, shared)
    threads = -(-height // 32) * 32 + 32
    if together == 1 and threads <= MAX_THREADS:
        return Spread(1, height, 1, False, 0, threads, values + WINDOW_BYTES)
    return None


@dataclass(frozen=True, eq=False)
class Box:
    """The part of the plane where something stands at the end of a run."""

    cells: NDArray[np.uint8] = field(repr=False)  # (height, width) symbols, y growing with the row
    corner: Cell  # the cell of cells[0, 0]
    blank: int

    def nonblank(self) -> list[tuple[Cell, int]]:
        """The cells that are not empty, top row first, left to right."""
        rows, columns = np.nonzero(self.cells[::-1] != self.blank)
        rows = len(self.cells) - 1 - rows
        symbols = self.cells[rows, columns].tolist()
        x, y = columns + self.corner[0], rows + self.corner[1]
        return [((x, y), symbol) for x, y, symbol in zip(x.tolist(), y.tolist(), symbols, strict=True)]


@dataclass(frozen=True, eq=False)
class Ending:
    """How one rollout ended."""

    run: Run
    status: int
    h: NDArray[Any] = field(repr=False)
    """(d,) the hidden state that remains: of before the step that differs, if one does"""


class _Batch:
    """Rollouts on the device: every model on every input, in order of models."""

    def __init__(
        self, models: Sequence[Weights], texts: Sequence[str], expert: Agent, limits: Limits, device: Any
    ) -> None:
        self.models, self.texts, self.expert, self.limits, self.device = models, texts, expert, limits, device
        first = models[0]
        self.blank = first.blank
        self.model = np.repeat(np.arange(len(models)), len(texts))
        self.places = np.zeros((len(self.model), NORM + 1), dtype=np.int64)
        self.W = self._send(np.stack([w.stacked.transpose(0, 2, 1) for w in models]))
        self.rules = self._send(_packed(expert))
        motions = first.motion_codes().tolist()
        self.codes = _bytes(motions)
        # a motion that the model cannot make has a row that does not exist
        self.row_of = _bytes([motions.index(m) if m in motions else len(motions) for m in range(6)])
        self.hidden = self._send(np.stack([w.h0 for w in models])[self.model])
        inputs = [first.encode(text) for text in texts]
        firsts = [first_cell(symbols, start) for symbols, start in inputs]
        boards = [np.atleast_2d(symbols)[::-1] for symbols, _ in inputs]
        left = max(-x for x, _ in firsts)
        below = max(len(board) - 1 - y for board, (_, y) in zip(boards, firsts, strict=True))
        width = left + max(board.shape[1] + x for board, (x, _) in zip(boards, firsts, strict=True))
        height = below + 1 + max(y for _, y in firsts)
        m = MARGIN_OF_BOX
        self.corner = (-left - m - 1, -below - m - 1)
        """The cell of a box's first byte, in its rim"""
        laid = np.full((len(texts), height, width), self.blank, dtype=np.uint8)
        for box, board, (x, y) in zip(laid, boards, firsts, strict=True):
            bottom = below + y + 1 - len(board)
            box[bottom : bottom + len(board), left + x : left + x + board.shape[1]] = board
        self.cells = self._boxes(2 * m + height, 2 * m + width)
        inside = self.cells[:, m + 1 : m + 1 + height, m + 1 : m + 1 + width]
        inside[:] = self._send(laid).repeat(len(models), 1, 1)
        self.places[:, X], self.places[:, Y] = -self.corner[0], -self.corner[1]
        self.places[:, MARGIN:] = np.array([np.inf, np.nan]).view(np.int64)

    def _send(self, array: NDArray[Any]) -> Tensor:
        return torch.tensor(np.ascontiguousarray(array), device=self.device)

    def _boxes(self, height: int, width: int) -> Tensor:
        """(rollouts, height + 2, width + 2 and what fills the row) blank cells and a rim."""
        if height * width > self.limits.cells:
            raise OutOfCells(self.limits.cells, int(self.places[:, STEPS].max()))
        self.height, self.width = height, width
        shape = (len(self.model), height + 2, -(-(width + 2) // PITCH) * PITCH)
        boxes = torch.full(shape, RIM, dtype=torch.uint8, device=self.device)
        boxes[:, 1 : 1 + height, 1 : 1 + width] = self.blank
        return boxes

    def grow(self, left: NDArray[np.bool_]) -> None:
        """Boxes twice as large, on the sides where a head stands on the rim."""
        height, width, (column, row) = self.height, self.width, self.places[left][:, [X, Y]].T
        west, east = width * bool((column == 0).any()), width * bool((column == width + 1).any())
        south, north = height * bool((row == 0).any()), height * bool((row == height + 1).any())
        inside = self.cells[:, 1 : 1 + height, 1 : 1 + width]
        cells = self._boxes(height + south + north, width + west + east)
        cells[:, 1 + south : 1 + south + height, 1 + west : 1 + west + width] = inside
        self.cells = cells
        self.corner = (self.corner[0] - west, self.corner[1] - south)
        self.places[:, X] += west
        self.places[:, Y] += south
        self.places[left, STATUS] = RUNNING

    def advance(self, function: Any, s: Spread, running: NDArray[np.int64], steps: int) -> None:
        """Take these rollouts up to so many steps further."""
        seats, owners = _seated(running, self.model[running], s.together)
        places = self._send(self.places)
        arguments = (
            self.W, self.rules, self.codes, self.row_of, self._send(owners), self._send(seats), places,
            self.hidden, self.cells, *self.cells.shape[1:], self.limits.steps, steps,
        )  # fmt: skip
        launch(function, len(owners) * s.size, s.threads, s.shared_bytes, arguments)
        self.places = places.cpu().numpy()

    def endings(self, began: float) -> list[list[Ending]]:
        """[model][input]"""
        filled = (self.cells != self.blank) & (self.cells != RIM)
        rows, columns = filled.any(2).cpu().numpy(), filled.any(1).cpu().numpy()
        hidden = self.hidden.cpu().numpy()
        seconds, many = time.perf_counter() - began, len(self.texts)
        found = []
        for r, place in enumerate(self.places.tolist()):
            weights, text = self.models[r // many], self.texts[r % many]
            y, x = _span(rows[r]), _span(columns[r])
            corner = (x.start + self.corner[0], y.start + self.corner[1])
            box = Box(self.cells[r, y, x].cpu().numpy(), corner, self.blank)
            head = (place[X] + self.corner[0], place[Y] + self.corner[1])
            parted = None
            if place[STATUS] == DIFFERS:
                read = int(self.cells[r, place[Y], place[X]])
                actions = self.expert.shown(place[STATE], read), (place[SYMBOL], place[MOTION])
                parted = difference(self.expert, place[STEPS], head, read, *actions)
            margin, norm = self.places[r, MARGIN:].view(np.float64).tolist()
            run = Run(
                weights.name, text, weights.alphabet, place[STEPS], place[STATUS] == HALTED, head, seconds,
                world=box, margin=margin, norm=norm, difference=parted, unit=weights,
            )  # fmt: skip
            found.append(Ending(run, place[STATUS], hidden[r]))
        return [found[i : i + many] for i in range(0, len(found), many)]


def _packed(expert: Agent) -> NDArray[np.int32]:
    """(Q · Σ,) rules as `roll.cu` reads them: (next state + 2) · 2¹¹ + motion shown · 2⁸ + symbol."""
    rules = expert.shown_rules
    return ((((rules >> 16) + 2) << 11) | (rules & 0x7FF)).astype(np.int32)


def _bytes(numbers: Sequence[int]) -> int:
    """Small numbers, a byte each, in one."""
    return sum(number << 8 * i for i, number in enumerate(numbers))


def _span(filled: NDArray[np.bool_]) -> slice:
    """From the first to the last; nothing if there is none."""
    at = np.flatnonzero(filled)
    return slice(int(at[0]), int(at[-1]) + 1) if at.size else slice(0, 0)


def _seated(
    rollouts: NDArray[np.int64], models: NDArray[np.int64], together: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(clusters, together) rollouts of one model, -1 for none, and (clusters,) that model."""
    seats, owners = [], []
    for model in np.unique(models):
        own = rollouts[models == model]
        padded = np.full(-(-own.size // together) * together, -1, dtype=np.int32)
        padded[: own.size] = own
        seats.append(padded.reshape(-1, together))
        owners += [model] * len(seats[-1])
    return np.concatenate(seats), np.array(owners, dtype=np.int32)


class GpuRollouts:
    """Models of one shape and one meaning, ready to run side by side on a GPU."""

    def __init__(self, models: Sequence[Weights], device: str = "cuda", together: int = 0) -> None:
        """`together`: rollouts that share one copy of the matrices; 0 lets their number decide."""
        first = models[0]
        for other in models:
            meant = [(w.shape, w.dtype, w.alphabet, w.motions, w.layout) for w in (first, other)]
            if meant[0] != meant[1]:
                raise InputError(
                    f"models side by side must have one shape, dtype and alphabet: {other.name} has "
                    f"{other.shape} in {other.dtype}, {first.name} {first.shape} in {first.dtype}"
                )
        self.models, self.device, self.together = models, torch.device(device), together
        if not able(first, self.device):
            raise InputError(
                f"no rollouts of {first.shape} on {self.device}: expected an NVIDIA GPU of 2020 or later, "
                f"NVRTC, and at most {MAX_THREADS - 32} rows d + Σ + M; use the CPU"
            )

    def run(self, texts: Sequence[str], against: Agent, limits: Limits = Limits()) -> list[list[Run]]:
        """[model][input] runs, each up to its halt, its first difference or its limit."""
        return [[ending.run for ending in row] for row in self.endings(texts, against, limits)]

    def endings(self, texts: Sequence[str], against: Agent, limits: Limits = Limits()) -> list[list[Ending]]:
        """[model][input] how each rollout ended."""
        if against.alphabet != self.models[0].alphabet:
            raise InputError(
                f"{self.models[0].name} and {against.name} have different alphabets; "
                "a run can only be compared with an expert of the same alphabet"
            )
        if not texts:
            return [[] for _ in self.models]
        began = time.perf_counter()
        batch = _Batch(self.models, texts, against, limits, self.device)
        running, steps, chosen, served = np.arange(len(batch.model)), FIRST_STEPS, None, 0
        while running.size:
            if chosen is None or running.size <= served // 2:
                chosen, served = self._choose(batch.model[running], against.next.size), running.size
            started = time.perf_counter()
            batch.advance(*chosen, running, steps)
            if time.perf_counter() - started < SECONDS_A_LAUNCH:
                steps *= 2
            left = batch.places[:, STATUS] == LEFT_THE_BOX
            if left.any():
                batch.grow(left)
            going = (batch.places[:, STATUS] == RUNNING) & (batch.places[:, STEPS] < limits.steps)
            running = np.flatnonzero(going)
        return batch.endings(began)

    def _choose(self, models: NDArray[np.int64], rules: int) -> tuple[Any, Spread]:
        """The kernel for rollouts of these models: as many together as let all run at once, or the most."""
        counts, s = np.unique(models, return_counts=True)[1], None
        shape, itemsize = self.models[0].shape, self.models[0].dtype.itemsize
        largest = 8 if runs_on(self.device, 9) else 1
        for together in (self.together,) if self.together else TOGETHER:
            found = spread(shape, itemsize, rules, together, largest)
            if found is None or (s and found.size != s.size):
                break
            s = found
            if (-(-counts // together)).sum() <= at_once(self.device, s.size, s.threads, s.shared_bytes):
                break
        assert s is not None
        wide = int(itemsize == 8)
        macros = {
            "REAL": "double" if wide else "float", "WIDE": wide, "SYMBOLS": shape.symbols,
            "MOTIONS": shape.motions, "DIM": shape.d, "C": s.size, "RC": s.rows, "Q": s.together,
            "STAGED": int(s.staged), "RULES": s.rules, "NEAR": NEAR, "FAR": FAR,
        }  # fmt: skip
        return kernel("roll", macros, self.device, s.shared_bytes), s


def able(weights: Weights, device: torch.device | str = "cuda") -> bool:
    """Whether this machine's GPU can run models of this shape."""
    fits = spread(weights.shape, weights.dtype.itemsize, 0, 1) is not None
    return fits and runs_on(torch.device(device), 8)
