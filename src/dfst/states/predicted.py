"""What a model would do in every step of given traces, while it reads what they read.

Legend: T steps, Σ symbols, M motions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet


def scores(theta: NDArray[Any], shape: Shape, traces: TraceSet) -> NDArray[np.float64]:
    """(T, Σ + M) the scores of one seed's parameters (P,); the traces are read side by side."""
    A, B, C, h0 = shape.split(theta.astype(np.float64))
    readout = np.concatenate([B, C], axis=1)
    found = np.empty((traces.tokens, shape.symbols + shape.motions))
    hidden, lengths = np.tile(h0, (len(traces), 1)), traces.lengths
    by_length = np.argsort(-lengths, kind="stable")
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(int(lengths.max(initial=0))):
            going = by_length[: int(np.count_nonzero(lengths > t))]
            token = traces.start[going] + t
            for x in np.unique(traces.x[token]):
                here = traces.x[token] == x
                h = hidden[going[here]]
                found[token[here]] = h @ readout[x].T
                hidden[going[here]] = h @ A[x].T
    return found


def actions_of(found: NDArray[np.float64], symbols: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(T,) twice: the symbol and the motion with the best scores."""
    return found[:, :symbols].argmax(1).astype(np.uint8), found[:, symbols:].argmax(1).astype(np.uint8)


def differs(found: NDArray[np.float64], traces: TraceSet) -> NDArray[np.bool_]:
    """(T,) the steps in which something else was recorded than what scores best."""
    s, m = actions_of(found, len(traces.alphabet))
    return traces.known & ((s != traces.s) | (m != traces.m))
