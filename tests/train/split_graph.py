"""Graphs that act alike and tell apart more than they need to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.states.graph import StateGraph


def split(graph: StateGraph, edge: int) -> StateGraph:
    """The graph with one more learnt state: a twin of where an edge leads, for those who take that edge."""
    going = np.argwhere(graph.next > 0)
    c, x = going[edge % len(going)]
    twin = graph.next[c, x]
    tables = {name: getattr(graph, name) for name in ("hidden", "write", "motion", "next")}
    grown = {name: np.concatenate([table, table[[twin]]]) for name, table in tables.items()}
    grown["next"][c, x] = len(graph)
    return replace(graph, **grown)
