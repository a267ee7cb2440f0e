"""A machine as a graph: states, arrows with the rules on them, and a place for each.

Rules between the same two states share an arrow; those that do the same to several symbols share a line. The
unit of length is the size of the letters on the arrows, so whoever draws chooses the scale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.viewer.layout import Arrow, Drawing, Size, lay_out

ARROWS = "↑↓←→•"
MOST_LINES = 3
"""Lines on one arrow before the rest is only counted."""
LETTER, LINE = 0.62, 1.25
"""Width of a letter and height of a line."""
NAME = 1.25
"""How much larger the name of a state is written."""


@dataclass(frozen=True)
class Graph:
    """States by name, arrows by the numbers of the states they join, and where everything stands."""

    names: tuple[str, ...]
    sizes: tuple[Size, ...]
    arrows: tuple[Arrow, ...]
    lines: tuple[tuple[str, ...], ...]
    """What is written on each arrow"""
    drawing: Drawing
    downwards: bool


def draw_graph(
    names: Sequence[str], lines: dict[tuple[int, int], list[str]], downwards: bool = False
) -> Graph:
    """The graph of these states, with these lines on the arrows between them."""
    sizes = tuple((NAME * LETTER * len(name) + 1.2, NAME * LINE + 0.7) for name in names)
    shown = [_few(each) for each in lines.values()]
    arrows = tuple(
        Arrow(a, b, (LETTER * max(map(len, words)) + 0.3, LINE * len(words)))
        for (a, b), words in zip(lines, shown, strict=True)
    )
    drawing = lay_out(sizes, arrows, downwards=downwards)
    return Graph(tuple(names), sizes, arrows, tuple(map(tuple, shown)), drawing, downwards)


def machine_graph(agent: Agent, downwards: bool = False) -> Graph:
    """The graph of a machine; where it halts, there is a state more."""
    lines = rules_by_arrow(agent)
    names = list(agent.states)
    if any(b == HALT for _, b in lines):
        lines = {(a, len(names) if b == HALT else b): words for (a, b), words in lines.items()}
        names.append("halt")
    return draw_graph(names, lines, downwards)


def rules_by_arrow(agent: Agent) -> dict[tuple[int, int], list[str]]:
    """(from, to) → lines such as `0 1 : · ←`."""
    lines: dict[tuple[int, int], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for q, k in zip(*np.nonzero(agent.next != MISSING), strict=True):
        written = "·" if agent.write[q, k] == k else agent.alphabet[agent.write[q, k]]
        action = f"{written} {ARROWS[agent.motion[q, k]]}"
        lines[int(q), int(agent.next[q, k])][action].append(agent.alphabet[k])
    return {
        edge: [f"{_symbols(symbols)} : {action}" for action, symbols in actions.items()]
        for edge, actions in lines.items()
    }


def _symbols(names: Sequence[str]) -> str:
    return " ".join(names) if len(names) <= 3 else f"{names[0]}…{names[-1]}"


def _few(lines: Sequence[str]) -> list[str]:
    more = len(lines) - MOST_LINES
    return list(lines) if more <= 0 else [*lines[:MOST_LINES], f"+{more} more"]
