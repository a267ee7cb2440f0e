"""JFLAP's machines within machines, as one table.

A *level* is a machine as it was drawn: states, and transitions that may read `~` (any symbol) or `!x` (any
but x). A state may hold a level of its own, a *building block*. As JFLAP's simulator does it: whoever
enters a block stands on its first state; a transition is looked for where one stands, then on the block
around it, and so on outwards; on one level, `!x` comes after all others. What is final inside a block means
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from dfst.errors import InputError
from dfst.machines.formats.draft import Draft, Symbols, shown
from dfst.machines.formats.fit import spare_name

ANY = "~"
BUT = "!"
MAX_PLACES = 20_000
"""Blocks in blocks double and double: a small file must not ask for millions of states."""


@dataclass(frozen=True)
class Transition:
    """What one arrow of the drawing says."""

    number: int
    """Its place on its level."""
    source: str
    reads: str
    """A character, "" for the blank, `~`, or `!` and a character."""
    writes: str
    """A character, "" for the blank, or `~` to keep what was read."""
    motion: int
    target: str

    @property
    def symbols(self) -> list[str]:
        """The characters it names."""
        read = self.reads[1:] if self.reads.startswith(BUT) else self.reads
        return [character for character in (read, self.writes) if character != ANY]

    def matches(self, symbol: str) -> bool:
        if self.reads.startswith(BUT):
            return symbol != self.reads[1:]
        return self.reads in (ANY, symbol)


@dataclass(frozen=True)
class State:
    """One circle of the drawing."""

    name: str
    final: bool
    inside: Level | None = None


@dataclass(frozen=True)
class Level:
    """One drawing."""

    name: str
    first: str
    states: dict[str, State]
    """By id."""
    transitions: list[Transition]
    choices: dict[tuple[str, str], Transition | None] = field(default_factory=dict)
    """What was found for an id and a symbol."""

    @cached_property
    def leaving(self) -> dict[str, list[Transition]]:
        """The transitions from each state, by id."""
        found: dict[str, list[Transition]] = {id: [] for id in self.states}
        for transition in self.transitions:
            found[transition.source].append(transition)
        return found

    def choice(self, id: str, symbol: str) -> Transition | None:
        """The transition from a state for a symbol, on this level."""
        if (id, symbol) not in self.choices:
            self.choices[id, symbol] = self._choose(id, symbol)
        return self.choices[id, symbol]

    def _choose(self, id: str, symbol: str) -> Transition | None:
        found = [t for t in self.leaving[id] if t.matches(symbol)]
        found = [t for t in found if not t.reads.startswith(BUT)] or found
        for other in found[1:]:
            one, two = ((t.writes.replace(ANY, symbol), t.motion, t.target) for t in (found[0], other))
            if one != two:
                raise InputError(
                    f"transition {other.number}{self.name}: state {shown(self.states[id].name)} reading "
                    f"{shown(symbol)} has a rule already, in transition {found[0].number}; "
                    "a machine here is deterministic, keep one"
                )
        return found[0] if found else None


@dataclass(frozen=True)
class Place:
    """A state that holds no machine, and the blocks around it, the innermost first."""

    path: tuple[tuple[Level, str], ...]

    @property
    def final(self) -> bool:
        level, id = self.path[-1]
        return level.states[id].final

    @property
    def name(self) -> str:
        return "/".join(level.states[id].name for level, id in reversed(self.path))

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(id for _, id in self.path)


def enter(level: Level, id: str, around: tuple[tuple[Level, str], ...] = ()) -> Place:
    """Where one stands after going to a state: in a block, on its first state, unless that is the end."""
    path = ((level, id), *around)
    state = level.states[id]
    if state.inside is None or (state.final and not around):
        return Place(path)
    return enter(state.inside, state.inside.first, path)


def places(level: Level, around: tuple[tuple[Level, str], ...] = ()) -> Iterator[Place]:
    """Every place one can stand on, in the order of the file."""
    for id, state in level.states.items():
        path = ((level, id), *around)
        if state.inside is None or (state.final and not around):
            yield Place(path)
        else:
            yield from places(state.inside, path)


def flatten(machine: Level, symbols: list[str], names: Symbols) -> tuple[Draft, str, set[str]]:
    """The rules of every place, the name of the first, and the names that are final."""
    called: dict[tuple[str, ...], str] = {}
    taken: set[str] = set()
    every = list(islice(places(machine), MAX_PLACES + 1))
    if len(every) > MAX_PLACES:
        raise InputError(f"expected at most {MAX_PLACES:,} states, with building blocks written out")
    for place in every:
        called[place.key] = spare_name(place.name, taken)
        taken.add(called[place.key])
    draft, start = Draft("transition"), enter(machine, machine.first)
    for place in every:
        for symbol in () if place.final else symbols:
            step = _step(place, symbol)
            if step is not None:
                transition, target = step
                writes = symbol if transition.writes == ANY else transition.writes
                rule = names.name(symbol), names.name(writes), transition.motion, called[target.key]
                draft.rule(transition.number, called[place.key], *rule)
    return draft, called[start.key], {called[place.key] for place in every if place.final}


def _step(place: Place, symbol: str) -> tuple[Transition, Place] | None:
    """The transition from a place, and where it leads; None where there is none."""
    for depth, (level, id) in enumerate(place.path):
        transition = level.choice(id, symbol)
        if transition is not None:
            return transition, enter(level, transition.target, place.path[depth + 1 :])
    return None
