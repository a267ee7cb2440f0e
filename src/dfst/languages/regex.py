"""Regular expressions over the symbols of a machine, read into a language.

    a         the symbol a                          .         any symbol but the blank
    _         the blank                             [a-c1]    any of these; [^ab] any other but the blank
    \\+        a symbol that has a meaning here      (ab|c)    a group; one of several
    x* x+ x?  any number, at least one, at most one           x{3} x{2,} x{2,5}   that many

The whole input is matched. What other dialects add (anchors, \\d, lazy repetition, look-around) is refused,
since some of it would quietly mean something else here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dfst.errors import InputError
from dfst.languages.automaton import Automaton, minimal, shown
from dfst.languages.language import Language

SPECIAL = "\\|*+?{}()[].^$"
MOST_CHARACTERS = 1_000
MOST_STATES = 10_000
DEEPEST = 50
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{1,4})?)?\}")


@dataclass(frozen=True)
class OneOf:
    """One symbol out of a set."""

    symbols: frozenset[int]


@dataclass(frozen=True)
class Chain:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """One of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part, at least and at most so many times; None is without end."""

    part: Node
    least: int
    most: int | None


Node = OneOf | Chain | Choice | Repeat


def parse(pattern: str, alphabet: Sequence[str], blank: int) -> Language:
    """The language of a pattern; `InputError` says in one line where it is none."""
    reader = _Reader(pattern, alphabet, blank)
    automaton = Automaton(len(alphabet))
    automaton.accepting.add(_draw(automaton, reader.read(), 0, pattern))
    return Language(pattern, tuple(alphabet), *minimal(automaton, pattern))


def _draw(automaton: Automaton, node: Node, start: int, pattern: str) -> int:
    """Add the node's paths from `start`; the state where they end."""
    if automaton.states > MOST_STATES:
        raise InputError(f"the pattern {shown(pattern)} needs more than {MOST_STATES:,} states; repeat less")
    if isinstance(node, OneOf):
        end = automaton.new_state()
        for symbol in sorted(node.symbols):
            automaton.edges[start].append((symbol, end))
        return end
    if isinstance(node, Chain):
        for part in node.parts:
            start = _draw(automaton, part, start, pattern)
        return start
    if isinstance(node, Choice):
        ends = [_draw(automaton, option, _fork(automaton, start), pattern) for option in node.options]
        return _join(automaton, ends)
    for _ in range(node.least):  # each in a state of its own, so that the limit ends all repetition
        start = _draw(automaton, node.part, _fork(automaton, start), pattern)
    if node.most is None:
        again = _fork(automaton, start)
        automaton.silent[_draw(automaton, node.part, again, pattern)].append(again)
        return _fork(automaton, again)
    ends = [start]
    for _ in range(node.most - node.least):
        ends.append(_draw(automaton, node.part, _fork(automaton, ends[-1]), pattern))
    return _join(automaton, ends)


def _fork(automaton: Automaton, start: int) -> int:
    """A new state that `start` may go to without reading, so that loops do not run into each other."""
    state = automaton.new_state()
    automaton.silent[start].append(state)
    return state


def _join(automaton: Automaton, ends: list[int]) -> int:
    state = automaton.new_state()
    for end in ends:
        automaton.silent[end].append(state)
    return state


