"""A machine while it is being read: rules by name and line, turned into a table at the end.

turingmachine.io, morphett and JFLAP name their states and symbols as they go. A state that has no rule at all
is an end. To meet a gap in a state that has some rules is to reject or an error, as the format says, or a
comment. The alphabet is the blank and the symbols in the order in which they appear, unless a comment
declares it: our writers leave one, so that a machine survives the round trip.
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import HALT, MAX_STATES, MAX_SYMBOLS, MISSING, Agent, arrays_of
from dfst.machines.ends import End, accepts_by_name

HALTED = "halt"  # what our writers call an end that has no name and says nothing
MAX_RULES = 4_000_000  # states times symbols: a file of a few kilobytes must not ask for gigabytes

_DECLARED = re.compile(r"dfst blank (\S+) alphabet: ([^\n]*?)[ \t]*(?:-->|$)", re.MULTILINE)

_STUCK = {True: "dfst stuck rejects", False: "dfst stuck is an error"}


def shown(text: object) -> str:
    """What a message quotes: on one line, not too long."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= 42 else quoted[:40] + "…'"


def expect(holds: object, what: str, found: object, where: str = "") -> None:
    """Refuse a text that has something else than is expected; where: the place in it"""
    if not holds:
        quoted = found if isinstance(found, int) else shown(found)
        raise InputError(f"{where}{where and ': '}expected {what}, found {quoted}")


@dataclass(frozen=True)
class Symbols:
    """How a file's symbols are called."""

    blank: str  # the blank's name
    written_as: str  # what the file writes for it
    alphabet: tuple[str, ...] | None  # the alphabet in order, where a comment declares it

    def name(self, written: str) -> str:
        return self.blank if written == self.written_as else written


def comments(agent: Agent, rejects: bool) -> list[str]:
    """What our writers put into comments. rejects: what the format usually takes a missing rule for"""
    told = [f"dfst blank {agent.alphabet[agent.blank]} alphabet: {' '.join(agent.alphabet)}"]
    unusual = agent.stuck_rejects != rejects and bool((agent.next == MISSING).any())
    return [*told, _STUCK[agent.stuck_rejects]] if unusual else told


def find_symbols(text: str, mentioned: Collection[str], written_as: str, usual: str) -> Symbols:
    """The names of a file's symbols: as a comment declares them, or with the `usual` name for the blank."""
    declared = _DECLARED.search(text)
    others = set(mentioned) - {written_as}
    if declared is None:
        return Symbols(written_as if usual in others else usual, written_as, None)
    if declared[1] in others:
        raise InputError(f"the symbol {shown(declared[1])} is declared the blank and used besides it")
    return Symbols(declared[1], written_as, tuple(declared[2].split()))


class Draft:
    """The rules of a text read so far. rejects: what the format takes a missing rule for, unless a comment
    says otherwise; place: what the numbers given with the rules count in the file"""

    def __init__(self, text: str, rejects: bool, place: str = "line") -> None:
        self.place = place
        self._rejects = next((meaning for meaning, comment in _STUCK.items() if comment in text), rejects)
        self._rules: dict[tuple[str, str], tuple[str, int, str, int]] = {}
        self._states: dict[str, None] = {}
        self._symbols: dict[str, None] = {}

    def settled(self) -> set[tuple[str, str]]:
        """The states and symbols that have a rule by now."""
        return set(self._rules)

    def rule(self, line: int, state: str, symbol: str, write: str, motion: int, to: str) -> None:
        """Add one rule."""
        if (state, symbol) in self._rules:
            first = self._rules[state, symbol][3]
            raise InputError(
                f"{self.place} {line}: state {shown(state)} reading {shown(symbol)} has a rule already, "
                f"in {self.place} {first}; a machine here is deterministic, keep one"
            )
        self._rules[state, symbol] = (write, motion, to, line)
        self._states[state] = None
        self._symbols[symbol] = self._symbols[write] = None

    def agent(
        self, name: str, start: str, symbols: Symbols, sample_inputs: tuple[str, ...] = (), *,
        accepts: Callable[[str], bool | None] = accepts_by_name, entered: Iterable[str] = (),
    ) -> Agent:  # fmt: skip
        """The table; the start state first, the others in the order of their first rules. entered: states
        that do not halt, even if they have no rule."""
        if start not in self._states:
            near = difflib.get_close_matches(start, self._states, 1)
            meant = f": did you mean {near[0]}?" if near else "; give it one"
            raise InputError(f"the start state {shown(start)} has no rule{meant}")
        states = tuple(dict.fromkeys([start, *self._states, *entered]))
        blank, alphabet = symbols.blank, symbols.alphabet
        if alphabet is None:
            alphabet = (blank, *(symbol for symbol in self._symbols if symbol != blank))
        state_index = {state: i for i, state in enumerate(states)}
        symbol_index = {symbol: i for i, symbol in enumerate(alphabet)}
        unknown = next((s for s in (blank, *self._symbols) if s not in symbol_index), None)
        if unknown is not None:
            raise InputError(f"the declared alphabet lacks {shown(unknown)}, which the machine uses")
        rules, leads_to = {}, {}
        for (state, symbol), (write, motion, to, _) in self._rules.items():
            where = state_index[state], symbol_index[symbol]
            rules[where] = symbol_index[write], motion, state_index.get(to, HALT)
            if to not in state_index:
                leads_to[where] = End(to, accepts(to))
        if set(leads_to.values()) == {End(HALTED)}:
            leads_to = {}
        return table(
            name, alphabet, states, symbol_index[blank], rules, sample_inputs, leads_to=leads_to,
            stuck_rejects=self._rejects,
        )  # fmt: skip


def table(
    name: str, alphabet: tuple[str, ...], states: tuple[str, ...], blank: int,
    rules: Mapping[tuple[int, int], tuple[int, int, int]], sample_inputs: tuple[str, ...] = (), *,
    leads_to: Mapping[tuple[int, int], End] | None = None, stuck_rejects: bool = False,
) -> Agent:  # fmt: skip
    """The agent with these rules, the others missing. leads_to: the end of each that halts, where it has a
    name"""
    for kind, names, most in (("symbols", alphabet, MAX_SYMBOLS), ("states", states, MAX_STATES)):
        if len(names) > most:
            raise InputError(f"expected at most {most:,} {kind}, found {len(names):,}")
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise InputError(f"{shown(twice)} is declared twice among the {kind}; use each name once")
        broken = next((n for n in names if any("\ud800" <= c <= "\udfff" for c in n)), None)
        expect(broken is None, f"characters of Unicode in {kind}", broken)
    shape = (len(states), len(alphabet))
    if shape[0] * shape[1] > MAX_RULES:
        raise InputError(f"expected states × symbols up to {MAX_RULES:,}, found {shape[0]} × {shape[1]}")
    end = np.zeros(shape, dtype=np.int32)
    number = {end: i for i, end in enumerate(dict.fromkeys((leads_to or {}).values()))}
    for where, lead in (leads_to or {}).items():
        end[where] = number[lead]
    return Agent(
        name, alphabet, states, *arrays_of(rules, *shape), blank, sample_inputs=sample_inputs,
        ends=tuple(number), end=end if number else None, stuck_rejects=stuck_rejects,
    )  # fmt: skip
