"""The DFST itself: its four tensors, and one readable step of them.

    h ← A[x] h     symbol = argmax B[x] h     motion = argmax C[x] h     (h of before the update)

Sums run over the hidden units in order, each operation rounded once, as in the compiled loop and in the
browser, so that all three agree to the last bit.

Decisions depend on the direction of h alone. So h is multiplied by an exact power of two (`rescaled`) before
it over- or underflows, and a run goes on; within 2^±60 nothing is touched, not a bit.

Legend: Σ symbols, M motions, d hidden size.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError, Overflow
from dfst.world.grid import BLANK, MOTION_NAMES, MOTIONS
from dfst.world.unit import ControlUnit, check_symbol

NEAR, FAR = 2.0**40, 2.0**60
"""Beyond FAR, or below its inverse, the largest component of h is brought back by this factor. It is looked
for only where the first component is beyond NEAR, or below its inverse, since a step has little time."""


@dataclass(frozen=True, eq=False)
class Transducer(ControlUnit):
    """A differentiable finite-state transducer, and the hidden state that stepping by hand has reached."""

    A: NDArray[Any] = field(repr=False)  # (Σ, d, d)
    B: NDArray[Any] = field(repr=False)  # (Σ, Σ, d)
    C: NDArray[Any] = field(repr=False)  # (Σ, M, d)
    h0: NDArray[Any] = field(repr=False)  # (d,)
    alphabet: tuple[str, ...]
    motions: tuple[str, ...] = MOTIONS
    _h: NDArray[Any] = field(init=False, repr=False)
    _before: NDArray[Any] | None = field(default=None, init=False, repr=False)
    _leads: tuple[float, float] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        k, m, d = len(self.alphabet), len(self.motions), self.h0.shape[-1] if self.h0.ndim else 0
        number, sizes = self.h0.dtype, f"for {counted(k, 'symbol')} and {counted(m, 'motion')}"
        real = number in (np.float32, np.float64)
        self._demand(real, f"tensor h0 must be float32 or float64, found {number}")
        for name, shape in {"A": (k, d, d), "B": (k, k, d), "C": (k, m, d), "h0": (d,)}.items():
            part = getattr(self, name)
            fits, same = part.shape == shape, part.dtype == number
            self._demand(fits, f"tensor {name} must have shape {shape} {sizes}, found {part.shape}")
            self._demand(same, f"tensor {name} must be {number} like h0, found {part.dtype}")
            finite = np.isfinite(part).all()
            self._demand(finite, f"tensor {name} holds NaN or infinity; the training run diverged")
        for what, names in (("symbols", self.alphabet), ("motions", self.motions)):
            differ = len(set(names)) == len(names)
            self._demand(differ, f"expected {what} that all differ, found {' '.join(names)!r}")
        symbols, motions = " ".join(self.alphabet), " ".join(self.motions)
        self._demand(BLANK in self.alphabet, f"the alphabet must hold the blank {BLANK}, found {symbols}")
        known = "S" in self.motions and set(self.motions) <= set(MOTION_NAMES)
        self._demand(known, f"motions must be among U D L R S N with S, found {motions}")
        self.reset()

    def _demand(self, holds: bool | np.bool_, otherwise: str) -> None:
        if not holds:
            raise InputError(f"{self.name}: {otherwise}")

    @property
    def blank(self) -> int:  # type: ignore[override]
        return self.alphabet.index(BLANK)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.h0.dtype

    def motion_codes(self) -> NDArray[np.uint8]:
        """(M,) the motion of `dfst.world.grid` that each row of C stands for."""
        return np.array([MOTION_NAMES.index(m) for m in self.motions], dtype=np.uint8)

    @cached_property
    def stacked(self) -> NDArray[Any]:
        """(Σ, d + Σ + M, d) A, B and C one below the other: all that a step multiplies h with."""
        return np.concatenate([self.A, self.B, self.C], axis=1)

    @property
    def hidden(self) -> NDArray[Any]:
        return self._h

    @property
    def leads(self) -> tuple[float, float] | None:
        return self._leads

    @property
    def norm(self) -> float | None:
        return None if self._before is None else hypot(*self._before.tolist())

    def reset(self) -> None:
        self._go_to(self.h0, None)

    def step(self, symbol: int) -> tuple[int, int]:
        d, k = len(self.h0), len(self.alphabet)
        check_symbol(symbol, self.alphabet)
        products = in_order(self.stacked[symbol], self._h)
        written, symbol_lead = self._decide(products[d : d + k])
        motion, motion_lead = self._decide(products[d + k :])
        self._go_to(rescaled(products[:d]), (symbol_lead, motion_lead))
        return written, MOTION_NAMES.index(self.motions[motion])

    def _decide(self, scores: NDArray[Any]) -> tuple[int, float]:
        """The first best of the scores, and its lead over the second."""
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = scores[1:] - np.maximum.accumulate(scores)[:-1]
        if not (np.isfinite(scores[0]) and np.isfinite(gaps).all()):
            raise Overflow(self.name)
        best = int(scores.argmax())
        return best, float(scores[best] - np.partition(scores, -2)[-2]) if len(scores) > 1 else float("inf")

    def _go_to(self, h: NDArray[Any], leads: tuple[float, float] | None) -> None:
        # The tensors are frozen; the place that stepping has reached is not.
        object.__setattr__(self, "_before", None if leads is None else self._h)
        object.__setattr__(self, "_h", h)
        object.__setattr__(self, "_leads", leads)


def in_order(matrix: NDArray[Any], h: NDArray[Any]) -> NDArray[Any]:
    """matrix @ h, the sum over j taken from left to right, from 0 on."""
    terms = np.zeros((matrix.shape[0], h.size + 1), dtype=h.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(matrix, h, out=terms[:, 1:])
        return np.add.accumulate(terms, axis=1)[:, -1]


def rescaled(h: NDArray[Any]) -> NDArray[Any]:
    """h itself, or times 2^±60 where its largest component is beyond 2^60 or below 2^-60."""
    if not h.size or 1 / NEAR <= abs(h[0]) < NEAR:
        return h
    largest = np.abs(h).max(initial=0)
    if largest >= FAR:
        return h * h.dtype.type(1 / FAR)
    return h * h.dtype.type(FAR) if 0 < largest < 1 / FAR else h
