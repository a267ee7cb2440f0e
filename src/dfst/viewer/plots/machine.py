"""A machine as a graph: by Graphviz where it is installed, by a layout of our own where it is not.

States stand in columns by their distance from the start; within a column they are ordered so that arrows
cross little. Rules between the same two states share an arrow.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import DfstError, InputError
from dfst.files import write_atomically
from dfst.viewer.plots.canvas import ACCENT, HEAD, INK, SOFT, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]

ARROWS = "↑↓←→•"
MOST_LABELS = 3
"""Lines on one arrow before the rest is only counted."""
MOST_STATES = 150
ACROSS, DOWN = 1.6, 1.05
"""Inches between states."""
GRAPHVIZ_SECONDS = 60


def merged_edges(agent: Agent) -> dict[tuple[int, int], list[str]]:
    """(from, to) → lines such as `0 1 → · ←`; rules that do the same to several symbols share a line."""
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


def _label(lines: Sequence[str]) -> str:
    shown = list(lines[:MOST_LABELS])
    return "\n".join(shown if len(lines) <= MOST_LABELS else [*shown, f"+{len(lines) - MOST_LABELS} more"])


def layers(agent: Agent) -> list[list[int]]:
    """States by distance from the start (HALT is one of them), each layer in an order with few crossings."""
    edges = list(merged_edges(agent))
    following: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        following[a].append(b)
    order, seen = [[0]], {0}
    while order[-1]:
        reached = [b for a in order[-1] for b in following[a] if b not in seen]
        order.append(list(dict.fromkeys(reached)))
        seen.update(order[-1])
    order.pop()
    stranded = [q for q in range(len(agent.states)) if q not in seen]
    result = [*order, stranded] if stranded else order
    for _ in range(4):
        for left, layer in pairwise(result):
            place = {state: i / max(1, len(left)) for i, state in enumerate(left)}

            def middle(state: int, place: dict[int, float] = place) -> float:
                near = [place[a] for a, b in edges if b == state and a in place]
                near += [place[b] for a, b in edges if a == state and b in place]
                return float(np.mean(near)) if near else 1.0

            layer.sort(key=middle)
    return result


def machine_graph(agent: Agent) -> Figure:
    """The machine in our own layout."""
    if len(agent.states) > MOST_STATES:
        raise InputError(
            f"{agent.name} has {len(agent.states)} states; a graph is readable up to {MOST_STATES}"
        )
    columns = layers(agent)
    tallest = max(len(column) for column in columns)
    figure = new_figure(max(5.0, ACROSS * len(columns)), max(3.0, DOWN * tallest + 1.4))
    axes = figure.subplots()
    axes.set_axis_off()
    place = {
        state: (ACROSS * x, DOWN * ((len(column) - 1) / 2 - y))
        for x, column in enumerate(columns)
        for y, state in enumerate(column)
    }
    for (a, b), lines in merged_edges(agent).items():
        _draw_arrow(axes, place[a], place[b], _label(lines))
    for state, (x, y) in place.items():
        name = "halt" if state == HALT else agent.states[state]
        style = {"boxstyle": "round,pad=0.35", "facecolor": "#fff4d0" if state == 0 else "white"}
        style["edgecolor"] = HEAD if state == 0 else SOFT if state == HALT else ACCENT
        axes.text(x, y, name, ha="center", va="center", fontsize=9, color=INK, bbox=style, zorder=3)
    axes.set_xlim(-ACROSS / 2, ACROSS * (len(columns) - 0.5))
    axes.set_ylim(-DOWN * tallest / 2 - 0.6, DOWN * tallest / 2 + 0.6)
    axes.set_aspect("equal")
    axes.set_title(
        f"{agent.name}: {len(agent.states)} states, {agent.rule_count} rules", loc="left", fontsize=11
    )
    return figure


def _draw_arrow(axes: Axes, start: Point, end: Point, label: str) -> None:
    from matplotlib.patches import FancyArrowPatch

    (x0, y0), (x1, y1) = start, end
    if start == end:
        tail, tip, bend = (x0 - 0.14, y0 + 0.14), (x0 + 0.14, y0 + 0.14), 2.2
        middle, gap = (x0, y0 + 0.48), 0
    else:
        # Arrows that lead back bend more, so that they keep clear of those that lead on.
        tail, tip, bend = start, end, 0.12 if x1 > x0 else 0.18
        middle, gap = ((x0 + x1 - bend * (y1 - y0)) / 2, (y0 + y1 + bend * (x1 - x0)) / 2), 16
    arrow = FancyArrowPatch(
        tail, tip, connectionstyle=f"arc3,rad={-bend}", arrowstyle="-|>", mutation_scale=10,
        shrinkA=gap, shrinkB=gap, color=SOFT, linewidth=0.8, zorder=1,
    )  # fmt: skip
    axes.add_patch(arrow)
    style = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.text(*middle, label, fontsize=6.5, color=SOFT, ha="center", va="center", bbox=style, zorder=2)


def graphviz_source(agent: Agent) -> str:
    """The same graph for Graphviz."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    nodes = [f"  s{q} [label={quoted(name)}];" for q, name in enumerate(agent.states)]
    edges = [
        f"  s{a} -> {'halt' if b == HALT else f's{b}'} [label={quoted(_label(lines))}];"
        for (a, b), lines in merged_edges(agent).items()
    ]
    head = [
        "digraph machine {",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled", fillcolor=white, color="#1f6f5c", fontname="Helvetica"];',
        '  edge [color="#6a6f70", fontcolor="#6a6f70", fontsize=9, fontname="Helvetica"];',
        '  s0 [fillcolor="#fff4d0", color="#e0a100"];',
    ]
    return "\n".join([*head, *nodes, *edges, "}"]) + "\n"


def write_machine_graph(agent: Agent, path: str | Path) -> str:
    """Write the graph; tells which layout was used, "graphviz" or "dfst"."""
    path = Path(path)
    program = shutil.which("dot")
    if program is None or path.suffix.lower() not in (".png", ".svg", ".pdf"):
        save_figure(machine_graph(agent), path)
        return "dfst"
    try:
        done = subprocess.run(
            [program, f"-T{path.suffix[1:].lower()}"],
            input=graphviz_source(agent).encode("utf-8"),
            capture_output=True,
            timeout=GRAPHVIZ_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise DfstError(f"Graphviz could not draw {agent.name}: {error}") from error
    write_atomically(path, done.stdout)
    return "graphviz"
