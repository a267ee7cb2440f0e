"""The YAML of turingmachine.io: `blank`, `start state`, `input`, `table`, and `synonyms` for instructions.

    blank: ' '
    start state: right
    table:
      right:
        [1, 0]: R                     a list of symbols; keep, move, stay in the state
        ' ': {write: 1, L: carry}     write, move, go to a state
      done:                           a state without rules: the machine halts there

A saved document, which wraps all this as text under `source code`, is unwrapped.
"""

from __future__ import annotations

from collections.abc import Iterator

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import InputError
from dfst.formats.draft import Draft, alphabet_comment, at_line, find_symbols, shown
from dfst.formats.fit import one_character_each, require_one_row, require_rules_in_every_state, spare_name
from dfst.formats.yaml_tree import Node, YamlReader
from dfst.world.grid import BLANK, L, R, S

FORMAT = "turingmachine.io"
MOVES = {"L": L, "R": R, "N": S}

Instruction = tuple[str | None, int, str | None]
"""Symbol to write (None keeps it), motion, next state (None keeps it)."""

Rule = tuple[int, str, Instruction]
"""Line, symbol read, what to do."""

_yaml = YamlReader(FORMAT)


def parse(text: str, name: str) -> Agent:
    document = _yaml.mapping(text)
    if "source code" in document:
        text = _yaml.text(document["source code"], "the source code")
        name = _yaml.text(document["name"], "the name") if "name" in document else name
        document = _yaml.mapping(text)
    for wanted in ("blank", "start state", "table"):
        if wanted not in document:
            raise InputError(f"{FORMAT}: expected the keys blank, start state and table, found no {wanted!r}")
    synonyms = {}
    if "synonyms" in document:
        for key, value in _yaml.pairs(document["synonyms"], "synonyms"):
            word = _yaml.text(key, "a synonym")
            synonyms[word] = _instruction(value, {}, f"synonym {shown(word)}")
    states: dict[str, list[Rule]] = {}
    for key, value in _yaml.pairs(document["table"], "the table"):
        state = _yaml.text(key, "a state")
        if state in states:
            raise _yaml.wrong(key, f"state {shown(state)} is listed twice; keep one")
        states[state] = list(_state(state, value, synonyms))
    return _agent(text, name, document, states)


def _agent(text: str, name: str, document: dict[str, Node], states: dict[str, list[Rule]]) -> Agent:
    blank = _yaml.text(document["blank"], "the blank")
    if len(blank) != 1:
        raise _yaml.wrong(document["blank"], f"expected a blank of one character, found {shown(blank)}")
    actions = [(symbol, write) for rules in states.values() for _, symbol, (write, _, _) in rules]
    mentioned = {s for action in actions for s in action if s is not None}
    symbols = find_symbols(FORMAT, text, mentioned, blank, BLANK if blank.isspace() else blank)
    draft = Draft(FORMAT)
    for state, rules in states.items():
        for line, symbol, (write, motion, to) in rules:
            if to is not None and to not in states:
                where = f"state {shown(state)} reading {shown(symbol)}"
                raise at_line(FORMAT, line, f"{where} leads to {shown(to)}, which is not in the table")
            writes = symbols.name(symbol if write is None else write)
            draft.rule(line, state, symbols.name(symbol), writes, motion, state if to is None else to)
    inputs = []
    if "input" in document and not document["input"].is_empty:
        given = _yaml.text(document["input"], "the input")
        inputs.append(given if symbols.blank == blank else given.replace(blank, "_"))
    return draft.agent(name, _yaml.text(document["start state"], "the start state"), symbols, tuple(inputs))


def _state(state: str, node: Node, synonyms: dict[str, Instruction]) -> Iterator[Rule]:
    if node.is_empty:
        return
    for key, value in _yaml.pairs(node, f"state {shown(state)}"):
        for symbol_node in key.items if key.kind == "sequence" else [key]:
            symbol = _yaml.text(symbol_node, f"a symbol of state {shown(state)}")
            where = f"state {shown(state)} reading {shown(symbol)}"
            if len(symbol) != 1:
                raise _yaml.wrong(symbol_node, f"{where}: expected a symbol of one character")
            yield symbol_node.line, symbol, _instruction(value, synonyms, where)


def _instruction(node: Node, synonyms: dict[str, Instruction], where: str) -> Instruction:
    if node.kind == "scalar":
        if node.text in MOVES:
            return None, MOVES[node.text], None
        if node.text in synonyms:
            return synonyms[node.text]
        raise _yaml.wrong(node, f"{where}: expected L, R, N or a synonym, found {shown(node.text)}")
    write, moves = None, []
    for key, value in _yaml.pairs(node, where):
        word = _yaml.text(key, where)
        if word == "write":
            write = _yaml.text(value, f"{where}: write")
            if len(write) != 1:
                raise _yaml.wrong(value, f"{where}: expected to write one character, found {shown(write)}")
        elif word in MOVES:
            moves.append((MOVES[word], None if value.is_empty else _yaml.text(value, where)))
        else:
            raise _yaml.wrong(key, f"{where}: expected write, L, R or N, found {shown(word)}")
    if len(moves) != 1:
        raise _yaml.wrong(node, f"{where}: expected one move L, R or N, found {len(moves)}")
    return write, *moves[0]


def write(agent: Agent) -> str:
    require_one_row(agent, FORMAT)
    require_rules_in_every_state(agent, FORMAT)
    blank = agent.alphabet[agent.blank]
    blank = blank if len(blank) == 1 and blank != BLANK else " "
    quoted = [_quote(c) for c in one_character_each(agent, FORMAT, blank, reserved="")]
    halt = spare_name("halt", agent.states)
    move = {motion: letter for letter, motion in MOVES.items()}
    lines = [f"# {_comment(agent.name)}", f"# {alphabet_comment(agent)}"]
    if agent.sample_inputs:
        lines.append(f"input: {_quote(agent.sample_inputs[0].replace('_', blank))}")
    lines += [f"blank: {quoted[agent.blank]}", f"start state: {_quote(agent.states[0])}", "table:"]
    for q, state in enumerate(agent.states):
        lines.append(f"  {_quote(state)}:")
        for k in range(len(agent.alphabet)):
            following = int(agent.next[q, k])
            if following != MISSING:
                to = _quote(halt if following == HALT else agent.states[following])
                action = f"write: {quoted[agent.write[q, k]]}, {move[agent.motion[q, k]]}: {to}"
                lines.append(f"    {quoted[k]}: {{{action}}}")
    if (agent.next == HALT).any():
        lines.append(f"  {_quote(halt)}:")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """A double-quoted scalar; it can hold every character."""
    inner = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(inner)}"'


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
