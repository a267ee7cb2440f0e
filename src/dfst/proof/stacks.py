"""Abstract stacks: what lies on one side of the head, as a pattern that stands for infinitely many contents.

A column is a tuple of symbol sets, one for each row (bit masks); beyond the pattern all is blank. A pattern
is a list of items (column, count, more), nearest first: exactly `count` such columns, or `count` and more.

    pop     takes one column off: exact, it only branches where "c or more" may end
    push    puts one on and then *forgets*, as far as the precision says; it returns a pattern that
            stands for at least as many contents (this is all that soundness asks of it)

What a precision keeps, seen from the head:  [near columns, as they are] [runs, cells blurred] [outermost]
A stretch of columns that blur alike is one run, or up to four items: [pure run] [run] [landmark] [run]
"""

from dataclasses import dataclass

Column = tuple[int, ...]
Item = tuple[Column, int, bool]
Items = tuple[Item, ...]


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
    landmark: int = 0
    """Symbols of which one is remembered: in each stretch of columns that a run would make one of, the first
    that surely holds such a symbol is kept apart. So "not all zeros" survives; 0 remembers nothing."""
    pure: int = 0
    """A symbol whose run is kept apart while it is the nearest of its stretch: nines that a borrow left."""
    cap: int = 2  # runs are counted exactly below this number
    depth: int = 12  # most items in a pattern; a machine that needs more does not fit this precision


class Unbounded(Exception):
    """The patterns or the rows grow without end at this precision."""


@dataclass(frozen=True)
class Stack:
    """A pattern; `near` of its items, the first ones, are near columns."""

    near: int
    items: Items


