"""Two ways to see a tape with finite eyes, for proofs that a machine never halts.

The machine is followed from the blank tape through *all* it may do when seen that way; if no halt is among
it, the machine never halts. What was seen is written down as two automata and configurations that no step
leaves, which the checker verifies (docs/concepts/never-halts.md):

    words     the tape as words of `length` cells; equal neighbours are counted, exactly below `threshold`,
              as "that many or more" from there. The head stands between two words and crosses one at a time.
    windows   the nearest `size - 1` cells on each side of the head; beyond these, only which sequences of
              `size` cells ever lay on that side
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Rules = list[list[Any]]
"""[state][symbol]: (symbol to write, step to the right (-1, 0, 1), next state), or None where it halts"""
Word = tuple[int, ...]
Edges = dict[int, list[tuple[int, int]]]  # for each node of a side: (cell, node below)
MOST_INSIDE = 10_000  # steps inside one word before it is given up


class Halts(Exception):
    """Seen in this way, the machine may halt."""


class TooMany(Exception):
    """Not finished within the limit; nothing is known."""


@dataclass
class Seen:
    """What a machine may meet, once nothing new appears. Node 0 of a side is blank for ever."""

    left: Edges = field(default_factory=dict)
    right: Edges = field(default_factory=dict)
    configurations: set[tuple[int, int, int, int]] = field(default_factory=set)
    """left node, state, cell under the head, right node"""


def close(rules: Rules, blank: int, method: dict[str, Any], limit: int) -> Seen:
    """All that the machine may meet, seen by this method; `Halts` or `TooMany` if that is no proof."""
    sizes = {name: value for name, value in method.items() if name != "name"}
    way: Callable[..., Seen] = close_words if method["name"] == "words" else close_windows
    return way(rules, blank, limit, **sizes)


class Stacks:
    """Stacks of repeated words. A stack is a number: 0 is blank for ever; else (word, times, below)."""

    def __init__(self, blank: int, length: int, threshold: int) -> None:
        self.threshold = threshold
        self.entries: list[tuple[Word, int, int]] = [((blank,) * length, threshold, 0)]
        self._number = {self.entries[0]: 0}

    def _stack(self, *entry: Any) -> int:
        if self._number.setdefault(entry, len(self.entries)) == len(self.entries):
            self.entries.append(entry)
        return self._number[entry]

    def push(self, onto: int, word: Word) -> int:
        top, times, below = self.entries[onto]
        if word != top:
            return self._stack(word, 1, onto)
        return onto if times == self.threshold else self._stack(word, times + 1, below)

    def pop(self, source: int) -> list[int]:
        """What may be left below the top word: one less than "n or more" is n - 1, or n or more."""
        word, times, below = self.entries[source]
        fewer = below if times == 1 or source == 0 else self._stack(word, times - 1, below)
        return [fewer, source] if times == self.threshold and source != 0 else [fewer]


def close_words(rules: Rules, blank: int, limit: int, length: int, threshold: int) -> Seen:
    stacks = Stacks(blank, length, threshold)
    crossed: dict[Any, tuple[int, int, Word] | None] = {}
    found = {(0, 1, 0, 0)}  # state, 1 where the head goes right, the stacks left and right of it
    todo = list(found)
    while todo:
        state, toward, *sides = todo.pop()
        entered = (state, toward, stacks.entries[sides[toward]][0])
        if entered not in crossed:
            *_, (state, at, word) = cross(rules, *entered)
            crossed[entered] = None if 0 <= at < length else (state, int(at > 0), word)
        if (left := crossed[entered]) is None:
            continue
        state, out, word = left
        for rest in stacks.pop(sides[toward]):
            after = [rest if side == toward else sides[side] for side in (0, 1)]
            after[1 - out] = stacks.push(after[1 - out], word)
            if (met := (state, out, after[0], after[1])) not in found:
                found.add(met)
                todo.append(met)
        if len(found) > limit:
            raise TooMany
    return _cell_by_cell(rules, blank, stacks, found)


def cross(rules: Rules, state: int, toward: int, word: Word) -> Iterator[tuple[int, int, Word]]:
    """Enter a word at its near end: (state, place, word), until the head leaves it or all of it repeats."""
    at, seen = 0 if toward else len(word) - 1, set()
    yield state, at, word
    while 0 <= at < len(word) and (state, at, word) not in seen:
        seen.add((state, at, word))
        if len(seen) > MOST_INSIDE:
            raise TooMany
        rule = rules[state][word[at]]
        if rule is None:
            raise Halts
        written, step, state = rule
        word, at = (*word[:at], written, *word[at + 1 :]), at + step
        yield state, at, word


def _cell_by_cell(rules: Rules, blank: int, stacks: Stacks, found: set[tuple[int, int, int, int]]) -> Seen:
    """The same with the head on each cell of the words: a side is part of a word, and the stack beyond it."""
    seen, length = Seen({0: [(blank, 0)]}, {0: [(blank, 0)]}), len(stacks.entries[0][0])
    sides = (seen.left, seen.right)
    numbers: tuple[dict[tuple[Word, int], int], ...] = ({((), 0): 0}, {((), 0): 0})

    def node(side: int, cells: Word, stack: int) -> int:
        """Cells from the head outwards; its edges are made with it."""
        while stack == 0 and cells[-1:] == (blank,):
            cells = cells[:-1]
        if (cells, stack) in numbers[side]:
            return numbers[side][cells, stack]
        number = numbers[side][cells, stack] = len(numbers[side])
        word = stacks.entries[stack][0][:: 1 if side else -1]
        rests = [(cells, stack)] if cells else [(word, rest) for rest in stacks.pop(stack)]
        sides[side][number] = [(cells[0], node(side, cells[1:], rest)) for cells, rest in rests]
        return number

    for state, toward, *around in found:
        for rest in stacks.pop(around[toward]):
            left, right = (rest if side == toward else around[side] for side in (0, 1))
            for now, at, word in cross(rules, state, toward, stacks.entries[around[toward]][0]):
                if 0 <= at < length:
                    ends = node(0, word[:at][::-1], left), node(1, word[at + 1 :], right)
                    seen.configurations.add((ends[0], now, word[at], ends[1]))
    return seen


def close_windows(rules: Rules, blank: int, limit: int, size: int) -> Seen:
    near = (blank,) * (size - 1)
    # For each side: the cells that may lie beyond the nearest, and the heads that went there.
    beyond: list[dict[Word, set[int]]] = [{near: {blank}}, {near: {blank}}]
    gone: list[dict[Word, set[tuple[int, Word]]]] = [{}, {}]
    found: set[tuple[int, int, Word, Word]] = set()
    todo: list[tuple[int, int, Word, Word]] = []

    def arrive(toward: int, state: int, behind: Word, ahead: Word) -> None:
        sides = (behind, ahead[1:]) if toward else (ahead[1:], behind)
        if (met := (state, ahead[0], *sides)) not in found:
            found.add(met)
            todo.append(met)

    arrive(1, 0, near, (blank, *near))
    while todo:
        state, head, *sides = todo.pop()
        if rules[state][head] is None:
            raise Halts
        written, step, state = rules[state][head]
        if step == 0:
            arrive(1, state, sides[0], (written, *sides[1]))
            continue
        toward, back = (1, 0) if step > 0 else (0, 1)
        behind, last = (written, *sides[back])[:-1], (written, *sides[back])[-1]
        if last not in beyond[back].setdefault(behind, set()):
            beyond[back][behind].add(last)
            for earlier, left_behind in gone[back].get(behind, ()):
                arrive(back, earlier, left_behind, (*behind, last))
        gone[toward].setdefault(sides[toward], set()).add((state, behind))
        for cell in beyond[toward].get(sides[toward], ()):
            arrive(toward, state, behind, (*sides[toward], cell))
        if len(found) > limit:
            raise TooMany
    number: list[dict[Word, int]] = [{near: 0}, {near: 0}]
    seen = Seen()
    for side, edges in enumerate((seen.left, seen.right)):
        for cells, cell in ((cells, cell) for cells, others in beyond[side].items() for cell in others):
            at, below = (number[side].setdefault(w, len(number[side])) for w in (cells, (*cells, cell)[1:]))
            edges.setdefault(at, []).append(((*cells, cell)[0], below))
    for state, head, *near_by in found:
        a, b = (number[side].setdefault(w, len(number[side])) for side, w in enumerate(near_by))
        seen.configurations.add((a, state, head, b))
    return seen
