"""The text of morphett.info's simulator: each rule on its line, `state symbol new-symbol l|r|* next-state`.

`;` starts a comment; `_` is the blank; the start state is `0`; a state whose name starts with `halt` halts,
and accepts or rejects if its name says so. A missing rule is an error. `*` stands for any symbol that the
file mentions, or any state, on the left, for no change on the right, for no move as direction; the more exact
rule wins, state before symbol. `!` at the end of a line is a breakpoint, and skipped.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats.draft import HALTED, Draft, comments, expect, find_symbols, shown
from dfst.machines.formats.fit import characters_of, telling_names, transitions
from dfst.world.grid import BLANK, L, R, S

START = "0"
ANY = "*"
BLANK_AS = "_"
MOVES = {"l": L, "r": R, "*": S}
LEGAL = r"[^\s;*!]+"  # names that states can have
MAX_EXPANDED = 1_000_000  # rules that wildcards may stand for


class _Line(NamedTuple):
    number: int
    state: str
    symbol: str
    write: str
    motion: int
    to: str


def parse(text: str, name: str) -> Agent:
    lines = [line for i, raw in enumerate(text.splitlines()) if (line := _line(i + 1, raw))]
    used = (s for line in lines for s in (line.symbol, line.write) if s != ANY)
    symbols = list(dict.fromkeys([BLANK_AS, *used]))
    names = find_symbols(text, symbols, BLANK_AS, BLANK)
    entered = (s for line in lines for s in (line.state, line.to) if s != ANY and not _halts(s))
    states = list(dict.fromkeys(entered))
    wide = {True: len(states), False: 1}, {True: len(symbols), False: 1}
    if sum(wide[0][line.state == ANY] * wide[1][line.symbol == ANY] for line in lines) > MAX_EXPANDED:
        raise InputError(f"expected wildcards that stand for at most {MAX_EXPANDED:,} rules; use fewer")
    draft = Draft(text, rejects=False)
    for exactness in ((False, False), (False, True), (True, False), (True, True)):
        settled = draft.settled()
        for line in lines:
            if (line.state == ANY, line.symbol == ANY) != exactness:
                continue
            for state, symbol, write, to in _expand(line, states, symbols):
                read = names.name(symbol)
                if (state, read) not in settled:
                    draft.rule(line.number, state, read, names.name(write), line.motion, to)
    return draft.agent(name, START, names, entered=states)


def _expand(line: _Line, states: list[str], symbols: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """State, symbol, what is written and the next state of every rule that a line stands for."""
    for state in states if line.state == ANY else [line.state]:
        for symbol in symbols if line.symbol == ANY else [line.symbol]:
            write = symbol if line.write == ANY else line.write
            yield state, symbol, write, state if line.to == ANY else line.to


def _halts(state: str) -> bool:
    return state.startswith(HALTED)


def _line(number: int, raw: str) -> _Line | None:
    fields = raw.split(";", 1)[0].split()
    if not fields:
        return None
    if len(fields) == 6 and fields[5] == "!":
        fields.pop()
    line = f"line {number}"
    expect(len(fields) == 5, "`state symbol new-symbol direction next-state`", raw.strip(), line)
    state, symbol, write, move, to = fields
    where = f"{line}: state {shown(state)} reading {shown(symbol)}"
    if _halts(state):
        raise InputError(f"{where}: a state whose name starts with halt has no rules; rename it")
    for found in (symbol, write):
        expect(len(found) == 1, "a symbol of one character", found, where)
    expect(move.lower() in MOVES, "the direction l, r or *", move, where)
    return _Line(number, state, symbol, write, MOVES[move.lower()], to)


def write(agent: Agent) -> str:
    characters = characters_of(agent, BLANK_AS, reserved="*;_")
    states = _names(agent.states)
    move = {motion: letter for letter, motion in MOVES.items()}
    lines = [f"; {told}" for told in (agent.name.replace("\n", " "), *comments(agent, rejects=False))]
    states += telling_names(agent, lead=HALTED, legal=LEGAL)
    for q, k, written, motion, to in transitions(agent):
        lines.append(f"{states[q]} {characters[k]} {characters[written]} {move[motion]} {states[to]}")
    return "\n".join(lines) + "\n"


def _names(states: tuple[str, ...]) -> list[str]:
    """Names the format can hold: the start is `0`; a name it cannot hold becomes `s` and a number."""
    fit = {s for s in states[1:] if re.fullmatch(LEGAL, s) and s != START and not _halts(s)}
    spare = (f"s{i}" for i in range(2 * len(states) + 1) if f"s{i}" not in fit)
    return [START, *(s if s in fit else next(spare) for s in states[1:])]
