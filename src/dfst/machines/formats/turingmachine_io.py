"""The YAML of turingmachine.io: `blank`, `start state`, `input`, `table`, and `synonyms` for instructions.

    table:
      right:
        [1, 0]: R                     a list of symbols; keep, move, stay in the state
        ' ': {write: 1, L: carry}     write, move, go to a state
      done:                           a state without rules: the machine halts there

It accepts or rejects there if the name of that state says so (`accept`, `reject`); to meet a symbol for which
a state has no rule is to reject. A saved document, which wraps this as `source code`, is unwrapped.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats.draft import Draft, comments, find_symbols, shown
from dfst.machines.formats.fit import characters_of, telling_names, transitions
from dfst.machines.formats.yaml_tree import Node, read_mapping
from dfst.world.grid import BLANK, L, R, S

MOVES = {"L": L, "R": R, "N": S}

Instruction = tuple[str | None, int, str | None]
"""Symbol to write (None keeps it), motion, next state (None keeps it)."""

Rule = tuple[int, str, Instruction]  # line, symbol read, what to do


def parse(text: str, name: str) -> Agent:
    document = read_mapping(text)
    if "source code" in document:
        text = document["source code"].word("the source code")
        name = document["name"].word("the name") if "name" in document else name
        document = read_mapping(text)
    for wanted in ("blank", "start state", "table"):
        if wanted not in document:
            raise InputError(f"expected the keys blank, start state and table, found no {wanted!r}")
    synonyms = {}
    if "synonyms" in document:
        for key, value in document["synonyms"].pairs("synonyms"):
            word = key.word("a synonym")
            synonyms[word] = _instruction(value, {}, f"synonym {shown(word)}")
    states: dict[str, list[Rule]] = {}
    for key, value in document["table"].pairs("the table"):
        state = key.word("a state")
        if state in states:
            raise key.wrong(f"state {shown(state)} is listed twice; keep one")
        states[state] = list(_state(state, value, synonyms))
    return _agent(text, name, document, states)


def _agent(text: str, name: str, document: dict[str, Node], states: dict[str, list[Rule]]) -> Agent:
    blank = document["blank"].word("the blank")
    if len(blank) != 1:
        raise document["blank"].wrong(f"expected a blank of one character, found {shown(blank)}")
    actions = [(symbol, write) for rules in states.values() for _, symbol, (write, _, _) in rules]
    mentioned = {s for action in actions for s in action if s is not None}
    symbols = find_symbols(text, mentioned, blank, BLANK if blank.isspace() else blank)
    draft = Draft(text, rejects=True)
    for state, rules in states.items():
        for line, symbol, (write, motion, to) in rules:
            if to is not None and to not in states:
                where = f"state {shown(state)} reading {shown(symbol)}"
                raise InputError(f"line {line}: {where} leads to {shown(to)}, which is not in the table")
            writes = symbols.name(symbol if write is None else write)
            draft.rule(line, state, symbols.name(symbol), writes, motion, state if to is None else to)
    inputs = []
    if "input" in document and not document["input"].is_empty:
        given = document["input"].word("the input")
        inputs.append(given if symbols.blank == blank else given.replace(blank, "_"))
    start = document["start state"].word("the start state")
    return draft.agent(name, start, symbols, tuple(inputs))


def _state(state: str, node: Node, synonyms: dict[str, Instruction]) -> Iterator[Rule]:
    if node.is_empty:
        return
    for key, value in node.pairs(f"state {shown(state)}"):
        for symbol_node in key.items if key.kind == "sequence" else [key]:
            symbol = symbol_node.word(f"a symbol of state {shown(state)}")
            where = f"state {shown(state)} reading {shown(symbol)}"
            if len(symbol) != 1:
                raise symbol_node.wrong(f"{where}: expected a symbol of one character")
            yield symbol_node.line, symbol, _instruction(value, synonyms, where)


def _instruction(node: Node, synonyms: dict[str, Instruction], where: str) -> Instruction:
    if node.kind == "scalar":
        known = {move: (None, motion, None) for move, motion in MOVES.items()} | synonyms
        node.expect(node.text in known, "L, R, N or a synonym", node.text, where)
        return known[node.text]
    write, moves = None, []
    for key, value in node.pairs(where):
        word = key.word(where)
        if word == "write":
            write = value.word(f"{where}: write")
            value.expect(len(write) == 1, "to write one character", write, where)
            continue
        key.expect(word in MOVES, "write, L, R or N", word, where)
        moves.append((MOVES[word], None if value.is_empty else value.word(where)))
    node.expect(len(moves) == 1, "one move L, R or N", len(moves), where)
    return write, *moves[0]


def write(agent: Agent) -> str:
    blank = agent.alphabet[agent.blank]
    blank = blank if len(blank) == 1 and blank != BLANK else " "
    quoted = [_quote(c) for c in characters_of(agent, blank, reserved="")]
    ends = telling_names(agent)
    move = {motion: letter for letter, motion in MOVES.items()}
    name = "".join(c if c.isprintable() else " " for c in agent.name)
    lines = [f"# {told}" for told in (name, *comments(agent, rejects=True))]
    if agent.sample_inputs:
        lines.append(f"input: {_quote(agent.sample_inputs[0].replace('_', blank))}")
    lines += [f"blank: {quoted[agent.blank]}", f"start state: {_quote(agent.states[0])}", "table:"]
    states = [_quote(name) for name in (*agent.states, *ends)]
    for q, rules in groupby(transitions(agent), itemgetter(0)):
        lines.append(f"  {states[q]}:")
        for _, k, written, motion, to in rules:
            lines.append(f"    {quoted[k]}: {{write: {quoted[written]}, {move[motion]}: {states[to]}}}")
    lines += [f"  {end}:" for end in states[len(agent.states) :]]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """A double-quoted scalar; it can hold every character."""
    inner = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(inner)}"'
