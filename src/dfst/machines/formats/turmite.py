"""Turmite specifications: `{{{1,2,0},{0,8,0}}}`, for each state, for each symbol, {write, move, next state}.

Absolute machines move by a compass point 'N' 'E' 'S' 'W', or '' to halt in place. Relative ones turn, then
step forward: 1 forward, 2 right, 4 U-turn, 8 left, 0 halts; they become absolute, four states for each of
their own: state 3 heading east is `3E`, the start `0N`. Golly evaluates such text; here it is parsed.
"""

import json
import re

from dfst.errors import InputError
from dfst.machines.agent import HALT, MAX_STATES, MAX_SYMBOLS, Agent
from dfst.machines.formats.draft import expect, table
from dfst.machines.formats.fit import require_every_rule, require_numbers
from dfst.world.grid import D, L, R, S, U

COMPASS = {"N": U, "E": R, "S": D, "W": L, "": S}
HEADINGS = "NESW"
TURNS = {1: 0, 2: 1, 4: 2, 8: 3}  # quarters of a turn to the right

_LEGAL = re.compile(r"(?:[ \t\r\n{},]|\d{1,9}(?!\d)|'[NESW]?')*")

Entry = tuple[int, int | str, int]


def parse(text: str, name: str) -> Agent:
    rows = _read(text.strip())
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
        expect(len(row) == columns, f"{columns} entries as in state 0", len(row), f"state {q}")
        for k, (write, move, to) in enumerate(row):
            place = f"state {q} reading {k}"
            expect(write < columns, f"to write 0 to {columns - 1}", write, place)
            expect(to < len(rows), f"a next state 0 to {len(rows) - 1}", to, place)
            alike = isinstance(move, str) == absolute
            expect(alike, "either compass points or turns throughout", str(move), place)
            turns = absolute or move in (0, *TURNS)
            expect(turns, "a turn 1, 2, 4, 8 or 0 to halt", move, place)


def _read(text: str) -> list[list[Entry]]:
    """The rows, entry by entry: braces are brackets of JSON, and nothing else may stand there."""
    legal = _LEGAL.match(text)
    end = legal.end() if legal else 0
    known = "braces, commas, numbers and 'N' 'E' 'S' 'W' or ''"
    expect(end == len(text), known, text[end : end + 12], f"column {end + 1}")
    try:
        rows = json.loads(text.translate(str.maketrans("{}'", '[]"')))
    except json.JSONDecodeError as error:
        expect(False, ", or }", text[error.pos :] or "end", f"column {error.pos + 1}")
    except RecursionError:
        rows = None
    _check_list(rows, MAX_STATES // 4, "states")
    for row in rows:
        _check_list(row, MAX_SYMBOLS, "symbols")
        for entry in row:
            kinds = [type(part) for part in entry] if isinstance(entry, list) else []
            whole = kinds in ([int, int, int], [int, str, int])
            expect(whole, "{write, move, next state}", str(entry))
    found: list[list[Entry]] = rows
    return found


def _check_list(found: object, most: int, kind: str) -> None:
    whole = isinstance(found, list) and 1 <= len(found) <= most
    expect(whole, f"1 to {most:,} {kind} in braces", str(found))


def write(agent: Agent) -> str:
    require_numbers(agent, MAX_SYMBOLS)
    require_every_rule(agent)
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
