"""A machine as a graph, and any other graph of states: boxes, and arrows with words on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from dfst.counted import counted
from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.viewer import graph as graphs
from dfst.viewer.layout import Point
from dfst.viewer.plots.canvas import ACCENT, HEAD, INK, SOFT, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

MOST_STATES = 150
INCH = 0.115
"""Of the unit of a graph: letters of about eight points."""
POINTS = 72 * INCH * 0.92
"""Size of the letters on arrows."""


def machine_graph(agent: Agent) -> Figure:
    """The machine, in the direction in which it fits a page better."""
    if len(agent.states) > MOST_STATES:
        raise InputError(
            f"{agent.name} has {len(agent.states)} states; a graph is readable up to {MOST_STATES}"
        )
    drawn = min((graphs.machine_graph(agent, downwards) for downwards in (False, True)), key=_oddness)
    title = f"{agent.name}: {counted(len(agent.states), 'state')}, {counted(agent.rule_count, 'rule')}"
    fills = {0: "#fff4d0"}
    return graph_figure(drawn, title, [fills.get(q, "white") for q in range(len(drawn.names))])


def _oddness(graph: graphs.Graph) -> float:
    """How far a drawing is from the shape of a page."""
    shape = graph.drawing.width / max(1.0, graph.drawing.height)
    return max(shape / 1.4, 1.4 / shape)


def graph_figure(graph: graphs.Graph, title: str, fills: Sequence[str]) -> Figure:
    """A graph as a figure; `fills` are the colours of its states, the first of which is where it starts."""
    drawing = graph.drawing
    figure = new_figure(max(3.5, INCH * (drawing.width + 4)), max(1.6, INCH * (drawing.height + 6)))
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set(xlim=(-2, drawing.width + 2), ylim=(drawing.height + 2, -2), aspect="equal")
    for route, lines in zip(drawing.routes, graph.lines, strict=True):
        _draw_arrow(axes, route.points, graph.downwards)
        axes.text(
            *route.label, "\n".join(lines), fontsize=POINTS, family="monospace", color=SOFT, ha="center",
            va="center", linespacing=1.15, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )  # fmt: skip
    for number, (name, at, fill) in enumerate(zip(graph.names, drawing.nodes, fills, strict=True)):
        edge = HEAD if number == 0 else SOFT if name == "halt" else ACCENT
        axes.text(
            *at, name, fontsize=POINTS * graphs.NAME, family="monospace", color=INK, ha="center", va="center",
            bbox={"boxstyle": "round,pad=0.35", "facecolor": fill, "edgecolor": edge}, zorder=3,
        )  # fmt: skip
    axes.set_title(title, loc="left", fontsize=11)
    return figure


def _draw_arrow(axes: Axes, points: Sequence[Point], downwards: bool) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            path=_path(points, downwards),
            arrowstyle="-|>",
            mutation_scale=8,
            color=SOFT,
            linewidth=0.8,
            zorder=1,
        )
    )


def _path(points: Sequence[Point], downwards: bool) -> Path:
    """A smooth line through the corners, along the columns wherever it meets one."""
    from matplotlib.path import Path

    vertices, codes = [points[0]], [Path.MOVETO]
    for (x0, y0), (x1, y1) in pairwise(points):
        if downwards:
            vertices += [(x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), (x1, y1)]
        else:
            vertices += [((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1), (x1, y1)]
        codes += [Path.CURVE4] * 3
    return Path(vertices, codes)
