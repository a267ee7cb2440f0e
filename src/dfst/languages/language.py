"""A regular language as the table of its smallest automaton: its members, the shortest, random ones.

Finite automata are drawn with silent edges, then made deterministic, and as small as can be.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

import numpy as np

from dfst.errors import InputError

LONGEST = 1_000_000
MOST_DRAWN, MOST_STATES = 10_000, 500
NONE = -1  # where no member of the language goes on

Table = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Language:
    """A set of words over an alphabet. Never empty."""

    pattern: str  # the regular expression it came from
    alphabet: tuple[str, ...]
    table: Table  # (states, symbols) the next state, `NONE` where no member goes on; 0 is the start
    accepting: frozenset[int]

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether these symbols, in order, are a member."""
        state = 0
        for symbol in word:
            state = self.table[state][symbol]
            if state == NONE:
                return False
        return state in self.accepting

    def same_as(self, other: Language) -> bool:
        """Whether both hold the same words."""
        return (self.alphabet, self.table, self.accepting) == (other.alphabet, other.table, other.accepting)

    def text(self, word: Sequence[int]) -> str:
        """A word as the units read it: names parted by spaces where one is longer than a character, and a
        single longer one behind a space."""
        between = " " if any(len(symbol) > 1 for symbol in self.alphabet) else ""
        text = between.join([self.alphabet[symbol] for symbol in word])
        return f" {text}" if len(word) == 1 and len(text) > 1 else text

    def words(self) -> Iterator[tuple[int, ...]]:
        """Every member, the shorter first, those of a length in order of the symbols."""
        length = without = 0
        while without <= len(self.table):  # longer gaps than there are states do not exist
            without += 1
            for word in self._of_length(length):
                without = 0
                yield word
            length += 1

    def shortest(self, count: int) -> list[str]:
        """The first `count` members; fewer where there are no more."""
        return [self.text(word) for word in islice(self.words(), count)]

    def sample(self, rng: np.random.Generator, length: int) -> str:
        """A member of `length` symbols, each as likely as any other; the nearest length that has one."""
        word: list[int] = []
        state = 0
        for left in reversed(range(self._nearest(length))):
            weights = self._weights(left)
            sums = list(accumulate(0.0 if t == NONE else weights[t] for t in self.table[state]))
            last = bisect_left(sums, sums[-1])  # where rounding would lead beyond it
            word.append(min(bisect_right(sums, rng.random() * sums[-1]), last))
            state = self.table[state][word[-1]]
        return self.text(word)

    def _nearest(self, length: int) -> int:
        if not 0 <= length <= LONGEST:
            raise InputError(f"expected a length of 0 to {LONGEST:,}, found {length:,}")
        for away in range(max(length, len(self.table)) + 1):
            for candidate in (length - away, length + away):
                if candidate >= 0 and self._weights(candidate)[0] > 0:
                    return candidate
        raise AssertionError("a language without members")

    def _of_length(self, length: int) -> Iterator[tuple[int, ...]]:
        """The members of a length, without trying words that lead nowhere."""
        todo: list[tuple[int, tuple[int, ...]]] = [(0, ())] if self._weights(length)[0] else []
        while todo:
            state, word = todo.pop()
            if len(word) == length:
                yield word
                continue
            weights, last = self._weights(length - len(word) - 1), len(self.alphabet) - 1
            for symbol, target in enumerate(reversed(self.table[state])):
                if target != NONE and weights[target]:
                    todo.append((target, (*word, last - symbol)))

    @cached_property
    def _completions(self) -> list[list[float]]:
        return [[float(state in self.accepting) for state in range(len(self.table))]]

    def _weights(self, length: int) -> list[float]:
        """For each state, how many words of that length lead from it to acceptance, in proportion."""
        known = self._completions
        while len(known) <= length:
            last = known[-1]
            row = [sum(last[t] for t in targets if t != NONE) for targets in self.table]
            most = max(row) or 1.0
            known.append([weight / most for weight in row])
        return known[length]


class Automaton:
    """A drawing: any number of edges for a symbol, and silent ones that read nothing. 0 is the start."""

    def __init__(self, pattern: str, symbols: int) -> None:
        self.pattern, self.symbols = pattern, symbols
        self.edges: list[list[tuple[int, int]]] = [[]]
        """For each state (symbol, next state)."""
        self.silent: list[list[int]] = [[]]

    def new_state(self, *before: int) -> int:
        """A state that those before it may go to without reading."""
        state = len(self.edges)
        if state > MOST_DRAWN:
            raise self.too_large(MOST_DRAWN, "repeat less")
        self.edges.append([])
        self.silent.append([])
        for other in before:
            self.silent[other].append(state)
        return state

    def silently(self, states: set[int]) -> frozenset[int]:
        """All states that can be reached from these without reading."""
        reached, todo = set(states), list(states)
        while todo:
            new = set(self.silent[todo.pop()]) - reached
            reached |= new
            todo += new
        return frozenset(reached)

    def too_large(self, most: int, do: str) -> InputError:
        return InputError(f"the pattern {shown(self.pattern)} needs more than {most:,} states; {do}")


def shown(pattern: str) -> str:
    """A pattern in a message."""
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "…")


def minimal(automaton: Automaton, end: int) -> tuple[Table, frozenset[int]]:
    """The smallest deterministic table of what leads from 0 to the end, and its accepting states.

    States are numbered as a breadth-first walk in order of the symbols meets them, and those from which
    nothing is accepted are gone; so two patterns mean the same exactly if their tables are equal.
    """
    table, accepting = _deterministic(automaton, end)
    classes = _classes(np.array([*table, [NONE] * automaton.symbols]), accepting)
    dead = classes[-1]
    order, members = {classes[0]: 0}, [0]
    rows: list[tuple[int, ...]] = []
    for state in members:  # grows while it is walked
        row = []
        for target in table[state]:
            if classes[target] != dead and classes[target] not in order:
                order[classes[target]] = len(order)
                members.append(target)
            row.append(order.get(classes[target], NONE))
        rows.append(tuple(row))
    return tuple(rows), frozenset(i for i, state in enumerate(members) if state in accepting)


def _deterministic(automaton: Automaton, end: int) -> tuple[list[list[int]], list[int]]:
    """A state for each set of states that the same words lead to."""
    start = automaton.silently({0})
    number, subsets = {start: 0}, [start]
    table: list[list[int]] = []
    for subset in subsets:  # grows while it is walked
        targets: list[set[int]] = [set() for _ in range(automaton.symbols)]
        for state in subset:
            for symbol, target in automaton.edges[state]:
                targets[symbol].add(target)
        table.append([])
        for reached in map(automaton.silently, targets):
            if reached and reached not in number:
                number[reached] = len(subsets)
                subsets.append(reached)
            table[-1].append(number[reached] if reached else NONE)
        if len(subsets) > MOST_STATES:
            raise automaton.too_large(MOST_STATES, "give a simpler one")
    return table, [i for i, subset in enumerate(subsets) if end in subset]


def _classes(table: np.ndarray, accepting: list[int]) -> list[int]:
    """Moore's refinement: states of one class accept the same. The last state is where `NONE` leads."""
    classes = np.isin(np.arange(len(table)), accepting).astype(int)
    while True:
        after = np.column_stack([classes, classes[table]])
        finer = np.unique(after, axis=0, return_inverse=True)[1].ravel()
        if finer.max() == classes.max():
            return finer.tolist()
        classes = finer
