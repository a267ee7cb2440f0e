"""Regular expressions over the symbols of a machine, read into a language.

    a         the symbol a                          .         any symbol but the blank
    _         the blank                             [a-c1]    any of these; [^ab] any other but the blank
    \\+        a symbol that has a meaning here      (ab|c)    a group; one of several
    x* x+ x?  any number, at least one, at most one           x{3} x{2,} x{2,5}   that many

The whole input is matched. What other dialects add (anchors, \\d, lazy repetition, look-around) is refused,
since some of it would quietly mean something else here.
"""

import re
from collections.abc import Callable, Sequence
from functools import reduce

from dfst.errors import InputError
from dfst.languages.language import Automaton, Language, minimal, shown

MOST_CHARACTERS = 1_000
DEEPEST = 50
_RANGE = re.compile(r"[^\\]-[^]]", re.DOTALL)
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{1,4})?)?\}")
Part = Callable[[int], int]
"""Part of a pattern: draws its paths from a state, and says where they end"""


def parse(pattern: str, alphabet: Sequence[str], blank: int) -> Language:
    """The language of a pattern; `InputError` says in one line where it is none."""
    reader = _Reader(pattern, alphabet, blank)
    draw = reader.read()
    return Language(pattern, tuple(alphabet), *minimal(reader.drawn, draw(0)))


class _Reader:
    """Recursive descent: alternatives, chains, repetitions, atoms."""

    def __init__(self, pattern: str, alphabet: Sequence[str], blank: int) -> None:
        self.pattern, self.alphabet, self.blank = pattern, alphabet, blank
        self.at = self.depth = 0
        self.index = {symbol: k for k, symbol in enumerate(alphabet)}
        self.index.setdefault("_", blank)
        self.drawn = Automaton(pattern, len(alphabet))

    def read(self) -> Part:
        if len(self.pattern) > MOST_CHARACTERS:
            raise InputError(
                f"expected a pattern of at most {MOST_CHARACTERS:,} characters, found {len(self.pattern):,}"
            )
        whole = self._choice()
        if self.at < len(self.pattern):
            raise self._wrong("a ) that closes nothing", "write \\) for the symbol")
        return whole

    def _wrong(self, what: str, do: str) -> InputError:
        return InputError(f"the pattern {shown(self.pattern)} has, at character {self.at + 1}, {what}; {do}")

    @property
    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _choice(self) -> Part:
        options, new = [self._chain()], self.drawn.new_state
        while self._next == "|":
            self.at += 1
            options.append(self._chain())
        if len(options) == 1:
            return options[0]
        return lambda start: new(*[option(new(start)) for option in options])

    def _chain(self) -> Part:
        parts = []
        while self._next and self._next not in "|)":
            parts.append(self._repeat(self._atom()))
        return lambda start: reduce(lambda state, part: part(state), parts, start)

    def _one_of(self, symbols: frozenset[int]) -> Part:
        def draw(start: int) -> int:
            end = self.drawn.new_state()
            self.drawn.edges[start] += [(symbol, end) for symbol in sorted(symbols)]
            return end

        return draw

    def _repeat(self, part: Part) -> Part:
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
        return self._repeated(part, *bounds)

    def _repeated(self, part: Part, least: int, most: int | None) -> Part:
        """At least and at most so many times, None: without end; each in a state of its own, so that loops do
        not run into each other and the limit ends all repetition."""
        new = self.drawn.new_state

        def draw(start: int) -> int:
            for _ in range(least):
                start = part(new(start))
            if most is None:
                again = new(start)
                self.drawn.silent[part(again)].append(again)
                return new(again)
            ends = [start]
            for _ in range(most - least):
                ends.append(part(new(ends[-1])))
            return new(*ends)

        return draw

    def _atom(self) -> Part:
        character = self._next
        if character == "(":
            return self._group()
        if character == "[":
            return self._one_of(self._class())
        if character == ".":
            self.at += 1
            return self._one_of(self._all_but(frozenset()))
        if character in "*+?{":
            raise self._wrong(f"{character!r} with nothing to repeat", f"write \\{character} for the symbol")
        if character in "^$":
            raise self._wrong(f"the anchor {character!r}", "leave it out, the whole input is matched")
        if character in "]}":
            raise self._wrong(f"{character!r} that closes nothing", f"write \\{character} for the symbol")
        return self._one_of(frozenset({self._symbol()}))

    def _group(self) -> Part:
        opened = self.at
        self.at, self.depth = self.at + 1, self.depth + 1
        if self._next == "?":
            raise self._wrong("a group that begins with ?", "use plain brackets")
        if self.depth > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} brackets in one another", "write it flatter")
        inside = self._choice()
        if self._next != ")":
            self.at = opened
            raise self._wrong("a ( that is not closed", "add the )")
        self.at, self.depth = self.at + 1, self.depth - 1
        return inside

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
            if _RANGE.match(self.pattern, self.at):
                members |= self._range()
            else:
                members.add(self._symbol())
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

    def _symbol(self) -> int:
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
