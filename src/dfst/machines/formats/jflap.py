"""JFLAP's .jff files: XML with one-tape Turing machines, `<state>` in version 7, `<block>` in 6.4 and 7.1.

An empty `<read/>` or `<write/>` is the blank; a space between the tags is a symbol of its own, called `␣`
here. To enter a state marked `<final/>` is to accept, and ends the run; to have no transition is to reject.
Building blocks are written out, as are the shorthands `~` and `!x` (`formats.jflap_blocks`). What a run here
could not follow is refused: several tapes, two transitions for one symbol, the variables of `a,b}w`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats.draft import (
    Symbols,
    alphabet_comment,
    find_symbols,
    shown,
    stuck_comment,
    stuck_rejects,
)
from dfst.machines.formats.fit import (
    ends_of,
    one_character_each,
    require_one_row,
    require_rules_in_every_state,
    spare_name,
    transitions,
)
from dfst.machines.formats.jflap_blocks import ANY, BUT, Level, State, Transition, flatten
from dfst.world.grid import BLANK, SPACE, L, R, S

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TYPES = ("turing", "turing machine", "turingbb")
MOVES = {"L": L, "R": R, "S": S}
VARIABLE = "}"
SHORTHANDS = BUT + ANY + VARIABLE
EMPTY = "□"
"""What JFLAP shows, and some files write, for the blank."""
MAX_DEPTH = 64
OTHER_TYPES = {
    "fa": "finite automata", "pda": "pushdown automata", "mealy": "Mealy machines", "moore": "Moore machines"
}  # fmt: skip


def parse(text: str, name: str) -> Agent:
    root = _tree(text)
    kind = (root.findtext("type") or "").strip()
    if root.tag == "structure" and kind in OTHER_TYPES:
        raise InputError(f"{OTHER_TYPES[kind]} are not read; make a Turing machine of it in JFLAP")
    if root.tag != "structure" or kind not in TYPES:
        raise InputError(
            f"expected <structure> with <type>turing</type>, found <{root.tag}> with {shown(kind)}"
        )
    if (tapes := (root.findtext("tapes") or "1").strip()) != "1":
        raise InputError(f"expected one tape, found {shown(tapes)}; several tapes are not supported")
    automaton = root.find("automaton")
    reader = _Reader(root)
    machine = reader.level(root if automaton is None else automaton)
    drawn = [transition for level in reader.levels.values() for transition in level.transitions]
    mentioned = {symbol for transition in drawn for symbol in transition.symbols}
    names = find_symbols(text, mentioned, "", BLANK)
    symbols = _symbols(names, drawn)
    names = replace(names, alphabet=tuple(map(names.name, symbols)))
    draft, start, finals = flatten(machine, symbols, names)
    return draft.agent(
        name,
        start,
        names,
        accepts=lambda state: state in finals,
        stuck_rejects=stuck_rejects(text, usual=True),
    )


def _symbols(names: Symbols, transitions: list[Transition]) -> list[str]:
    """Every symbol as the file writes it: as declared, or the blank and then as they appear."""
    if names.alphabet is not None:
        return [names.written_as if symbol == names.blank else symbol for symbol in names.alphabet]
    return list(dict.fromkeys(["", *(symbol for t in transitions for symbol in t.symbols)]))


class _Reader:
    """Reads levels, each drawing once, however many blocks hold it; a drawing is found by its tag."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.levels: dict[Element, Level] = {}
        self._tagged: dict[Element, dict[str, list[Element]]] = {}

    def level(self, within: Element, around: tuple[Element, ...] = (), name: str = "") -> Level:
        """The machine drawn in an element; `name`: how messages tell where it is."""
        if within in self.levels:
            return self.levels[within]
        around = (within, *around)
        states: dict[str, State] = {}
        starts = []
        called = _names(within)
        for id, element in _elements(within).items():
            inside = self._inside(element, around)
            final = element.find("final") is not None
            states[id] = State(called[id], final, inside)
            starts += [id] if element.find("initial") is not None else []
        if len(starts) != 1:
            raise InputError(f"expected one state marked <initial/>{name}, found {len(starts)}")
        drawn = within.findall("transition")
        transitions = [_transition(i + 1, element, states, name) for i, element in enumerate(drawn)]
        self.levels[within] = Level(name, starts[0], states, transitions)
        return self.levels[within]

    def _children(self, within: Element) -> dict[str, list[Element]]:
        """What stands in an element, by tag."""
        if within not in self._tagged:
            found: dict[str, list[Element]] = {}
            for child in within:
                found.setdefault(child.tag, []).append(child)
            self._tagged[within] = found
        return self._tagged[within]

    def _inside(self, element: Element, around: tuple[Element, ...]) -> Level | None:
        """The machine that a state holds, if it is a building block."""
        tag = (element.findtext("tag") or "").strip()
        if not tag:
            return None
        if len(around) > MAX_DEPTH:
            raise InputError(f"expected building blocks in at most {MAX_DEPTH} others")
        places = [child for within in (*around, self.root) for child in self._children(within).get(tag, ())]
        held = next((p for p in places if p.find("state") is not None or p.find("block") is not None), None)
        if held is None:
            if not places and tag.endswith(".jff"):
                raise InputError(
                    f"the building block {shown(tag)} is in a file of its own; save the machine again with "
                    "JFLAP 7, which puts blocks into the file"
                )
            return None
        if held in around:
            raise InputError(f"the building block {shown(tag)} holds itself; take it out")
        return self.level(held, around, f" of the building block {shown(tag)}")


