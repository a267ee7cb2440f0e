"""Whether a machine fits a format; where it does not, which rule or name stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import InputError
from dfst.formats.draft import shown
from dfst.world.grid import D, U


def transitions(agent: Agent) -> Iterator[tuple[int, int, int, int, int]]:
    """(state, read, written, motion, next) of every rule; what halts leads to the state after the last."""
    for q, k in np.argwhere(agent.next != MISSING).tolist():
        following = int(agent.next[q, k])
        to = len(agent.states) if following == HALT else following
        yield q, k, int(agent.write[q, k]), int(agent.motion[q, k]), to


def require_one_row(agent: Agent) -> None:
    """Refuse a machine that moves up or down."""
    vertical = (agent.next != MISSING) & ((agent.motion == U) | (agent.motion == D))
    if vertical.any():
        rule = agent.rule(*(int(i) for i in np.argwhere(vertical)[0]))
        raise InputError(f"it works on one row, and here is a rule {rule}; try json, dot or openfst")


def require_numbered_symbols(agent: Agent, most: int) -> None:
    """Refuse an alphabet other than 0, 1, … with 0 as the blank."""
    expected = tuple(str(k) for k in range(len(agent.alphabet)))
    if agent.alphabet != expected or agent.blank != 0:
        raise InputError(
            f"expected the symbols 0, 1, … with 0 as the blank, found {shown(' '.join(agent.alphabet))} "
            f"with {shown(agent.alphabet[agent.blank])}; try json"
        )
    if len(expected) > most:
        raise InputError(f"expected at most {most} symbols, found {len(expected)}; try json")


def require_rules_in_every_state(agent: Agent) -> None:
    """Refuse a state without rules where the format would take it for an end."""
    silent = np.flatnonzero((agent.next == MISSING).all(axis=1))
    if silent.size:
        raise InputError(
            f"a state without rules means an end there, and {shown(agent.states[silent[0]])} has none"
        )


def require_every_rule(agent: Agent) -> None:
    """Refuse missing rules where the format has no word for them."""
    gaps = np.argwhere(agent.next == MISSING)
    if len(gaps):
        q, k = gaps[0]
        raise InputError(
            f"state {shown(agent.states[q])} reading {shown(agent.alphabet[k])} has no rule; each needs one"
        )


def one_character_each(agent: Agent, blank: str, reserved: Collection[str]) -> list[str]:
    """The character for each symbol, the blank written as the format writes it."""
    characters = [blank if k == agent.blank else symbol for k, symbol in enumerate(agent.alphabet)]
    for k, character in enumerate(characters):
        ordinary = k != agent.blank
        if ordinary and (len(character) != 1 or character.isspace() or character in reserved):
            taken = f" other than {' '.join(sorted(reserved))}" if reserved else ""
            raise InputError(
                f"expected symbols of one visible character{taken}, found {shown(character)}; try json"
            )
        if ordinary and character == blank:
            raise InputError(f"it writes the blank as {shown(blank)}, which is a symbol here; try json")
    for symbol in agent.alphabet:
        if not symbol or any(c.isspace() or not c.isprintable() for c in symbol):
            raise InputError(f"expected visible symbols, found {shown(symbol)}; try json")
    return characters


def spare_name(wanted: str, taken: Collection[str]) -> str:
    """A name nobody uses yet: `wanted`, or with a number behind it."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    return name
