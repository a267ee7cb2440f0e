"""Whether a machine fits a format; where it does not, which rule or name stands in the way."""

import re
from collections.abc import Collection, Iterator

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.ends import End, accepts_by_name
from dfst.machines.formats.draft import HALTED, shown
from dfst.world.grid import D, U


def transitions(agent: Agent) -> Iterator[tuple[int, int, int, int, int]]:
    """(state, read, written, motion, next) of every rule; what halts leads to a state after the last."""
    for q, k in np.argwhere(agent.next != MISSING).tolist():
        following = int(agent.next[q, k])
        end = 0 if agent.end is None else int(agent.end[q, k])
        to = len(agent.states) + end if following == HALT else following
        yield q, k, int(agent.write[q, k]), int(agent.motion[q, k]), to


def ends_of(agent: Agent) -> tuple[End, ...]:
    """The ends that `transitions` lead to; where they have no names, the one there is, if there is one."""
    if agent.ends or not (agent.next == HALT).any():
        return agent.ends
    return (End(spare_name(HALTED, agent.states)),)


def telling_names(agent: Agent, lead: str = "", legal: str = ".+") -> list[str]:
    """Names for the ends that say whether they accept, each as like its own as the format allows. lead: what
    every name begins with; legal: a pattern of the names there can be"""
    taken = set(agent.states)
    led = f"{lead}-" if lead else ""
    names = []
    for end in ends_of(agent):
        word = {True: "accept", False: "reject", None: HALTED}[end.accepts]
        wanted = (end.name, f"{led}{end.name}", f"{led}{end.name}-{word}")
        legible = (n for n in wanted if n.startswith(lead) and re.fullmatch(legal, n, re.DOTALL))
        plain = spare_name(word if word == HALTED else f"{led}{word}", taken)
        fits = (n for n in legible if n not in taken and accepts_by_name(n) is end.accepts)
        names.append(next(fits, plain))
        taken.add(names[-1])
    return names


def require_one_row(agent: Agent) -> None:
    """Refuse a machine that moves up or down."""
    vertical = (agent.next != MISSING) & ((agent.motion == U) | (agent.motion == D))
    if vertical.any():
        rule = agent.rule(*(int(i) for i in np.argwhere(vertical)[0]))
        raise InputError(f"it works on one row, and here is a rule {rule}; try json or dot")


def require_numbers(agent: Agent, most: int) -> None:
    """Refuse an alphabet other than 0, 1, … with 0 as the blank, and ends that reject: the format has numbers
    for its symbols, and one way to halt."""
    expected = tuple(str(k) for k in range(len(agent.alphabet)))
    if agent.alphabet != expected or agent.blank != 0:
        raise InputError(
            f"expected the symbols 0, 1, … with 0 as the blank, found {shown(' '.join(agent.alphabet))} "
            f"with {shown(agent.alphabet[agent.blank])}; try json"
        )
    if len(expected) > most:
        raise InputError(f"expected at most {most} symbols, found {len(expected)}; try json")
    for end in agent.ends:
        if end.accepts is False:
            raise InputError(f"it has no word for rejecting, as {shown(end.name)} does; try json")


def require_every_rule(agent: Agent) -> None:
    """Refuse missing rules where the format has no word for them."""
    gaps = np.argwhere(agent.next == MISSING)
    if len(gaps):
        q, k = gaps[0]
        raise InputError(
            f"state {shown(agent.states[q])} reading {shown(agent.alphabet[k])} has no rule; each needs one"
        )


def characters_of(agent: Agent, blank: str, reserved: str) -> list[str]:
    """The character for each symbol, in a format of one row, in which a state without rules is an end."""
    require_one_row(agent)
    for q in np.flatnonzero((agent.next == MISSING).all(axis=1))[:1]:
        raise InputError(f"a state without rules means an end there, and {shown(agent.states[q])} has none")
    characters = [blank if k == agent.blank else symbol for k, symbol in enumerate(agent.alphabet)]
    other = f" other than {' '.join(sorted(reserved))}" if reserved else ""
    for symbol in (*agent.alphabet[: agent.blank], *agent.alphabet[agent.blank + 1 :]):
        if len(symbol) != 1 or symbol.isspace() or symbol in reserved:
            found = f"one visible character{other}, found {shown(symbol)}"
            raise InputError(f"expected symbols of {found}; try json")
        if symbol == blank:
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
