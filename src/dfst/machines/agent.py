"""The grid agent: rules (state, symbol) → (symbol, motion, state); a Turing machine on the plane.

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
from dfst.machines.ends import HALT as HALT
from dfst.machines.ends import MISSING as MISSING
from dfst.machines.ends import End
from dfst.tasks.task import Layout, Task
from dfst.world.grid import MOTION_NAMES, SPACE, Limits, N, S, encode_board, lines_of
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import CompiledUnit, check_symbol

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
class Agent(CompiledUnit):
    """A grid agent, and the place in its rules that stepping by hand has reached. Build one with `RuleBook`,
    or read one from a file."""

    name: str
    alphabet: tuple[str, ...]
    states: tuple[str, ...]  # state names; the first is the start
    write: NDArray[np.uint8] = field(repr=False)
    motion: NDArray[np.uint8] = field(repr=False)
    next: NDArray[np.int32] = field(repr=False)
    blank: int  # index of the empty symbol in the alphabet
    task: Task | None = None
    """What the agent is meant to compute, where that is known."""
    layout: Layout = "first"
    """Where the head starts on the input: its first cell, its last, or the operator."""
    source: str = ""
    """Where the machine was published."""
    sample_inputs: tuple[str, ...] = ()
    """Inputs that came with the machine."""
    ends: tuple[End, ...] = field(default=(), kw_only=True)
    """The states in which runs end, where they have names; none of them is among `states`."""
    end: NDArray[np.int32] | None = field(default=None, kw_only=True, repr=False)  # given if there are ends
    stuck_rejects: bool = field(default=False, kw_only=True)
    """Whether a run that meets a missing rule has rejected its input; otherwise that is an error."""
    at: int = field(default=0, init=False, repr=False)
    """The number of the state that stepping has reached; after a halt, the one that halted."""
    _halted_at: int | None = field(default=None, init=False, repr=False)  # the symbol of the rule that did

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

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""
        if self.task is not None:
            return self.task.encode(text)
        return encode_plain(text, self.alphabet, self.blank, self.layout, self.name)

    def run_compiled(self, text: str, limits: Limits = Limits()) -> Run:
        from dfst.machines.compiled import run

        return run(self, text, limits)

    def trace_compiled(self, text: str, limits: Limits = Limits()) -> Trace:
        from dfst.machines.compiled import record

        return record(self, text, limits)

    def reset(self) -> None:
        self._go_to(0)

    def step(self, symbol: int) -> tuple[int, int]:
        at = self.at
        check_symbol(symbol, self.alphabet)
        following = int(self.next[at, symbol])
        if following == MISSING:
            raise MissingRule(self.name, self.states[at], self.alphabet[symbol])
        self._go_to(*((at, symbol) if following == HALT else (following,)))
        return int(self.write[at, symbol]), int(self.action[at, symbol])

    def _go_to(self, at: int, halted_at: int | None = None) -> None:
        # The rules are frozen; the place in them is not.
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "_halted_at", halted_at)

    def end_of(self, state: int, symbol: int | None) -> End | None:
        """Where a rule that halts leads to; None where ends have no names, or there is no such rule."""
        return None if self.end is None or symbol is None else self.ends[self.end[state, symbol]]

    @property
    def state(self) -> str:
        end = self.end_of(self.at, self._halted_at)
        return self.states[self.at] if end is None else end.name

    @property
    def accepted(self) -> bool | None:
        end = self.end_of(self.at, self._halted_at)
        return None if end is None else end.accepts

    @property
    def parting_move(self) -> int:
        return S if self._halted_at is None else int(self.motion[self.at, self._halted_at])

    @cached_property
    def action(self) -> NDArray[np.uint8]:
        """(Q, Σ) the motion each rule shows to an onlooker: S if it halts, N if it stays and goes on."""
        seen = self.motion.copy()
        seen[(self.motion == S) & (self.next >= 0)] = N
        seen[self.next == HALT] = S
        seen.setflags(write=False)
        return seen

    def shown(self, state: int, symbol: int) -> tuple[int, int] | None:
        """What an onlooker sees of a rule: symbol written, motion; None where there is none."""
        at = state, symbol
        return None if self.next[at] == MISSING else (int(self.write[at]), int(self.action[at]))

    @cached_property
    def shown_rules(self) -> NDArray[np.int64]:
        """(Q · Σ,) `shown` of all rules: next state · 2¹⁶ + motion · 2⁸ + symbol."""
        following: NDArray[np.int64] = self.next.astype(np.int64) << 16
        return (following | (self.action.astype(np.int64) << 8) | self.write).ravel()

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

    def same_table(self, other: Agent) -> bool:
        """Whether both are the same machine, names of states and of the agent aside."""
        if (self.alphabet, self.blank) != (other.alphabet, other.blank):
            return False
        given = self.next != MISSING
        pairs = (self.write, other.write), (self.motion, other.motion)
        return np.array_equal(self.next, other.next) and all((a[given] == b[given]).all() for a, b in pairs)


def check_start(name: str, layout: Layout, task: Task | None) -> None:
    """Refuse to start on an operator where no task says which symbol that is."""
    if layout == "operator" and task is None:
        raise InputError(f"{name} starts on the operator but has no task that says which symbol that is")


def encode_plain(
    text: str, alphabet: tuple[str, ...], blank: int, layout: Layout, name: str
) -> tuple[NDArray[np.uint8], int]:
    """A machine's input as symbol indices: each symbol one character, or names parted by spaces.

    A newline, or /, starts the next row of the plane. `_` and a space stand for the blank where the alphabet
    has no such symbol. A text that is a name and could be several symbols as well is refused.
    """
    index = {symbol: i for i, symbol in enumerate(alphabet)}
    index.setdefault("_", blank)
    index.setdefault(" ", index.get(SPACE, blank))
    longer = any(len(s) > 1 for s in alphabet)
    if len(text) > 1 and text in index and all(character in index for character in text):
        raise InputError(
            f"{name} can read {text!r} as one symbol or as {len(text)}; give {' ' + text!r} or "
            f"{' '.join(text)!r}"
        )
    named = longer and (" " in text.strip() or any(line.strip() in index for line in lines_of(text, index)))
    rows = [line.split() if named else list(line) for line in lines_of(text, index)]
    check_start(name, layout, None)
    symbols = encode_board(rows, index, name, f"its alphabet is {' '.join(alphabet)}")
    return symbols, max(0, symbols.size - 1) if layout == "last" else 0
