"""Polish: from a model that is nearly right to one that is right to the last bit, on the same traces.

Training leaves a small error in every step, and long runs add it up. Second-order methods on the traces
remove it, but pay for every token. The graph of contexts says the same in far fewer equations, each of them
local: for every context c with hidden state h_c and every symbol x seen there,

    A[x] h_c = h_c'        B[x] h_c = one-hot symbol        C[x] h_c = one-hot motion

Where there are no more contexts than dimensions the equations have a solution in closed form: in the basis
of the contexts (a change of basis changes nothing that a DFST does), A[x] carries each unit vector it knows
to the next one and every other to zero. All numbers are 0 and 1, so nothing is ever rounded and hidden states
repeat to the bit, in float32 and float64: the learnt machine is written back into the weights. With more
contexts than dimensions, hidden states are in superposition and `superposed.py` solves the equations by
Gauss-Newton steps.

Legend: K contexts, Σ symbols, d hidden size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Shape
from dfst.states.merging import merged_graphs
from dfst.states.superposed import Solution, solve_superposed
from dfst.states.trace_graph import NONE, TraceGraph, sound_contexts
from dfst.traces.traceset import TraceSet

MOST_SUPERPOSED = 3
"""Graphs with more contexts than dimensions that are tried; each costs many steps."""


@dataclass(frozen=True)
class Polished:
    """The outcome of a polish."""

    theta: NDArray[np.float64]
    """(P,) parameters, float64"""
    contexts: int
    edges: int
    steps: int
    """Gauss-Newton steps; 0 where the solution has a closed form"""
    residual: float
    """Largest error of any equation at the end"""


def polish(
    theta: NDArray[np.floating], shape: Shape, traces: TraceSet, longer: TraceSet | None = None
) -> Iterator[Polished]:
    """Polish one model on ever coarser graphs of its contexts; nothing where there is none.

    A finer graph says only what the traces show. A coarser one takes more contexts for one and so says more
    than they do: it may be right where the finer one is silent, or wrong. Only graphs that act as the traces
    of `longer` inputs do are kept: first those with a closed form, the finest first, then the coarsest of the
    others.
    """
    finest = sound_contexts(theta.astype(np.float64), shape, traces)
    if finest is None:
        return
    right = [g for g in merged_graphs(finest) if longer is None or g.acts_as(longer)]
    for graph in right:
        if len(graph.centre) <= shape.d:
            yield _polished(graph, solve_independent(graph, shape))
    superposed = [g for g in right if len(g.centre) > shape.d]
    for graph in superposed[: -MOST_SUPERPOSED - 1 : -1]:
        solution = solve_superposed(graph, shape)
        if solution is not None:
            yield _polished(graph, solution)


def solve_independent(graph: TraceGraph, shape: Shape) -> Solution:
    """The solution for at most d contexts, in their own basis: zeros and ones."""
    H = np.eye(len(graph.centre), shape.d)
    A = np.zeros((shape.symbols, shape.d, shape.d))
    out = np.zeros((shape.symbols, shape.symbols + shape.motions, shape.d))
    for c, x in graph.edges:
        action, target = graph.action[c, x], graph.following[c, x]
        out[x, action & 255] += H[c]
        out[x, shape.symbols + (action >> 8)] += H[c]
        if target != NONE:
            A[x] += np.outer(H[target], H[c])
    return Solution(A, out[:, : shape.symbols], out[:, shape.symbols :], H, 0, _residual(graph, A, out, H))


def _residual(
    graph: TraceGraph, A: NDArray[np.float64], out: NDArray[np.float64], H: NDArray[np.float64]
) -> float:
    """Largest error of any equation."""
    worst = 0.0
    for c, x in graph.edges:
        action, target = graph.action[c, x], graph.following[c, x]
        wanted = np.zeros(out.shape[1])
        wanted[[action & 255, out.shape[0] + (action >> 8)]] = 1
        worst = max(worst, float(np.abs(out[x] @ H[c] - wanted).max()))
        if target != NONE:
            worst = max(worst, float(np.abs(A[x] @ H[c] - H[target]).max()))
    return worst


def _polished(graph: TraceGraph, found: Solution) -> Polished:
    flat = np.concatenate([found.A.ravel(), found.B.ravel(), found.C.ravel(), found.H[0]])
    return Polished(flat, len(graph.centre), len(graph.edges), found.steps, found.residual)
