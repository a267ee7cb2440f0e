"""A regular language as the table of its smallest automaton: its members, the shortest, random ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

import numpy as np

from dfst.errors import InputError
from dfst.languages.automaton import NONE, Table

LONGEST = 1_000_000


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
