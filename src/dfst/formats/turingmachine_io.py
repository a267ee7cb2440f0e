"""The YAML of turingmachine.io: `blank`, `start state`, `input`, `table`, and `synonyms` for instructions.

    blank: ' '
    start state: right
    table:
      right:
        [1, 0]: R                     a list of symbols; keep, move, stay in the state
        ' ': {write: 1, L: carry}     write, move, go to a state
      done:                           a state without rules: the machine halts there

The document is read as a tree of nodes, never as values: `0` and `no` stay what was typed, list keys need
no hashing, and every node knows its line. A saved document, which wraps all this as text under
`source code`, is unwrapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import InputError
from dfst.formats.draft import Draft, Symbols, alphabet_comment, at_line, find_symbols, shown
from dfst.formats.fit import one_character_each, require_one_row, require_rules_in_every_state, spare_name
from dfst.grid import BLANK, L, R, S

FORMAT = "turingmachine.io"
MOVES = {"L": L, "R": R, "N": S}
MAX_CHARACTERS = 500_000
"""The YAML parser takes a minute for ten times as much."""

Node = Any
"""A node of the YAML tree: `id` is scalar, sequence or mapping; `value`; `start_mark`."""

Instruction = tuple[str | None, int, str | None]
"""Symbol to write (None keeps it), motion, next state (None keeps it)."""


def parse(text: str, name: str) -> Agent:
    document = _compose(text)
    if "source code" in document:
        text = _text(document["source code"], "the source code")
        name = _text(document["name"], "the name") if "name" in document else name
        document = _compose(text)
    for wanted in ("blank", "start state", "table"):
        if wanted not in document:
            raise InputError(f"{FORMAT}: expected the keys blank, start state and table, found no {wanted!r}")
    synonyms = {}
    if "synonyms" in document:
        for key, value in _pairs(document["synonyms"], "synonyms"):
            synonyms[_text(key, "a synonym")] = _instruction(value, {}, f"synonym {shown(key.value)}")
    states = {}
    for key, value in _pairs(document["table"], "the table"):
        state = _text(key, "a state")
        if state in states:
            raise at_line(FORMAT, _line(key), f"state {shown(state)} is listed twice; keep one")
        states[state] = list(_state(state, value, synonyms))
    return _agent(text, name, document, states)


def _agent(text: str, name: str, document: dict[str, Node], states: dict[str, list[Rule]]) -> Agent:
    written = _text(document["blank"], "the blank")
    if len(written) != 1:
        raise at_line(
            FORMAT, _line(document["blank"]), f"expected a blank of one character, found {shown(written)}"
        )
    mentioned = {
        s for rules in states.values() for _, symbol, (w, _, _) in rules for s in (symbol, w or symbol)
    }
    symbols = find_symbols(FORMAT, text, mentioned, written, BLANK if written.isspace() else written)
    draft = Draft(FORMAT)
    for state, rules in states.items():
        for line, symbol, (write, motion, to) in rules:
            if to is not None and to not in states:
                where = f"state {shown(state)} reading {shown(symbol)}"
                raise at_line(FORMAT, line, f"{where} leads to {shown(to)}, which is not in the table")
            writes = symbols.name(symbol if write is None else write)
            draft.rule(line, state, symbols.name(symbol), writes, motion, state if to is None else to)
    start = _text(document["start state"], "the start state")
    return draft.agent(name, start, symbols, tuple(_inputs(document, symbols)))


Rule = tuple[int, str, Instruction]
"""Line, symbol read, what to do."""


def _state(state: str, node: Node, synonyms: dict[str, Instruction]) -> Iterator[Rule]:
    if _is_empty(node):
        return
    for key, value in _pairs(node, f"state {shown(state)}"):
        for symbol_node in key.value if key.id == "sequence" else [key]:
            symbol = _text(symbol_node, f"a symbol of state {shown(state)}")
            where = f"state {shown(state)} reading {shown(symbol)}"
            if len(symbol) != 1:
                raise at_line(FORMAT, _line(symbol_node), f"{where}: expected a symbol of one character")
            yield _line(symbol_node), symbol, _instruction(value, synonyms, where)


def _instruction(node: Node, synonyms: dict[str, Instruction], where: str) -> Instruction:
    if node.id == "scalar":
        word = node.value
        if word in MOVES:
            return None, MOVES[word], None
        if word in synonyms:
            return synonyms[word]
        raise at_line(FORMAT, _line(node), f"{where}: expected L, R, N or a synonym, found {shown(word)}")
    write, moves = None, []
    for key, value in _pairs(node, where):
        word = _text(key, where)
        if word == "write":
            write = _text(value, f"{where}: write")
            if len(write) != 1:
                raise at_line(
                    FORMAT, _line(value), f"{where}: expected to write one character, found {shown(write)}"
                )
        elif word in MOVES:
            moves.append((MOVES[word], None if _is_empty(value) else _text(value, where)))
        else:
            raise at_line(FORMAT, _line(key), f"{where}: expected write, L, R or N, found {shown(word)}")
    if len(moves) != 1:
        raise at_line(FORMAT, _line(node), f"{where}: expected one move L, R or N, found {len(moves)}")
    return write, *moves[0]


def _inputs(document: dict[str, Node], symbols: Symbols) -> Iterator[str]:
    if "input" in document and not _is_empty(document["input"]):
        yield "".join("_" if c == symbols.written_as else c for c in _text(document["input"], "the input"))


def _compose(text: str) -> dict[str, Node]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    if len(text) > MAX_CHARACTERS:
        raise InputError(f"{FORMAT}: expected at most {MAX_CHARACTERS:,} characters, found {len(text):,}")
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise at_line(FORMAT, mark.line + 1 if mark else 1, f"not YAML: {shown(error.problem)}") from None
    except RecursionError:
        raise InputError(
            f"{FORMAT}: the document is nested too deeply; a machine needs four levels"
        ) from None
    except Exception as error:  # whatever the parser trips over in foreign text is a fault of the text
        raise InputError(f"{FORMAT}: not YAML: {shown(error)}") from None
    if root is None or root.id != "mapping":
        raise InputError(f"{FORMAT}: expected a document with the keys blank, start state and table")
    return {key.value: value for key, value in root.value if key.id == "scalar"}


def _pairs(node: Node, what: str) -> list[tuple[Node, Node]]:
    if node.id != "mapping":
        raise at_line(FORMAT, _line(node), f"{what}: expected `key: value` pairs, found a {node.id}")
    pairs: list[tuple[Node, Node]] = node.value
    return pairs


def _text(node: Node, what: str) -> str:
    if node.id != "scalar":
        raise at_line(FORMAT, _line(node), f"{what}: expected one word, found a {node.id}")
    return str(node.value)


def _is_empty(node: Node) -> bool:
    if node.id == "mapping":
        return not node.value
    return bool(node.id == "scalar" and node.style is None and node.value in ("", "~", "null"))


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


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
