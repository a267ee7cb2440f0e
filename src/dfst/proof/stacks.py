"""Abstract stacks: what lies on one side of the head, as a pattern that stands for infinitely many contents.

A column is a tuple of symbol sets, one for each row (bit masks); beyond the pattern all is blank. A pattern
is a list of items (column, count, more), nearest first: exactly `count` such columns, or `count` and more.

    pop     takes one column off: exact, it only branches where "c or more" may end
    push    puts one on and then *forgets*, as far as the precision says; it returns a pattern that
            stands for at least as many contents (this is all that soundness asks of it)

What a precision keeps, seen from the head:  [near columns, as they are] [runs, cells blurred] [outermost]
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from dfst.proof.language import Edge
from dfst.proof.reading import Column, replaced

Edges = dict[int, list[tuple[Column, int]]]  # for each pattern: (column, pattern below)
Item = tuple[Column, int, bool]
Items = tuple[Item, ...]
MAX_INPUT_PATTERNS = 1_000
CAP = 2  # runs are counted exactly below this number
DEPTH = 12  # most items in a pattern; a machine that needs more does not fit its precision


@dataclass(frozen=True)
class Precision:
    """How much the patterns remember. Blocks are a partition of the symbols, as masks."""

    name: str
    blocks: tuple[int, ...]  # in a run, a cell's symbol set grows to the blocks it meets
    windows: bool = False
    """Patterns are the `near` nearest columns, and unread input is known as it is (windows.py)."""
    near: int = 0  # columns next to the head that are kept as they were left
    near_blocks: tuple[int, ...] | None = None
    """In a near column, cells other than the one the head left from grow to these blocks; None keeps them."""
    local: dict[int, int] | None = None
    """In place of `near`: how much is remembered of a column when the machine goes on in this state.
    0 nothing, 1 the symbol passed last, 2 all of the nearest column and what sweeps of the head leave along
    its row: the two nearest runs of a stretch keep their symbol."""
    outer_blocks: tuple[int, ...] | None = None
    """The same for the outermost column, which is then kept apart; None: it is a run like others."""


class Unbounded(Exception):
    """The patterns or the rows grow without end at this precision."""


class Domain:
    """Patterns of one side as small numbers, with push and pop remembered. 0 is blank for ever."""

    def __init__(self, precision: Precision, blank: Column, empty: Any) -> None:
        self.precision, self.blank = precision, blank
        self.stacks = [empty]
        self._number = {empty: 0}
        self._blurred: dict[tuple[Column, tuple[int, ...]], Column] = {}
        self.pushed: dict[tuple[int, Column, int, int | None], int] = {}
        self._edges: Edges = {0: [(blank, 0)]}
        self.news: list[tuple[int, Column, int]] = []
        """(node, column, node below) that pops have not seen yet"""

    def push(self, number: int, column: Column, row: int, state: int = 0) -> int:
        """The pattern with `column` on top; the head left it from `row`, the machine goes on in `state`."""
        local = self.precision.local
        key = number, column, row, None if local is None else local.get(state, 0)
        known = self.pushed.get(key)
        if known is None:
            known = self.pushed[key] = self._push(*key)
        return known

    def pop(self, number: int) -> list[tuple[Column, int]]:
        """Every (column, rest) the pattern may come apart into, as far as is known now."""
        if number not in self._edges:
            self._edges[number] = [(c, self._intern(rest)) for c, rest in self._pop(self.stacks[number])]
        return self._edges[number]

    def edges(self) -> Edges:
        """What each pattern comes apart into, those that appear on the way included."""
        number = 0
        while number < len(self.stacks):
            self.pop(number)
            number += 1
        return self._edges

    def lay(self, inputs: Iterable[Edge], starts: Iterable[int], home: int) -> dict[int, list[int]]:
        """For each state of the inputs' automaton, patterns that hold every content that paths to it leave.

        The symbol farthest from the head is pushed first, so the right side is walked from its end.
        """
        raise NotImplementedError

    def _push(self, number: int, column: Column, row: int, level: int | None) -> int:
        raise NotImplementedError

    def _pop(self, pattern: Any) -> list[tuple[Column, Any]]:
        return []

    def _intern(self, pattern: Any) -> int:
        number = self._number.setdefault(pattern, len(self.stacks))
        if number == len(self.stacks):
            self.stacks.append(pattern)
        return number

    def _blur(self, column: Column, blocks: tuple[int, ...]) -> Column:
        known = self._blurred.get((column, blocks))
        if known is None:
            known = tuple(sum(b for b in blocks if b & cell) for cell in column)
            self._blurred[column, blocks] = known
        return known


class Stack(NamedTuple):
    """A pattern; `near` of its items, the first ones, are near columns."""

    near: int
    items: Items


class StackDomain(Domain):
    """Runs of columns that look alike."""

    def __init__(self, precision: Precision, blank: Column) -> None:
        super().__init__(precision, blank, Stack(0, ()))

    def lay(self, inputs: Iterable[Edge], starts: Iterable[int], home: int) -> dict[int, list[int]]:
        laid: dict[int, list[int]] = {state: [0] for state in starts}
        todo = deque((state, 0) for state in starts)
        while todo:
            state, pattern = todo.popleft()
            for _, symbols, target in (edge for edge in inputs if edge[0] == state):
                pushed = self.push(pattern, replaced(self.blank, home, symbols), home)
                known = laid.setdefault(target, [])
                if pushed not in known:
                    known.append(pushed)
                    todo.append((target, pushed))
                    if len(known) > MAX_INPUT_PATTERNS:
                        raise Unbounded("the inputs have more patterns than can be listed")
        return laid

    def _push(self, number: int, column: Column, row: int, level: int | None) -> int:
        stack: Stack = self.stacks[number]
        most_near, blocks = self.precision.near, self.precision.near_blocks
        if level is not None:
            most_near, blocks = min(level, 1), self.precision.blocks if level == 1 else None
        if most_near and blocks is not None:
            column = self._blur_but(column, row, blocks)
        near = [(column, 1, False), *stack.items[: stack.near]]
        runs = stack.items[stack.near :]
        while len(near) > most_near:
            runs = self._onto_runs(runs, near.pop()[0], row, level)
        while not runs and near and near[-1][0] == self.blank:
            near.pop()
        return self._intern(Stack(len(near), (*near, *runs)))

    def _blur_but(self, column: Column, row: int, blocks: tuple[int, ...]) -> Column:
        """The column blurred, but for the cell of one row."""
        return replaced(self._blur(column, blocks), row, column[row])

    def _onto_runs(self, runs: Items, column: Column, row: int, level: int | None) -> Items:
        """One more column of a run; at level 2 its cell on `row` stays, until a run that ends is blurred."""
        blocks, outer_blocks = self.precision.blocks, self.precision.outer_blocks
        if not runs:
            return () if column == self.blank else ((self._blur(column, outer_blocks or blocks), 1, False),)
        kept = self._blur_but(column, row, blocks) if level == 2 else self._blur(column, blocks)
        if level is None:
            return self._joined(runs, kept)
        if self._is_run(runs) and all(c & ~of == 0 for c, of in zip(column, runs[0][0], strict=True)):
            kept = runs[0][0]
        elif kept != runs[0][0]:
            nearest = runs[:1] if level == 2 else ()
            runs = (*nearest, *self._blurred_run(runs[len(nearest) :], column))
        return self._joined(runs, kept)

    def _is_run(self, runs: Items) -> bool:
        """Whether the nearest item is a run, and not an outermost column that is kept apart."""
        return len(runs) > 1 or (len(runs) == 1 and self.precision.outer_blocks is None)

    def _blurred_run(self, runs: Items, column: Column) -> Items:
        """The runs, the nearest without the symbols that sweeps left, if `column` is of its stretch."""
        if not self._is_run(runs):
            return runs
        (kept, count, more), rest = runs[0], runs[1:]
        coarse = self._blur(kept, self.precision.blocks)
        if kept == coarse or coarse != self._blur(column, self.precision.blocks):
            return runs
        for _ in range(count):
            rest = self._joined(rest, coarse)
        return ((coarse, rest[0][1], True), *rest[1:]) if more else rest

    def _joined(self, runs: Items, column: Column) -> Items:
        """One more column of a kind that was blurred already."""
        if self._is_run(runs) and runs[0][0] == column:
            count = min(runs[0][1] + 1, CAP)
            return ((column, count, count == CAP), *runs[1:])
        if len(runs) >= DEPTH:
            raise Unbounded(f"what is left on one side of the head alternates more than {DEPTH} times")
        return ((column, 1, False), *runs)

    def _pop(self, pattern: Stack) -> list[tuple[Column, Stack]]:
        (column, count, more), rest = pattern.items[0], pattern.items[1:]
        near = max(0, pattern.near - 1)
        fewer = rest if count == 1 else ((column, count - 1, False), *rest)
        apart = [(column, Stack(near, fewer))]
        return [*apart, (column, Stack(near, pattern.items))] if more else apart
