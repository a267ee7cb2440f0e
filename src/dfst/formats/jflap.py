"""JFLAP's .jff files: XML with one-tape Turing machines, `<state>` in version 7, `<block>` in 6.4.

An empty `<read/>` or `<write/>` is the blank. Entering a state marked `<final/>` halts, as does entering
one without transitions. What a run here could not follow is refused: several tapes, building blocks that
hold a machine of their own, two transitions for one symbol, the shorthands `!x` and `~`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dfst.agents.agent import HALT, Agent
from dfst.errors import InputError
from dfst.formats.draft import Draft, alphabet_comment, find_symbols, shown
from dfst.formats.fit import (
    one_character_each,
    require_one_row,
    require_rules_in_every_state,
    spare_name,
    transitions,
)
from dfst.world.grid import BLANK, L, R, S

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOVES = {"L": L, "R": R, "S": S}
SHORTHANDS = "!~}"
MAX_DEPTH = 64


def parse(text: str, name: str) -> Agent:
    root = _tree(text)
    kind = (root.findtext("type") or "").strip()
    if root.tag != "structure" or kind not in ("turing", "turing machine"):
        raise InputError(
            f"expected <structure> with <type>turing</type>, found <{root.tag}> with {shown(kind)}"
        )
    if (root.findtext("tapes") or "1").strip() != "1":
        raise InputError(f"expected one tape, found {shown(root.findtext('tapes'))}")
    automaton = root.find("automaton")
    within = root if automaton is None else automaton
    states = _states(within)
    starts = [id for id, state in states.items() if state.find("initial") is not None]
    if len(starts) != 1:
        raise InputError(f"expected one state marked <initial/>, found {len(starts)}")
    rules = [_transition(i + 1, element, states) for i, element in enumerate(within.findall("transition"))]
    mentioned = {s for _, _, read, write, _, _ in rules for s in (read, write)}
    symbols = find_symbols(text, mentioned, "", BLANK)
    called = _names(states)
    draft = Draft()
    order = {id: i for i, id in enumerate(states)}
    for number, source, read, write, motion, target in sorted(rules, key=lambda rule: order[rule[1]]):
        if states[source].find("final") is not None:
            raise InputError(
                f"the final state {shown(called[source])} has a transition, but a run ends there; "
                f"remove the transition or the mark"
            )
        to = None if states[target].find("final") is not None else called[target]
        draft.rule(number, called[source], symbols.name(read), symbols.name(write), motion, to)
    return draft.agent(name, called[starts[0]], symbols)


def _states(within: Element) -> dict[str, Element]:
    """The states by id, in the order of the file."""
    states: dict[str, Element] = {}
    children = {child.tag: child for child in within}
    for element in [*within.findall("state"), *within.findall("block")]:
        id = element.get("id")
        if id is None or id in states:
            raise InputError(f"expected states with different ids, found the id {shown(id)}")
        inner = children.get((element.findtext("tag") or "").strip())
        if inner is not None and (inner.find("state") is not None or inner.find("block") is not None):
            called = shown(element.get("name") or id)
            raise InputError(f"state {called} is a building block; put its states in its place")
        states[id] = element
    return states


def _names(states: dict[str, Element]) -> dict[str, str]:
    """The names of the states, made different where the file uses one twice."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id, element in states.items():
        name = element.get("name") or f"q{id}"
        names[id] = spare_name(f"{name}#{id}", taken) if name in taken else name
        taken.add(names[id])
    return names


def _transition(
    number: int, element: Element, states: dict[str, Element]
) -> tuple[int, str, str, str, int, str]:
    where = f"transition {number}"
    ends = []
    for tag in ("from", "to"):
        id = (element.findtext(tag) or "").strip()
        if id not in states:
            raise InputError(f"{where}: expected the id of a state in <{tag}>, found {shown(id)}")
        ends.append(id)
    where += f", from state {shown(states[ends[0]].get('name') or ends[0])}"
    characters = []
    for tag in ("read", "write"):
        found = element.findall(tag)
        if len(found) != 1:
            raise InputError(
                f"{where}: expected one <{tag}>, found {len(found)}; several tapes are not supported"
            )
        character = (found[0].text or "").strip()
        if len(character) > 1 or (character and character in SHORTHANDS):
            raise InputError(f"{where}: expected one plain character in <{tag}>, found {shown(character)}")
        characters.append(character)
    move = (element.findtext("move") or "").strip()
    if move not in MOVES:
        raise InputError(
            f"{where} reading {shown(characters[0])}: expected the move L, R or S, found {shown(move)}"
        )
    return number, ends[0], characters[0], characters[1], MOVES[move], ends[1]


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
    characters = [escape(c) for c in one_character_each(agent, "", reserved=SHORTHANDS)]
    halting = bool((agent.next == HALT).any())
    names = [*agent.states, *([spare_name("halt", agent.states)] if halting else [])]
    move = {motion: letter for letter, motion in MOVES.items()}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {alphabet_comment(agent)} -->"]
    lines += ["<structure>", "  <type>turing</type>", "  <automaton>"]
    for q, name in enumerate(names):
        angle = 2 * math.pi * q / len(names)
        mark = "<initial/>" if q == 0 else "<final/>" if q == len(agent.states) else ""
        place = f"<x>{300 + 200 * math.sin(angle):.0f}</x><y>{250 - 200 * math.cos(angle):.0f}</y>"
        called = quoteattr("".join(c if c.isprintable() else "_" for c in name))
        lines.append(f'    <state id="{q}" name={called}>{place}{mark}</state>')
    for q, k, written, motion, to in transitions(agent):
        ends = f"<from>{q}</from><to>{to}</to>"
        action = f"<write>{characters[written]}</write><move>{move[motion]}</move>"
        lines.append(f"    <transition>{ends}<read>{characters[k]}</read>{action}</transition>")
    return "\n".join([*lines, "  </automaton>", "</structure>"]) + "\n"