class _Reader:
    """Recursive descent: alternatives, chains, repetitions, atoms."""

    def __init__(self, pattern: str, alphabet: Sequence[str], blank: int) -> None:
        self.pattern, self.alphabet, self.blank = pattern, alphabet, blank
        self.at = self.depth = 0
        self.index = {symbol: k for k, symbol in enumerate(alphabet)}
        self.index.setdefault("_", blank)

    def read(self) -> Node:
        if len(self.pattern) > MOST_CHARACTERS:
            raise InputError(
                f"expected a pattern of at most {MOST_CHARACTERS:,} characters, found {len(self.pattern):,}"
            )
        node = self._choice()
        if self.at < len(self.pattern):
            raise self._wrong("a ) that closes nothing", "write \\) for the symbol")
        return node

    def _wrong(self, what: str, do: str) -> InputError:
        return InputError(f"the pattern {shown(self.pattern)} has, at character {self.at + 1}, {what}; {do}")

    @property
    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _choice(self) -> Node:
        options = [self._chain()]
        while self._next == "|":
            self.at += 1
            options.append(self._chain())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _chain(self) -> Node:
        parts = []
        while self._next and self._next not in "|)":
            parts.append(self._repeat(self._atom()))
        return Chain(tuple(parts))

    def _repeat(self, part: Node) -> Node:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._next)
        if bounds is not None:
            self.at += 1
        elif self._next == "{":
            match = _COUNT.match(self.pattern, self.at)
            if match is None:
                raise self._wrong("a { that is not a number of times", "write {3}, {2,} or {2,5}, or \\{")
            least = int(match[1])
            most = (int(match[3]) if match[3] else None) if match[2] else least
            if most is not None and most < least:
                raise self._wrong(f"a range {match[0]} that ends before it begins", "give the smaller first")
            bounds, self.at = (least, most), match.end()
        else:
            return part
        if self._next and self._next in "*+?{":
            raise self._wrong("a repetition of a repetition", "put the first one in brackets")
        return Repeat(part, *bounds)

    def _atom(self) -> Node:
        character = self._next
        if character == "(":
            return self._group()
        if character == "[":
            return OneOf(self._class())
        if character == ".":
            self.at += 1
            return OneOf(self._all_but(frozenset()))
        if character in "*+?{":
            raise self._wrong(f"{character!r} with nothing to repeat", f"write \\{character} for the symbol")
        if character in "^$":
            raise self._wrong(f"the anchor {character!r}", "leave it out, the whole input is matched")
        if character in "]}":
            raise self._wrong(f"{character!r} that closes nothing", f"write \\{character} for the symbol")
        return OneOf(frozenset({self._symbol(SPECIAL)}))

    def _group(self) -> Node:
        opened = self.at
        self.at, self.depth = self.at + 1, self.depth + 1
        if self._next == "?":
            raise self._wrong("a group that begins with ?", "use plain brackets")
        if self.depth > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} brackets in one another", "write it flatter")
        node = self._choice()
        if self._next != ")":
            self.at = opened
            raise self._wrong("a ( that is not closed", "add the )")
        self.at, self.depth = self.at + 1, self.depth - 1
        return node

    def _class(self) -> frozenset[int]:
        opened = self.at
        self.at += 1
        others = self._next == "^"
        self.at += others
        members: set[int] = set()
        while self._next != "]":
            if not self._next:
                self.at = opened
                raise self._wrong("a [ that is not closed", "add the ]")
            first = self._next
            is_range = self.pattern[self.at + 1 : self.at + 2] == "-" and self.pattern[
                self.at + 2 : self.at + 3
            ] not in ("", "]")
            if is_range and first != "\\":
                members |= self._range()
            else:
                members.add(self._symbol("\\]"))
        self.at += 1
        found = self._all_but(frozenset(members)) if others else frozenset(members)
        if not found:
            self.at = opened
            raise self._wrong("a [ ] that no symbol fits", f"the symbols are {' '.join(self.alphabet)}")
        return found

    def _range(self) -> set[int]:
        """The machine's symbols between two characters, ends included."""
        low, high = self._next, self.pattern[self.at + 2]
        found = {k for k, symbol in enumerate(self.alphabet) if len(symbol) == 1 and low <= symbol <= high}
        if not found:
            raise self._wrong(
                f"a range {low}-{high} without symbols", f"the symbols are {' '.join(self.alphabet)}"
            )
        self.at += 3
        return found

    def _symbol(self, special: str) -> int:
        character = self._next
        if character == "\\":
            self.at += 1
            character = self._next
            if not character or character.isalnum():
                self.at -= 1
                raise self._wrong(
                    f"the escape \\{character}", "only \\ before a mark such as \\+ has a meaning"
                )
        if character not in self.index:
            raise self._wrong(
                f"the unknown symbol {character!r}", f"the symbols are {' '.join(self.alphabet)}"
            )
        self.at += 1
        return self.index[character]

    def _all_but(self, symbols: frozenset[int]) -> frozenset[int]:
        return frozenset(range(len(self.alphabet))) - symbols - {self.blank}
