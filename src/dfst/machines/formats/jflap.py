"""JFLAP's .jff files: XML with one-tape Turing machines, `<state>` in version 7, `<block>` in 6.4 and 7.1.

An empty `<read/>` or `<write/>` is the blank; a space between the tags is a symbol of its own, called `␣`
here. To enter a state marked `<final/>` is to accept, and ends the run; to have no transition is to reject.
The shorthands `~` (any symbol) and `!x` (any but x) are written out. What a run here could not follow is
refused: several tapes, building blocks, two transitions for one symbol, the variables of `a,b}w`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats.draft import Draft, comments, expect, find_symbols, shown
from dfst.machines.formats.fit import characters_of, ends_of, spare_name, transitions
from dfst.world.grid import BLANK, SPACE, L, R, S

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TYPES = ("turing", "turing machine", "turingbb")
MOVES = {"L": L, "R": R, "S": S}
ANY, BUT, VARIABLE = "~", "!", "}"
SHORTHANDS = BUT + ANY + VARIABLE
EMPTY = "□"  # what JFLAP shows, and some files write, for the blank
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
    within = root if automaton is None else automaton
    states, starts, finals = _states(root, within)
    expect(len(starts) == 1, "one state marked <initial/>", len(starts))
    drawn = [_transition(i, element, states) for i, element in enumerate(within.findall("transition"), 1)]
    named = [symbol for transition in drawn for symbol in transition.symbols]
    names = find_symbols(text, named, "", BLANK)
    symbols = list(dict.fromkeys(["", *named]))
    if names.alphabet is not None:
        symbols = [names.written_as if symbol == names.blank else symbol for symbol in names.alphabet]
    names = replace(names, alphabet=tuple(map(names.name, symbols)))
    leaving = defaultdict(list)
    for transition in drawn:
        leaving[transition.source].append(transition)
    draft = Draft(text, rejects=True, place="transition")
    for state in states.values():
        for symbol in () if state in finals else symbols:
            if (chosen := _chosen(leaving[state], symbol)) is not None:
                written = names.name(symbol if chosen.writes == ANY else chosen.writes)
                draft.rule(chosen.number, state, names.name(symbol), written, chosen.motion, chosen.target)
    return draft.agent(name, starts[0], names, accepts=lambda state: state in finals)


@dataclass(frozen=True)
class _Transition:
    """What one arrow of the drawing says."""

    number: int
    source: str
    reads: str  # a character, "" for the blank, `~`, or `!` and a character
    writes: str  # a character, "" for the blank, or `~` to keep what was read
    motion: int
    target: str

    @property
    def symbols(self) -> list[str]:
        """The characters it names."""
        read = self.reads[1:] if self.reads.startswith(BUT) else self.reads
        return [character for character in (read, self.writes) if character != ANY]

    def matches(self, symbol: str) -> bool:
        if self.reads.startswith(BUT):
            return symbol != self.reads[1:]
        return self.reads in (ANY, symbol)


def _chosen(leaving: list[_Transition], symbol: str) -> _Transition | None:
    """The transition for a symbol, of those that leave a state: `!x` comes after all others."""
    found = [t for t in leaving if t.matches(symbol)]
    found = [t for t in found if not t.reads.startswith(BUT)] or found
    for other in found[1:]:
        one, two = ((t.writes.replace(ANY, symbol), t.motion, t.target) for t in (found[0], other))
        if one != two:
            raise InputError(
                f"transition {other.number}: state {shown(other.source)} reading {shown(symbol)} has a rule "
                f"already, in transition {found[0].number}; a machine here is deterministic, keep one"
            )
    return found[0] if found else None


def _states(root: Element, within: Element) -> tuple[dict[str, str], list[str], set[str]]:
    """The names of the states by id, in the order of the file, made different where it uses one twice; those
    marked initial; those marked final. JFLAP 6.4 and 7.1 call states blocks."""
    names: dict[str, str] = {}
    starts: list[str] = []
    finals: set[str] = set()
    taken: set[str] = set()
    inner = [part for around in (root, within) for part in around if part is not within]
    held = {part.tag for part in inner if {"state", "block"} & {child.tag for child in part}}
    for element in [*within.findall("state"), *within.findall("block")]:
        id, tag = element.get("id") or "", (element.findtext("tag") or "").strip()
        if element.get("id") is None or id in names:
            raise InputError(f"expected states with different ids, found the id {shown(element.get('id'))}")
        if tag in held or tag.endswith(".jff"):
            raise InputError(f"the building block {shown(tag)} is not read; draw its states in its place")
        name = element.get("name") or f"q{id}"
        names[id] = spare_name(f"{name}#{id}", taken) if name in taken else name
        taken.add(names[id])
        if element.find("initial") is not None:
            starts.append(names[id])
        if element.find("final") is not None:
            finals.add(names[id])
    return names, starts, finals


def _transition(number: int, element: Element, states: Mapping[str, str]) -> _Transition:
    where = f"transition {number}"
    ends = []
    for tag in ("from", "to"):
        id = (element.findtext(tag) or "").strip()
        expect(id in states, f"the id of a state in <{tag}>", id, where)
        ends.append(states[id])
    where += f", from state {shown(ends[0])}"
    # From block to block JFLAP asks for a symbol only: it is kept, and the head stays.
    only_reads = element.get("block") == "true"
    reads = _character(element, "read", where)
    writes = ANY if only_reads else _character(element, "write", where)
    expect(len(writes) < 2, "one character in <write>", writes, where)
    move = "S" if only_reads else (element.findtext("move") or "").strip()
    expect(move in MOVES, "the move L, R or S", move, f"{where} reading {shown(reads)}")
    return _Transition(number, ends[0], reads, writes, MOVES[move], ends[1])


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
    plain = shorthand or (len(character) < 2 and character != BUT)
    expect(plain, f"one character, ~ or !x in <{tag}>", text.strip(), where)
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

    spelt = characters_of(agent, "", reserved=SHORTHANDS + EMPTY)
    characters = [" " if c == SPACE else escape(c) for c in spelt]
    ends = ends_of(agent)
    names = [*agent.states, *(end.name for end in ends)]
    move = {motion: letter for letter, motion in MOVES.items()}
    told = (f"<!-- {comment} -->" for comment in comments(agent, rejects=True))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *told]
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
