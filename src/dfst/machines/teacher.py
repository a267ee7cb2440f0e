"""Teachers in Python: an ordinary function with a pen (docs/how-to/function.md). Its variables are its state.

A step is what an onlooker sees: the symbol under the pen is read, one is left there, the pen moves. A step
without a write leaves what is there; to return is to halt. What depends on more than was read is refused.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import isasyncgenfunction, isawaitable, iscoroutinefunction, isgenerator, isgeneratorfunction

import numpy as np
from numpy.typing import NDArray

from dfst.errors import DfstError, InputError
from dfst.machines.agent import MAX_SYMBOLS, encode_plain
from dfst.tasks.task import Layout, Task
from dfst.world.grid import BLANK, MOTION_NAMES, Limits, S
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import Action, ClosedLoop, ControlUnit, Onlooker, trace_of

MOST_READS = 100_000
"""How often the same cell may be read without a move; who reads it more often waits for ever."""
MOST_SECONDS = 20.0
"""How long the function may work without moving the pen; what takes longer is taken for an endless loop."""


class Pen:
    """What a teacher works with; it keeps nothing for its user."""

    __slots__ = ("_act", "_look", "_over", "_reads", "_teacher", "_written")

    def __init__(
        self, teacher: Teacher, look: Callable[[], int], act: Callable[[int, int, int], None]
    ) -> None:
        self._teacher, self._look, self._act = teacher, look, act
        self._written: int | None = None
        self._reads, self._over = 0, False

    def read(self) -> str:
        """The symbol under the pen; what was written there, once something is."""
        self._reads += 1
        if self._reads > MOST_READS:
            raise InputError(
                f"read the same cell {MOST_READS:,} times without a move; move, or return to halt"
            )
        return self._teacher.shown(self._look() if self._written is None else self._written)

    def write(self, symbol: str) -> None:
        """Leave a symbol under the pen; once between two moves."""
        if self._written is not None:
            before = self._teacher.shown(self._written)
            raise InputError(
                f"wrote {before!r} and then {symbol!r} without a move between; move after a write"
            )
        self._written = self._teacher.known(symbol)

    def move(self, motion: str) -> None:
        """U, D, L, R: one cell up, down, left, right. N: stay, which is a step, too."""
        if motion == "S" or motion not in MOTION_NAMES:
            raise InputError(f"moved {motion!r}, expected U, D, L, R, or N to stay; to halt, return")
        self._step(MOTION_NAMES.index(motion))

    def _step(self, motion: int) -> None:
        if self._over:
            raise Pause
        read = self._look()
        written = read if self._written is None else self._written
        self._written, self._reads = None, 0
        _WATCHDOG.alive()
        try:
            self._act(read, written, motion)
        except Pause:
            self._over = True
            raise

    def lift(self) -> None:
        """The last step, which halts: the function has returned."""
        self._step(S)


class Stalled(BaseException):
    """Nothing was heard of the watched code for too long: raised in its thread, between two instructions of
    Python. No `except Exception` holds it up; a call into C that never returns is beyond its reach."""


class Watchdog:
    """Watches the code inside `with`; `alive()` sets its clock back."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._deadline = seconds, 0.0
        self._watched: int | None = None
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Watchdog:
        with self._wake:
            self._watched = threading.get_ident()
            self.alive()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True, name="watchdog")
                self._thread.start()
            self._wake.notify()
        return self

    def __exit__(self, *error: object) -> None:
        with self._wake:
            if self._watched is not None:
                _raise_in(self._watched, None)  # one that has not arrived yet must not arrive elsewhere
            self._watched = None

    def alive(self) -> None:
        """The watched code has done something."""
        self._deadline = time.monotonic() + self._seconds

    def _watch(self) -> None:
        with self._wake:
            while True:
                if self._watched is None:
                    self._wake.wait()
                elif (left := self._deadline - time.monotonic()) > 0:
                    self._wake.wait(left)
                else:
                    _raise_in(self._watched, Stalled)
                    self.alive()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )


_WATCHDOG = Watchdog(MOST_SECONDS)


class Pause(BaseException):
    """Ends the function in its midst: nobody needs its further steps. No `except Exception` holds it up."""


