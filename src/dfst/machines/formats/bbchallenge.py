"""bbchallenge's standard text: `1RB1LB_1LA1RZ`, a row per state, an entry `write move next` per symbol.

States are letters, A first; symbols are digits, 0 the blank; a next state beyond the rows, by custom Z or
H, halts (and the entry still writes and moves); `---` is an undefined entry. https://bbchallenge.org
"""

import string

from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.formats.draft import expect, table
from dfst.machines.formats.fit import require_numbers, require_one_row
from dfst.world.grid import MOTION_NAMES, S

HALTING = "ZH"
MAX_ROWS = 25
MAX_COLUMNS = 10
_ENTRY = 3
_UNDEFINED = "---"


def parse(text: str, name: str) -> Agent:
    rows = text.strip().split("_")
    columns = len(rows[0]) // _ENTRY
    expect(1 <= len(rows) <= MAX_ROWS, f"1 to {MAX_ROWS} rows, one for each state", len(rows))
    expect(1 <= columns <= MAX_COLUMNS, f"rows of 1 to {MAX_COLUMNS} entries such as 1RB", rows[0])
    states, symbols = string.ascii_uppercase[: len(rows)], string.digits[:columns]
    rules = {}
    for q, row in enumerate(rows):
        where = f"state {states[q]}"
        expect(len(row) == _ENTRY * columns, f"{columns} entries as in state A", row, where)
        for k in range(columns):
            entry, place = row[_ENTRY * k : _ENTRY * (k + 1)], f"{where} reading {k}"
            if entry == _UNDEFINED:
                continue
            write, move, to = tuple(entry)
            expect(write in symbols, f"a symbol 0 to {columns - 1} first", entry, place)
            expect(move in "LR", "the move L or R second", entry, place)
            known = f"a state {states[0]} to {states[-1]}, or Z, third"
            expect(to in states + HALTING, known, entry, place)
            target = states.index(to) if to in states else HALT
            rules[q, k] = int(write), MOTION_NAMES.index(move), target
    return table(name, tuple(symbols), tuple(states), 0, rules)


def write(agent: Agent) -> str:
    require_numbers(agent, MAX_COLUMNS)
    require_one_row(agent)
    if len(agent.states) > MAX_ROWS:
        raise InputError(f"expected at most {MAX_ROWS} states, found {len(agent.states)}; try json")
    return "_".join(
        "".join(_entry(agent, q, k) for k in range(len(agent.alphabet))) for q in range(len(agent.states))
    )


def _entry(agent: Agent, q: int, k: int) -> str:
    following = int(agent.next[q, k])
    if following == MISSING:
        return _UNDEFINED
    if agent.motion[q, k] == S:
        raise InputError(f"every rule moves L or R, and here is one that stays: {agent.rule(q, k)}")
    letter = "Z" if following == HALT else string.ascii_uppercase[following]
    return f"{agent.write[q, k]}{MOTION_NAMES[agent.motion[q, k]]}{letter}"
