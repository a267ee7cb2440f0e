"""Does a function in Python need more and more states the longer its input is? Then no model can learn it.

A function may remember all that it has read; a model has finitely many states. Memory is measured where it
shows, on repetitions: the inputs are u v…v x y…y z, in which two short pieces are repeated, v up to n times
and y up to n times. A machine has to tell two histories apart if, after them, it reads the same symbols and
has to act differently. As many histories as must all be told apart, so many states it needs at least. They
are looked for where the pen first comes to the end of v…v, which are then told apart by what y…y leads to,
and where it first leaves the input on either side.

This number is counted for n = 4, 8, 16 and 32. It is said to keep growing if each doubling adds more than the
one before. All inputs are tried that such pieces of one or two symbols make; nothing is drawn by chance.

It notices   counters, lists, stacks, numbers: whatever grows in proportion when a piece is repeated
It does not  what grows only on inputs that repeat nothing, or after eight repetitions, or as slowly as a
             logarithm; pieces of three symbols, where shorter ones lead back; of a large alphabet, pieces
             that were left out (`MOST_PIECES`). Then the inputs held out show that the model does not agree.
It is wrong  never of a function that gets by with six states, nor of one that counts round to 24 or less. A
             larger finite memory that fills up step by step may look as if it grew: who knows better gives
             the hidden size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.languages import Language
from dfst.languages.automaton import NONE
from dfst.machines.teacher import Teacher
from dfst.states.fewest import clique
from dfst.world.grid import OFFSETS, Limits

REPETITIONS = (4, 8, 16, 32)
MOST_PIECES, MOST_FORMS = 10, 100
"""Pieces that are repeated at one place of the inputs, and forms u v…v x y…y z, that are tried."""
FOLLOWED = Limits(steps=1_000)
"""How far a run is followed; one that goes on is cut off."""

T = TypeVar("T")
Word = tuple[int, ...]
Future = NDArray[np.int64]
"""(steps, 3) what was read, written and moved"""


@dataclass(frozen=True)
class Growth:
    """How many states a function needs at least, for so many repetitions of a piece."""

    piece: str
    needed: tuple[int, ...]


@dataclass(frozen=True)
class Form:
    """Inputs in which two pieces are repeated; the near ones lie on the side where the pen starts."""

    ends: tuple[Word, Word]
    """Near, far"""
    pieces: tuple[Word, Word]
    """Near, far"""
    between: Word
    ahead: int
    """1 where the pen starts on the first cell; -1 where on the last, then words run from right to left"""

    def word(self, near: int, far: int) -> Word:
        """The input with so many of both pieces."""
        (start, end), (one, two) = self.ends, self.pieces
        return (start + near * one + self.between + far * two + end)[:: self.ahead]

    def cells(self, near: int) -> list[int]:
        """The cells after the near pieces, after the input where no far piece is in it, and before it."""
        places = len(self.ends[0]) + near * len(self.pieces[0]), len(self.word(near, 0)), -1
        return [self.ahead * place for place in places]


def check_memory_is_bounded(teacher: Teacher, language: Language) -> None:
    """Refuse a function that needs more and more states, as far as repetitions show it."""
    if found := growing_memory(teacher, language):
        needed, tried = (", ".join(map(str, numbers)) for numbers in (found.needed, REPETITIONS))
        raise InputError(
            f"{teacher.name}: the number of learnt states keeps growing with the input "
            f"(at least {needed} where {found.piece!r} is repeated up to {tried} times); "
            "if you know that so many will do, give --hidden-size"
        )


def growing_memory(teacher: Teacher, language: Language) -> Growth | None:
    """Inputs of the language for which the function needs more and more states; None where none were met."""

    @lru_cache(maxsize=2_000)
    def traced(word: Word) -> tuple[Future, NDArray[np.int64]]:
        """What was read, written and moved, and (steps, 2) where, from the start."""
        trace = teacher.trace(language.text(word), FOLLOWED)
        done = np.column_stack([trace.x, trace.s, trace.m]).astype(np.int64)
        return done, np.cumsum([(0, 0), *(OFFSETS[m] for m in trace.m[:-1].tolist())], axis=0)

    def future(word: Word, cell: int) -> tuple[bytes, Future] | None:
        """What was read before the pen first came to a cell of the input's row, and the steps from there."""
        done, cells = traced(word)
        there = np.flatnonzero((cells == (cell, 0)).all(axis=1))
        return (done[: there[0], 0].tobytes(), done[there[0] :]) if there.size else None

    def needed(form: Form, most: int) -> int:
        """States told apart at the end of the near pieces, or beside the input, whichever are more."""
        found = []
        for place, farthest in enumerate((most, 0, 0)):
            futures: list[dict[int, Future]] = []
            for near in range(most + 1):
                cell = form.cells(near)[place]
                met = {far: future(form.word(near, far), cell) for far in range(farthest + 1)}
                same = {far: m for far, m in met.items() if m and met[0] and m[0] == met[0][0]}
                futures.append({far: steps for far, (_, steps) in same.items()})
            found.append(_told_apart(futures))
        return max(found)

    for form in _forms(language, 1 if teacher.layout == "first" else -1):
        numbers = [needed(form, REPETITIONS[0])]
        for most in REPETITIONS[1:]:
            numbers.append(needed(form, most))
            added = [after - before for before, after in pairwise([numbers[0], *numbers])]
            if not all(before < after for before, after in pairwise(added)):
                break
        else:
            return Growth(language.text(form.pieces[0][:: form.ahead]), tuple(numbers))
    return None


