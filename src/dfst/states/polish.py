"""Polish: from a model that is nearly right to one that is right to the last bit, on the same traces.

For every learnt state c with hidden state h_c and every symbol x seen there,

    A[x] h_c = h_c'        B[x] h_c = one-hot symbol        C[x] h_c = one-hot motion

Where there are no more learnt states than dimensions, these have a solution in the basis of the learnt states
(a change of basis changes nothing that a DFST does): all numbers are 0 and 1, so nothing is ever rounded.
A model with more learnt states, after all merging, has not learnt a machine of its size: it stays as it is.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.model.weights import Weights
from dfst.states.follow import follow_soundly, followed
from dfst.states.graph import StateGraph, settled
from dfst.states.likeliest import likelier
from dfst.states.merged import first_merged, simplest_graph
from dfst.states.predicted import differs, scores
from dfst.traces.traceset import TraceSet


@dataclass(frozen=True)
class Polished:
    """The outcome of a polish."""

    theta: NDArray[np.float64]  # (P,) parameters, float64
    graph: StateGraph  # the learnt states that were solved for
    against: int = 0  # where recorded steps may be wrong: those that the model holds for wrong

    @property
    def states(self) -> int:
        """Learnt states of the graph."""
        return len(self.graph)

    @property
    def words(self) -> str:
        """How it stands in the history of the weights."""
        learnt, edges = counted(self.states, "learnt state"), counted(self.graph.edges, "edge")
        return f"{learnt}, {edges}"


def polish(
    weights: Weights, traces: TraceSet, states: int | None = None, recorded: TraceSet | None = None,
    patient: bool = True,
) -> Polished | None:  # fmt: skip
    """Polish one model on a graph of its learnt states; None where there is none.

    recorded: the traces as they were recorded, where some of their steps may be wrong
    patient:  whether many learnt states are followed where few do not do, and every radius is tried

    A graph as fine as the model's own says only what the traces show; a coarser one says more, rightly or
    wrongly. Near states are merged until no more are left than `states`, or than there are dimensions.
    """
    d = len(weights.h0)
    if recorded is not None:
        return _polished_in_spite(weights, recorded)
    finest = islice(followed(weights, traces, patient), None if patient else 1)
    graph = first_merged(finest, min(states or d, d), enough=d, useful=True)
    if graph is None or len(graph) > d:
        return None
    graph = graph if traces.known.all() else settled(graph, traces)
    return Polished(solved(graph), graph)


def _polished_in_spite(weights: Weights, recorded: TraceSet) -> Polished | None:
    """Polish a model of traces that may be wrong: on the steps that it agrees with, or, where these have no
    graph, on what was read alone. The graph is merged as far as it goes, then the likeliest near it is sought
    and every recorded step has a vote on what its rules do."""
    agreed = recorded.without(differs(scores(weights.flat(), weights.shape, recorded), recorded))
    nothing = recorded.without(recorded.known)
    finest = follow_soundly(weights, agreed) or follow_soundly(weights, nothing)
    if finest is None:
        return None
    graph = settled(likelier(simplest_graph(finest), recorded, len(weights.h0)), recorded)
    if len(graph) > len(weights.h0):
        return None
    theta = solved(graph)
    return Polished(theta, graph, int(differs(scores(theta, weights.shape, recorded), recorded).sum()))


def solved(graph: StateGraph) -> NDArray[np.float64]:
    """(P,) the parameters for at most d learnt states, in their own basis: zeros and ones."""
    H = np.eye(*graph.hidden.shape)
    A = np.zeros(graph.weights.A.shape)
    out = np.zeros((len(A), graph.wanted.shape[1], H.shape[1]))
    for (c, x), aim in zip(graph.known, graph.wanted, strict=True):
        out[x] += np.outer(aim, H[c])
        if graph.next[c, x] >= 0:
            A[x] += np.outer(H[graph.next[c, x]], H[c])
    B, C = out[:, : len(A)], out[:, len(A) :]
    return np.concatenate([A.ravel(), B.ravel(), C.ravel(), H[0]])