class StackDomain:
    """Patterns as small numbers, with push and pop remembered. 0 is the empty stack: blanks for ever."""

    def __init__(self, precision: Precision, blank: Column) -> None:
        self.precision = precision
        self.blank = blank
        self.stacks: list[Stack] = [Stack(0, ())]
        self._number: dict[Stack, int] = {self.stacks[0]: 0}
        self._blurred: dict[tuple[Column, tuple[int, ...]], Column] = {}
        self.pushed: dict[tuple[int, Column, int, int | None], int] = {}
        self._popped: dict[int, tuple[tuple[Column, int], ...]] = {}

    def push(self, number: int, column: Column, row: int, state: int = 0) -> int:
        """The pattern with `column` on top; the head left it from `row`, the machine goes on in `state`."""
        local = self.precision.local
        level = None if local is None else local.get(state, 0)
        known = self.pushed.get((number, column, row, level))
        if known is None:
            known = self._intern(self._push(self.stacks[number], column, row, level))
            self.pushed[number, column, row, level] = known
        return known

    def pop(self, number: int) -> tuple[tuple[Column, int], ...]:
        """Every (column, rest) the pattern may come apart into."""
        known = self._popped.get(number)
        if known is None:
            known = tuple((c, self._intern(rest)) for c, rest in self._pop(self.stacks[number]))
            self._popped[number] = known
        return known

    def edges(self) -> dict[int, list[tuple[Column, int]]]:
        """What each pattern comes apart into, those that appear on the way included."""
        found: dict[int, list[tuple[Column, int]]] = {}
        while len(found) < len(self.stacks):
            found |= {number: list(self.pop(number)) for number in range(len(found), len(self.stacks))}
        return found

    def _intern(self, stack: Stack) -> int:
        number = self._number.setdefault(stack, len(self.stacks))
        if number == len(self.stacks):
            self.stacks.append(stack)
        return number

    def _blur(self, column: Column, blocks: tuple[int, ...]) -> Column:
        known = self._blurred.get((column, blocks))
        if known is None:
            known = tuple(sum(b for b in blocks if b & cell) for cell in column)
            self._blurred[column, blocks] = known
        return known

    def _push(self, stack: Stack, column: Column, row: int, level: int | None) -> Stack:
        most_near, blocks = self.precision.near, self.precision.near_blocks
        if level is not None:
            most_near, blocks = min(level, 1), self.precision.blocks if level == 1 else None
        if most_near and blocks is not None:
            column = self._blur_but(column, row, blocks)
        near = [(column, 1, False), *stack.items[: stack.near]]
        runs = stack.items[stack.near :]
        while len(near) > most_near:
            fallen = near.pop()[0]
            if level is None:
                runs = self._onto_runs(runs, fallen)
            else:
                runs = self._onto_trail(runs, fallen, row if level == 2 else None)
        while not runs and near and near[-1][0] == self.blank:
            near.pop()
        return Stack(len(near), (*near, *runs))

    def _blur_but(self, column: Column, row: int, blocks: tuple[int, ...]) -> Column:
        """The column blurred, but for the cell of one row."""
        blurred = self._blur(column, blocks)
        return (*blurred[:row], column[row], *blurred[row + 1 :])

    def _onto_trail(self, runs: Items, column: Column, row: int | None) -> Items:
        """One more column of a run, its cell on `row` as it is; a run that ends with it is blurred."""
        blocks, outer_blocks = self.precision.blocks, self.precision.outer_blocks
        if not runs:
            return () if column == self.blank else ((self._blur(column, outer_blocks or blocks), 1, False),)
        kept = self._blur(column, blocks) if row is None else self._blur_but(column, row, blocks)
        if self._is_run(runs) and all(_surely(c, of) for c, of in zip(column, runs[0][0], strict=True)):
            kept = runs[0][0]
        elif kept != runs[0][0]:
            nearest = runs[:1] if row is not None else ()
            runs = (*nearest, *self._all_blurred(runs[len(nearest) :], column))
        return self._joined(runs, kept)

    def _is_run(self, runs: Items) -> bool:
        """Whether the nearest item is a run, and not an outermost column that is kept apart."""
        return len(runs) > 1 or (len(runs) == 1 and self.precision.outer_blocks is None)

    def _all_blurred(self, runs: Items, column: Column) -> Items:
        """The runs without the symbols that sweeps left, in the stretch that `column` is of."""
        while self._is_run(runs) and runs[0][0] != self._blur(runs[0][0], self.precision.blocks):
            before, runs = runs, self._mixed(runs, column)
            if runs == before:
                break
        return runs

    def _onto_runs(self, runs: Items, column: Column) -> Items:
        precision = self.precision
        if not runs and column == self.blank:
            return ()
        if any(_surely(cell, precision.pure) for cell in column):
            return self._joined(runs, self._kept(column, precision.pure))
        if runs and any(_surely(cell, precision.pure) for cell in runs[0][0]):
            runs = self._mixed(runs, column)
        if not runs:
            outermost = self._blur(column, precision.outer_blocks or precision.blocks)
            return ((self._landmark(runs, column) or outermost, 1, False),)
        return self._joined(runs, self._landmark(runs, column) or self._blur(column, precision.blocks))

    def _joined(self, runs: Items, column: Column) -> Items:
        """One more column of a kind that was blurred already."""
        precision = self.precision
        if runs and runs[0][0] == column and (len(runs) > 1 or precision.outer_blocks is None):
            count = min(runs[0][1] + 1, precision.cap)
            return ((column, count, count == precision.cap), *runs[1:])
        if len(runs) >= precision.depth:
            raise Unbounded(
                f"what is left on one side of the head alternates more than {precision.depth} times"
            )
        return ((column, 1, precision.cap == 1), *runs)

    def _mixed(self, runs: Items, column: Column) -> Items:
        """The nearest run, which was pure, as part of its stretch again if `column` joins that stretch."""
        (pure, count, more), rest = runs[0], runs[1:]
        coarse = self._blur(pure, self.precision.blocks)
        if coarse != self._blur(column, self.precision.blocks):
            return runs
        # The landmark goes in front, where the checker need not guess which of the run it stands for.
        landmark = None if more and count == 1 else self._landmark(rest, pure)
        for _ in range(count if landmark is None else count - 1):
            rest = self._joined(rest, coarse)
        if more:
            rest = ((coarse, rest[0][1], True), *rest[1:])
        return rest if landmark is None else self._joined(rest, landmark)

    def _kept(self, column: Column, symbols: int) -> Column:
        """The column blurred, but for cells that surely hold one of these symbols."""
        blurred = self._blur(column, self.precision.blocks)
        return tuple(
            symbols if _surely(cell, symbols) else blur for cell, blur in zip(column, blurred, strict=True)
        )

    def _landmark(self, runs: Items, column: Column) -> Column | None:
        """The column blurred as a landmark, if it surely is one and the stretch it joins has none yet."""
        landmark = self.precision.landmark
        if not any(_surely(cell, landmark) for cell in column):
            return None
        blurred = self._blur(column, self.precision.blocks)
        for other, _, _ in runs:
            if self._blur(other, self.precision.blocks) != blurred:
                break
            if any(_surely(cell, landmark) for cell in other):
                return None
        return self._kept(column, landmark)

    def _pop(self, stack: Stack) -> list[tuple[Column, Stack]]:
        if not stack.items:
            return [(self.blank, stack)]
        (column, count, more), rest = stack.items[0], stack.items[1:]
        near = max(0, stack.near - 1)
        fewer = rest if count == 1 else ((column, count - 1, False), *rest)
        apart = [(column, Stack(near, fewer))]
        if more:
            apart.append((column, Stack(near, stack.items)))
        return apart


def _surely(cell: int, symbols: int) -> bool:
    """Whether a cell holds one of these symbols, whatever it holds."""
    return cell & ~symbols == 0
