"""Turmite specifications: `{{{1,2,0},{0,8,0}}}`, for each state, for each symbol, {write, move, next state}.

Absolute machines move by a compass point 'N' 'E' 'S' 'W', or '' to halt in place. Relative ones turn, then
step forward: 1 forward, 2 right, 4 U-turn, 8 left, 0 halts. A relative turmite becomes an absolute agent
with four states for each of its own: state 3 heading east is `3E`, and it starts as `0N`. What is written is
always absolute. Golly evaluates such text as code; here it is parsed, strictly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from dfst.errors import InputError
from dfst.machines.agent import HALT, MAX_STATES, MAX_SYMBOLS, Agent
from dfst.machines.formats.draft import shown, table
from dfst.machines.formats.fit import require_every_rule, require_no_rejection, require_numbered_symbols
from dfst.world.grid import D, L, R, S, U

COMPASS = {"N": U, "E": R, "S": D, "W": L, "": S}
HEADINGS = "NESW"
TURNS = {1: 0, 2: 1, 4: 2, 8: 3}
"""Quarters of a turn to the right."""

_TOKEN = re.compile(r"\s*(?:([{},])|(\d{1,9})|'([NESW]?)')")

Entry = tuple[int, int | str, int]
T = TypeVar("T")


def parse(text: str, name: str) -> Agent:
    rows = _Parser(text).machine()
    absolute = isinstance(rows[0][0][1], str)
    _check(rows, absolute)
    headings = ("",) if absolute else tuple(HEADINGS)
    rules = {}
    for q, row in enumerate(rows):
        for k, (write, move, following) in enumerate(row):
            for heading in range(len(headings)):
                where = len(headings) * q + heading, k
                if not move:
                    rules[where] = write, S, HALT
                elif isinstance(move, str):
                    rules[where] = write, COMPASS[move], following
                else:
                    ahead = (heading + TURNS[move]) % 4
                    rules[where] = write, COMPASS[HEADINGS[ahead]], 4 * following + ahead
    states = tuple(f"{q}{heading}" for q in range(len(rows)) for heading in headings)
    return table(name, tuple(str(k) for k in range(len(rows[0]))), states, 0, rules)


def _check(rows: list[list[Entry]], absolute: bool) -> None:
    columns = len(rows[0])
    for q, row in enumerate(rows):
        if len(row) != columns:
            raise InputError(f"state {q}: expected {columns} entries as in state 0, found {len(row)}")
        for k, (write, move, following) in enumerate(row):
            place = f"state {q} reading {k}"
            if write >= columns:
                raise InputError(f"{place}: expected to write 0 to {columns - 1}, found {write}")
            if following >= len(rows):
                raise InputError(f"{place}: expected a next state 0 to {len(rows) - 1}, found {following}")
            if isinstance(move, str) != absolute:
                raise InputError(
                    f"{place}: expected either compass points or turns throughout, found {shown(move)}"
                )
            if isinstance(move, int) and move != 0 and move not in TURNS:
                raise InputError(f"{place}: expected a turn 1, 2, 4, 8 or 0 to halt, found {move}")


class _Parser:
    """Exactly three levels of braces, so nothing here calls itself."""

    def __init__(self, text: str) -> None:
        self._tokens = self._scan(text.strip())

    def _scan(self, text: str) -> Iterator[tuple[int, str | int, bool]]:
        """(column, token, whether it is a compass point)"""
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise InputError(
                    f"column {at + 1}: expected braces, commas, numbers and 'N' 'E' 'S' 'W' or '', "
                    f"found {shown(text[at : at + 12])}"
                )
            brace, number, point = found.groups()
            yield at + 1, brace or (int(number) if number is not None else point), point is not None
            at = found.end()
        while True:
            yield len(text) + 1, "end", False

    def machine(self) -> list[list[Entry]]:
        rows = self._braced(self._row, MAX_STATES // 4, "states")
        self._expect("end")
        return rows

    def _row(self) -> list[Entry]:
        return self._braced(self._entry, MAX_SYMBOLS, "symbols")

    def _braced(self, item: Callable[[], T], most: int, kind: str) -> list[T]:
        """At least one item, with commas between them."""
        items: list[T] = []
        self._expect("{")
        while not items or self._another():
            if len(items) >= most:
                raise InputError(f"expected at most {most:,} {kind}")
            items.append(item())
        return items

    def _entry(self) -> Entry:
        self._expect("{")
        write = self._number()
        self._expect(",")
        column, move, is_point = next(self._tokens)
        if not is_point and not isinstance(move, int):
            raise InputError(f"column {column}: expected a turn or a compass point, found {shown(move)}")
        self._expect(",")
        following = self._number()
        self._expect("}")
        return write, move, following

    def _another(self) -> bool:
        """True after a comma, False after the closing brace."""
        column, token, is_point = next(self._tokens)
        if is_point or token not in (",", "}"):
            raise InputError(f"column {column}: expected , or }}, found {shown(token)}")
        return token == ","

    def _expect(self, wanted: str) -> None:
        column, token, is_point = next(self._tokens)
        if is_point or token != wanted:
            raise InputError(f"column {column}: expected {wanted}, found {shown(token)}")

    def _number(self) -> int:
        column, token, _ = next(self._tokens)
        if not isinstance(token, int):
            raise InputError(f"column {column}: expected a number, found {shown(token)}")
        return token


def write(agent: Agent) -> str:
    require_numbered_symbols(agent, MAX_SYMBOLS)
    require_every_rule(agent)
    require_no_rejection(agent)
    point = {motion: letter for letter, motion in COMPASS.items()}
    rows = []
    for q in range(len(agent.states)):
        entries = []
        for k in range(len(agent.alphabet)):
            motion, following = int(agent.motion[q, k]), int(agent.next[q, k])
            if (motion == S) != (following == HALT):
                raise InputError(f"a rule halts if and only if it stays, unlike {agent.rule(q, k)}")
            entries.append(f"{{{agent.write[q, k]},'{point[motion]}',{max(following, 0)}}}")
        rows.append(f"{{{','.join(entries)}}}")
    return f"{{{','.join(rows)}}}"
