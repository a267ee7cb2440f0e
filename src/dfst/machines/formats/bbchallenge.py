"""bbchallenge's standard text: `1RB1LB_1LA1RZ`, a row per state, an entry `write move next` per symbol.

States are letters, A first; symbols are digits, 0 the blank; a next state beyond the rows, by custom Z or
H, halts (and the entry still writes and moves); `---` is an undefined entry. https://bbchallenge.org
"""

import string

from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.formats.draft import shown, table
from dfst.machines.formats.fit import require_no_rejection, require_numbered_symbols, require_one_row
from dfst.world.grid import MOTION_NAMES, L, R, S

HALTING = "ZH"
MAX_ROWS = 25
MAX_COLUMNS = 10
_ENTRY = 3
_UNDEFINED = "---"


def parse(text: str, name: str) -> Agent:
    rows = text.strip().split("_")
    columns = len(rows[0]) // _ENTRY
    if not 1 <= len(rows) <= MAX_ROWS:
        raise InputError(f"expected 1 to {MAX_ROWS} rows, one for each state, found {len(rows)}")
    if not 1 <= columns <= MAX_COLUMNS:
        raise InputError(f"expected rows of 1 to {MAX_COLUMNS} entries such as 1RB, found {shown(rows[0])}")
    states = string.ascii_uppercase[: len(rows)]
    rules = {}
    for q, row in enumerate(rows):
        if len(row) != _ENTRY * columns:
            raise InputError(
                f"state {states[q]}: expected {columns} entries as in state A, found {shown(row)}"
            )
        for k in range(columns):
            entry = row[_ENTRY * k : _ENTRY * (k + 1)]
            if entry != _UNDEFINED:
                rules[q, k] = _rule(entry, f"state {states[q]} reading {k}", columns, states)
    return table(name, tuple(string.digits[:columns]), tuple(states), 0, rules)


def _rule(entry: str, where: str, columns: int, states: str) -> tuple[int, int, int]:
    write, move, following = tuple(entry)
    if write not in string.digits[:columns]:
        raise InputError(f"{where}: expected a symbol 0 to {columns - 1} first, found {shown(entry)}")
    if move not in "LR":
        raise InputError(f"{where}: expected the move L or R second, found {shown(entry)}")
    if following not in states and following not in HALTING:
        raise InputError(
            f"{where}: expected a state {states[0]} to {states[-1]}, or Z, third, found {shown(entry)}"
        )
    target = states.index(following) if following in states else HALT
    return int(write), L if move == "L" else R, target


def write(agent: Agent) -> str:
    require_numbered_symbols(agent, MAX_COLUMNS)
    require_one_row(agent)
    require_no_rejection(agent)
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