def _told_apart(futures: list[dict[int, Future]]) -> int:
    """The most histories found of which no two are one state; futures: of each, by what lies ahead."""
    apart = np.zeros((len(futures),) * 2, dtype=bool)
    for i, j in combinations(range(len(futures)), 2):
        both = futures[i].keys() & futures[j].keys()
        apart[i, j] = apart[j, i] = any(_contradict(futures[i][k], futures[j][k]) for k in both)
    return len(clique(apart))


def _contradict(one: Future, two: Future) -> bool:
    """Whether the same symbols are read up to a step that is then another."""
    steps = min(len(one), len(two))
    differ = (one[:steps] != two[:steps]).any(axis=1)
    first = int(differ.argmax()) if differ.any() else None
    return first is not None and bool(one[first, 0] == two[first, 0])


def _forms(language: Language, ahead: int) -> list[Form]:
    """Forms of inputs, those with short pieces first."""
    found = []
    for one, begin in _ways(language, 0).items():
        ways = _ways(language, one)
        for two, between in ways.items():
            end = min((w for q, w in _ways(language, two).items() if q in language.accepting), key=len)
            for pieces in product(_loops(language, one), _loops(language, two)):
                if ahead == 1:
                    found.append(Form((begin, end), pieces, between, ahead))
                else:
                    back = [word[::-1] for word in (end, begin, *pieces[::-1], between)]
                    found.append(Form((back[0], back[1]), (back[2], back[3]), back[4], ahead))
    found.sort(key=lambda form: sum(map(len, form.pieces)))
    return _some(found, MOST_FORMS)


def _ways(language: Language, start: int) -> dict[int, Word]:
    """A shortest word from a state of the language to each that can be reached."""
    found: dict[int, Word] = {start: ()}
    todo = [start]
    for state in todo:
        for symbol, target in enumerate(language.table[state]):
            if target != NONE and target not in found:
                found[target] = (*found[state], symbol)
                todo.append(target)
    return found


def _loops(language: Language, state: int) -> list[Word]:
    """Words that lead from a state back to it: those of one or two symbols, or else a shortest one."""
    steps = [(symbol, target) for symbol, target in enumerate(language.table[state]) if target != NONE]
    single = [(symbol,) for symbol, target in steps if target == state]
    double = [
        (first, second)
        for first, middle in steps
        for second, target in enumerate(language.table[middle])
        if target == state and first != second
    ]
    if single or double:
        kept = _some(single, MOST_PIECES)
        return [*kept, *_some(double, MOST_PIECES - len(kept))]
    back = ((symbol, *_ways(language, t)[state]) for symbol, t in steps if state in _ways(language, t))
    return sorted(back, key=len)[:1]


def _some(every: list[T], most: int) -> list[T]:
    """At most so many of them, evenly spread."""
    return every[:: -(-len(every) // most)] if every and most else []
