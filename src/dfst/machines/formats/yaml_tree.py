"""A YAML document as a tree of nodes, never as values: `0` and `no` stay what was typed, and each has a line.

Made from the parser's events, so that nesting is limited while it is read (the parser's time grows with the
square of it), list keys need no hashing, and nothing is ever constructed. Anchors and aliases are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dfst.errors import InputError
from dfst.machines.formats.draft import expect, shown

MAX_CHARACTERS = 500_000  # the parser takes a minute for ten times as much
MAX_DEPTH = 16
SLIPS = {
    "\\t": "found a tab; indent with spaces",
    "expected ',' or": "a bracket or brace before this is not closed",
    "mapping values": "found a second ': ' in a value; quote it, or give the line above its ':'",
    "end of stream": "a quote is not closed",
    "<block end>": "indent this as the lines above it",
    "cannot start": "quote a value that begins with @, %, ` or |",
}
"""What the parser complains of → what was typed"""


@dataclass(frozen=True)
class Node:
    """A scalar's text, a sequence's items, or a mapping's keys and values in turn."""

    kind: str
    line: int
    text: str = ""
    plain: bool = False  # whether a scalar was written without quotes
    items: list[Node] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands there: null, or no pairs."""
        if self.kind == "scalar":
            return self.plain and self.text in ("", "~", "null")
        return self.kind == "mapping" and not self.items

    def pairs(self, what: str) -> list[tuple[Node, Node]]:
        if self.kind != "mapping":
            raise self.wrong(f"{what}: expected `key: value` pairs, found a {self.kind}")
        return list(zip(self.items[::2], self.items[1::2], strict=True))

    def word(self, what: str) -> str:
        if self.kind != "scalar":
            raise self.wrong(f"{what}: expected one word, found a {self.kind}")
        return self.text

    def wrong(self, problem: str) -> InputError:
        return InputError(f"line {self.line}: {problem}")

    def expect(self, holds: object, what: str, found: object, where: str) -> None:
        expect(holds, what, found, f"line {self.line}: {where}")


def read_mapping(text: str) -> dict[str, Node]:
    """The keys and values of a document's outermost mapping."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"expected at most {MAX_CHARACTERS:,} characters, found {len(text):,}")
    root = _tree(text)
    if root is None or root.kind != "mapping":
        raise InputError("expected a document of `key: value` pairs")
    return {key.text: value for key, value in root.pairs("the document") if key.kind == "scalar"}


def _tree(text: str) -> Node | None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    root: Node | None = None
    above: list[Node] = []
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            kind = type(event).__name__
            if kind in ("SequenceEndEvent", "MappingEndEvent"):
                above.pop()
            elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
                node = _node(kind, event)
                if above:
                    above[-1].items.append(node)
                elif root is not None:
                    raise node.wrong("expected one document, found a second one")
                root = root or node
                if node.kind != "scalar":
                    above.append(node)
                if len(above) > MAX_DEPTH:
                    raise node.wrong(f"expected at most {MAX_DEPTH} levels of nesting")
    except InputError:
        raise
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        slip = next((told for said, told in SLIPS.items() if said in repr(error.problem)), error.problem)
        raise InputError(f"line {line}: not YAML: {slip}") from None
    except Exception as error:  # whatever the parser trips over in foreign text is a fault of the text
        raise InputError(f"not YAML: {shown(error)}") from None
    return root


def _node(kind: str, event: Any) -> Node:
    line = int(event.start_mark.line) + 1
    if kind == "AliasEvent" or event.anchor is not None:
        raise InputError(f"line {line}: found an anchor or an alias; write it out in full")
    if kind == "ScalarEvent":
        return Node("scalar", line, event.value, plain=not event.style)
    return Node("sequence" if kind == "SequenceStartEvent" else "mapping", line)