def _elements(within: Element) -> dict[str, Element]:
    """The states by id, in the order of the file."""
    states: dict[str, Element] = {}
    for element in [*within.findall("state"), *within.findall("block")]:
        id = element.get("id")
        if id is None or id in states:
            raise InputError(f"expected states with different ids, found the id {shown(id)}")
        states[id] = element
    return states


def _names(within: Element) -> dict[str, str]:
    """The names of the states, made different where the file uses one twice."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id, element in _elements(within).items():
        name = element.get("name") or f"q{id}"
        names[id] = spare_name(f"{name}#{id}", taken) if name in taken else name
        taken.add(names[id])
    return names


def _transition(number: int, element: Element, states: Mapping[str, State], level: str) -> Transition:
    where = f"transition {number}{level}"
    ends = []
    for tag in ("from", "to"):
        id = (element.findtext(tag) or "").strip()
        if id not in states:
            raise InputError(f"{where}: expected the id of a state in <{tag}>, found {shown(id)}")
        ends.append(id)
    where += f", from state {shown(states[ends[0]].name)}"
    # From block to block JFLAP asks for a symbol only: it is kept, and the head stays.
    only_reads = element.get("block") == "true"
    reads = _character(element, "read", where)
    writes = ANY if only_reads else _character(element, "write", where)
    if len(writes) > 1:
        raise InputError(f"{where}: expected one character in <write>, found {shown(writes)}")
    move = "S" if only_reads else (element.findtext("move") or "").strip()
    if move not in MOVES:
        raise InputError(f"{where} reading {shown(reads)}: expected the move L, R or S, found {shown(move)}")
    return Transition(number, ends[0], reads, writes, MOVES[move], ends[1])


def _character(element: Element, tag: str, where: str) -> str:
    """A character, "" for the blank, `~`, or `!` and one of these."""
    found = element.findall(tag)
    if len(found) != 1:
        raise InputError(
            f"{where}: expected one <{tag}>, found {len(found)}; several tapes are not supported"
        )
    text = found[0].text or ""
    character = SPACE if text == " " else text.strip().replace(EMPTY, "")
    if VARIABLE in character:
        raise InputError(
            f"{where}: variables such as {shown(character)} are not supported; "
            "write a transition for each symbol"
        )
    shorthand = character.startswith(BUT) and (len(character) == 2 or text.strip() == BUT + EMPTY)
    if not shorthand and (len(character) > 1 or character == BUT):
        raise InputError(f"{where}: expected one character, ~ or !x in <{tag}>, found {shown(text.strip())}")
    return character


def _tree(text: str) -> Element:
    from xml.etree.ElementTree import ParseError, TreeBuilder

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    class Shallow(TreeBuilder):
        depth = 0

        def start(self, tag, attributes):  # type: ignore[no-untyped-def]
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InputError(f"expected at most {MAX_DEPTH} levels of XML")
            return super().start(tag, attributes)

        def end(self, tag):  # type: ignore[no-untyped-def]
            self.depth -= 1
            return super().end(tag)

    parser = DefusedXMLParser(target=Shallow(), forbid_dtd=True)
    try:
        parser.feed(text.encode("utf-8"))
        root: Element = parser.close()
    except ParseError as error:
        raise InputError(f"line {error.position[0]}: not XML: {shown(error)}") from None
    except DefusedXmlException:
        raise InputError("expected XML without a document type and entities; remove them") from None
    except (ValueError, LookupError) as error:
        raise InputError(f"not XML: {shown(error)}") from None
    return root


def write(agent: Agent) -> str:
    from xml.sax.saxutils import escape, quoteattr

    require_one_row(agent)
    require_rules_in_every_state(agent)
    spelt = one_character_each(agent, "", reserved=SHORTHANDS + EMPTY)
    characters = [" " if c == SPACE else escape(c) for c in spelt]
    ends = ends_of(agent)
    names = [*agent.states, *(end.name for end in ends)]
    move = {motion: letter for letter, motion in MOVES.items()}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {alphabet_comment(agent)} -->"]
    if (stuck := stuck_comment(agent, usual=True)) is not None:
        lines.append(f"<!-- {stuck} -->")
    lines += ["<structure>", "  <type>turing</type>", "  <automaton>"]
    for q, name in enumerate(names):
        angle = 2 * math.pi * q / len(names)
        final = q >= len(agent.states) and ends[q - len(agent.states)].accepts is not False
        mark = "<initial/>" if q == 0 else "<final/>" if final else ""
        place = f"<x>{300 + 200 * math.sin(angle):.0f}</x><y>{250 - 200 * math.cos(angle):.0f}</y>"
        called = quoteattr("".join(c if c.isprintable() else "_" for c in name))
        lines.append(f'    <state id="{q}" name={called}>{place}{mark}</state>')
    for q, k, written, motion, to in transitions(agent):
        route = f"<from>{q}</from><to>{to}</to>"
        action = f"<write>{characters[written]}</write><move>{move[motion]}</move>"
        lines.append(f"    <transition>{route}<read>{characters[k]}</read>{action}</transition>")
    return "\n".join([*lines, "  </automaton>", "</structure>"]) + "\n"