@dataclass(frozen=True, eq=False)
class Teacher(ControlUnit):
    """A function with a pen, as a control unit."""

    name: str
    alphabet: tuple[str, ...]  # the symbols, the blank called λ and last
    blank: int
    function: Callable[[Pen], object]
    space: str  # what the function calls the blank
    layout: Layout = "first"
    task: Task | None = None
    _read: list[int] = field(default_factory=list, init=False, repr=False)
    """What it has read since the last reset, where it is led step by step"""

    def __call__(self, pen: Pen) -> object:
        return self.function(pen)

    def shown(self, symbol: int) -> str:
        return self.space if symbol == self.blank else self.alphabet[symbol]

    def known(self, symbol: object) -> int:
        if symbol == self.space:
            return self.blank
        if symbol not in self.alphabet[: self.blank]:
            known = " ".join(self.alphabet[: self.blank])
            raise InputError(f"wrote {symbol!r}, expected one of {known} or the blank {self.space!r}")
        return self.alphabet.index(str(symbol))

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        return encode_plain(text, self.alphabet, self.blank, self.layout, self.name)

    def run(self, text: str = "", limits: Limits = Limits()) -> Run:
        return self._work(text, limits)

    def trace(self, text: str = "", limits: Limits = Limits()) -> Trace:
        seen: list[Action] = []
        self._work(text, limits, seen.append)
        return trace_of(self, text, seen)

    def _work(self, text: str, limits: Limits, onlooker: Onlooker | None = None) -> Run:
        loop = ClosedLoop(self, text, limits)

        def act(read: int, written: int, motion: int) -> None:
            action = Action(loop.steps, loop.cell, read, written, motion)
            loop.act(action)
            if onlooker:
                onlooker(action)
            if loop.over:
                raise Pause

        self._teach(
            Pen(self, lambda: loop.grid.read(loop.cell), act), lambda: f"on {text!r}, step {loop.steps:,}"
        )
        return loop.outcome()

    def reset(self) -> None:
        # The function is frozen; what it was told so far is not.
        object.__setattr__(self, "_read", [])

    def step(self, symbol: int) -> tuple[int, int]:
        """One step, by working all steps before it again: a function cannot be stopped and sent on."""
        self._read.append(symbol)
        return self.acts(self._read)[-1]

    def acts(
        self, word: Sequence[int], at_last: Callable[[Pen, int], object] = lambda pen, motion: None
    ) -> list[tuple[int, int]]:
        """What it writes, and how it moves, at each of these symbols. at_last: called at the last two"""
        done: list[tuple[int, int]] = []

        def act(read: int, written: int, motion: int) -> None:
            done.append((written, motion))
            if len(done) >= len(word) - 1:
                at_last(pen, motion)
            if len(done) == len(word):
                raise Pause

        pen = Pen(self, lambda: word[len(done)], act)
        self._teach(pen, lambda: f"in step {len(done):,}")
        return done

    def _teach(self, pen: Pen, where: Callable[[], str]) -> None:
        """Let the function work until it returns or nobody wants more; whatever it raises is bad input."""
        try:
            with _WATCHDOG:
                made = self.function(pen)
            if isgenerator(made) or isawaitable(made):
                raise InputError(
                    "returned what yield or async made, which has not run; make it a plain function"
                )
            pen.lift()
        except Pause:
            return
        except Stalled:
            raise InputError(
                f"{self.name} did not move for {MOST_SECONDS:.0f} s {where()}; fix an endless loop"
            ) from None
        except DfstError as error:
            raise InputError(f"{self.name} {error} ({where()})") from error
        except SystemExit as error:
            raise InputError(f"{self.name} ended the program {where()}; to halt, return") from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise InputError(
                f"{self.name} failed {where()}: {type(error).__name__}: {error}; fix the function"
            ) from error


def teacher(
    symbols: str | Sequence[str], blank: str = " ", start: Layout = "first"
) -> Callable[[Callable[[Pen], object]], Teacher]:
    """Make a function with a pen a teacher.

    symbols: what may stand on the grid besides the blank, as a text or a list. blank: what the function calls
    an empty cell. start: where the pen starts on the input, on its `first` cell or its `last`.
    """
    names = tuple(symbol for symbol in symbols if symbol != blank)
    unusable = next((s for s in names if not isinstance(s, str) or s.split() != [s] or s == BLANK), None)
    if unusable is not None:
        raise InputError(
            f"a teacher's symbols must be texts without spaces, and not {BLANK}, found {unusable!r}"
        )
    if not isinstance(blank, str) or not blank or len(blank) > max(map(len, names), default=1):
        raise InputError(
            f"a teacher's blank must be a text, no longer than its longest symbol, found {blank!r}; try ' '"
        )
    if not 1 <= len(names) < MAX_SYMBOLS or len(set(names)) < len(names):
        raise InputError(f"a teacher needs 1 to {MAX_SYMBOLS - 1} different symbols, found {symbols!r}")
    if start not in ("first", "last"):
        raise InputError(f"a teacher starts on the first or the last cell of its input, found {start!r}")

    def decorate(function: Callable[[Pen], object]) -> Teacher:
        name = getattr(function, "__name__", "teacher")
        if any(kind(function) for kind in (isgeneratorfunction, iscoroutinefunction, isasyncgenfunction)):
            raise InputError(f"{name} has yield or async, so a call does nothing; make it a plain function")
        return Teacher(name, (*names, BLANK), len(names), function, blank, start)

    return decorate
