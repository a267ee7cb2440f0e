"""The table of a grid agent: rules (state, symbol) → (symbol, motion, state), followed one at a time.

Rules may be missing. To meet a missing one is an error that says where, or, in machines for which it is the
way to reject an input, the end of the run. A rule that halts still writes and may still move.

Legend: Q states, Σ symbols.
    write   (Q, Σ) uint8    symbol to write
    motion  (Q, Σ) uint8    U D L R, or S to stay
    next    (Q, Σ) int32    next state, HALT or MISSING
    end     (Q, Σ) int32    of a rule that halts, the number of the end it leads to
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError, MissingRule
from dfst.machines.ends import End
from dfst.world.grid import MOTION_NAMES, N, S
from dfst.world.unit import ControlUnit, check_symbol

HALT = -1
MISSING = -2
MAX_SYMBOLS = 255
MAX_STATES = 100_000


def arrays_of(
    rules: Mapping[tuple[int, int], tuple[int, int, int]], states: int, symbols: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]:
    """write, motion and next of rules (state, symbol) → (symbol, motion, next), the other entries missing."""
    write, motion = np.zeros((states, symbols), np.uint8), np.full((states, symbols), S, np.uint8)
    following = np.full((states, symbols), MISSING, np.int32)
    for at, rule in rules.items():
        write[at], motion[at], following[at] = rule
    return write, motion, following


@dataclass(frozen=True)
class Rule:
    """One line of the table, in names."""

    state: str
    symbol: str
    write: str
    motion: str
    next: str | None  # the next state, or None to halt
    end: str | None = None  # of a rule that halts: the state in which it does, where that has a name

    def __str__(self) -> str:
        then = (self.end or "halt") if self.next is None else self.next
        return f"({self.state}, {self.symbol}) → write {self.write}, move {self.motion}, {then}"


@dataclass(frozen=True, eq=False)
class Table(ControlUnit):
    """Rules, and the place in them that stepping by hand has reached."""

    name: str
    alphabet: tuple[str, ...]
    states: tuple[str, ...]  # state names; the first is the start
    write: NDArray[np.uint8] = field(repr=False)
    motion: NDArray[np.uint8] = field(repr=False)
    next: NDArray[np.int32] = field(repr=False)
    blank: int  # index of the empty symbol in the alphabet
    at: int = field(default=0, init=False, repr=False)
    """The number of the state that stepping has reached; after a halt, the one that halted."""
    _parting_move: int = field(default=S, init=False, repr=False)
    _ended_in: End | None = field(default=None, init=False, repr=False)
    ends: tuple[End, ...] = field(default=(), kw_only=True)
    """The states in which runs end, where they have names; none of them is among `states`."""
    end: NDArray[np.int32] | None = field(default=None, kw_only=True, repr=False)  # given if there are ends
    stuck_rejects: bool = field(default=False, kw_only=True)
    """Whether a run that meets a missing rule has rejected its input; otherwise that is an error."""

    def __post_init__(self) -> None:
        q, k = len(self.states), len(self.alphabet)
        self._demand(1 <= k <= MAX_SYMBOLS, f"expected 1 to {MAX_SYMBOLS} symbols, found {k}")
        self._demand(1 <= q <= MAX_STATES, f"expected 1 to {MAX_STATES} states, found {q}")
        ends = tuple(end.name for end in self.ends)
        kinds = (("symbol", self.alphabet), ("state", self.states), ("the end", (*self.states, *ends)))
        for kind, names in kinds:
            twice = next((name for name, times in Counter(names).items() if times > 1), None)
            self._demand(twice is None, f"{kind} {twice!r} is declared twice; use each name once")
        index = f"found index {self.blank}"
        self._demand(0 <= self.blank < k, f"the blank must be one of the {k} symbols, {index}")
        for name in ("write", "motion", "next", *(() if self.end is None else ("end",))):
            array = getattr(self, name)
            self._demand(array.shape == (q, k), f"{name} must have shape {(q, k)}, found {array.shape}")
            array.setflags(write=False)
        given = self.next != MISSING
        write, motion = (int(part[given].max(initial=0)) for part in (self.write, self.motion))
        self._demand(write < k, f"a rule writes symbol number {write} of {k}")
        self._demand(motion <= S, f"a rule moves by {motion}, expected 0 to {S}")
        inside = self.next.max(initial=0) < q and self.next.min(initial=0) >= MISSING
        self._demand(inside, f"a rule leads to a state outside the {q} declared")
        self._demand((self.end is None) == (not ends), "ends and the rules that lead to them go together")
        if self.end is not None:
            led = self.end[self.next == HALT]
            inside = led.min(initial=0) >= 0 and led.max(initial=0) < len(ends)
            self._demand(inside, f"a rule leads to an end outside the {len(ends)} declared")

    def _demand(self, holds: bool | np.bool_, otherwise: str) -> None:
        if not holds:
            raise InputError(f"agent {self.name}: {otherwise}")

    def reset(self) -> None:
        self._go_to(0, S, None)

    def step(self, symbol: int) -> tuple[int, int]:
        at = self.at
        check_symbol(symbol, self.alphabet)
        following = int(self.next[at, symbol])
        if following == MISSING:
            raise MissingRule(self.name, self.states[at], self.alphabet[symbol])
        halts = following == HALT
        if halts:
            self._go_to(at, int(self.motion[at, symbol]), self.end_of(at, symbol))
        else:
            self._go_to(following, S, None)
        return int(self.write[at, symbol]), int(self.action[at, symbol])

    def _go_to(self, at: int, parting_move: int, ended_in: End | None) -> None:
        # The rules are frozen; the place in them is not.
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "_parting_move", parting_move)
        object.__setattr__(self, "_ended_in", ended_in)

    def end_of(self, state: int, symbol: int) -> End | None:
        """Where a rule that halts leads to; None where ends have no names."""
        return None if self.end is None else self.ends[self.end[state, symbol]]

    @property
    def state(self) -> str:
        return self.states[self.at] if self._ended_in is None else self._ended_in.name

    @property
    def accepted(self) -> bool | None:
        return None if self._ended_in is None else self._ended_in.accepts

    @property
    def parting_move(self) -> int:
        return self._parting_move

    @cached_property
    def action(self) -> NDArray[np.uint8]:
        """(Q, Σ) the motion each rule shows to an onlooker: S if it halts, N if it stays and goes on."""
        seen = self.motion.copy()
        seen[(self.motion == S) & (self.next >= 0)] = N
        seen[self.next == HALT] = S
        seen.setflags(write=False)
        return seen

    @property
    def rules(self) -> Iterator[Rule]:
        """Every rule there is, in order of state and symbol."""
        for q, k in zip(*np.nonzero(self.next != MISSING), strict=True):
            yield self.rule(int(q), int(k))

    def rule(self, state: int, symbol: int) -> Rule:
        """One rule in names; the pair must have one."""
        target = int(self.next[state, symbol])
        end = self.end_of(state, symbol) if target == HALT else None
        return Rule(
            self.states[state], self.alphabet[symbol], self.alphabet[self.write[state, symbol]],
            MOTION_NAMES[self.motion[state, symbol]], None if target == HALT else self.states[target],
            None if end is None else end.name,
        )  # fmt: skip

    @property
    def rule_count(self) -> int:
        return int(np.count_nonzero(self.next != MISSING))

    def same_table(self, other: Table) -> bool:
        """Whether both are the same machine, names of states and of the agent aside."""
        if (self.alphabet, self.blank) != (other.alphabet, other.blank):
            return False
        given = self.next != MISSING
        pairs = (self.write, other.write), (self.motion, other.motion)
        return np.array_equal(self.next, other.next) and all((a[given] == b[given]).all() for a, b in pairs)
