"""Spectral learning of the weighted automaton behind the traces: a Hankel matrix, its singular vectors, done.

A DFST is a weighted automaton: after the history u it has h(u), and its scores for the next symbol x are
linear in h(u). So the matrix H[u, v] = action after the history u v, with histories u as rows and
continuations v as columns, has rank at most d, and its row space yields h(u) without any training (Balle and
Mohri 2012). The catch is that the policy is a partial function: the grid decides what is read next, so most
histories u v never occur, and zeros in their place would be lies. They are completed instead: starting from
zero, unknown entries are replaced by those of the best rank-d approximation, the same value wherever u v is
the same string, again and again; known entries stay. Then

    h(u) = the row of u in the basis of the d leading right singular vectors
    A[x]   by least squares from h(u) to h(u x);  B[x], C[x] from h(u) to the action after u x

Legend: U rows, V columns, K = Σ + M scores, d hidden size, n strings u v.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.kernels.cpu.recurrence import losses_and_gradients
from dfst.model.provenance import Provenance
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet
from dfst.train.finish import weights_of

MOST_ROWS, MOST_COLUMNS = 1500, 200
"""The most frequent histories and continuations; more make the matrix emptier, not better known."""
LONGEST_SUFFIX = 5
ROUNDS = 300
"""Rounds of completion."""
RIDGE = 1e-6
"""Against directions of h that no row shows; relative to the largest."""

History = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Hankel:
    """The matrix as far as the traces tell it."""

    rows: list[History]
    """U histories, the empty one first"""
    string: NDArray[np.int64]
    """(U, V) the number of the string u v"""
    action: NDArray[np.float64]
    """(n, K) the one-hot action after each string; zero where unknown"""
    known: NDArray[np.bool_]
    """(n,)"""


def train(assignment: Assignment) -> Trained:
    traces = assignment.traces
    shape = assignment.plan.shape(traces)
    began = time.monotonic()
    hankel, theta = spectral_parameters(traces, shape.d, assignment.seed)
    seconds = time.monotonic() - began
    weights = weights_of(
        theta, assignment.plan.problem, traces.motions, shape.d, Provenance(recipe="spectral")
    )
    return Trained(
        subject=Rollout(weights),
        samples=len(traces),
        parameters=shape.size,
        iterations=ROUNDS,
        seconds=seconds,
        loss=loss_of(theta, shape, traces),
        settings={
            "d": shape.d,
            "rows": len(hankel.rows),
            "columns": hankel.string.shape[1],
            "known": round(float(hankel.known[hankel.string].mean()), 4),
        },
    )


def spectral_parameters(traces: TraceSet, d: int, seed: int) -> tuple[Hankel, NDArray[np.float64]]:
    """The matrix, and the parameters (P,) of a DFST of hidden size d that follow from it."""
    hankel = hankel_matrix(traces)
    h = complete(hankel, d, np.random.default_rng(seed))
    return hankel, operators(hankel, h, traces)


def hankel_matrix(traces: TraceSet, most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS) -> Hankel:
    """Rows, columns and known actions out of the traces."""
    symbols, motions = len(traces.alphabet), len(traces.motions)
    histories: Counter[History] = Counter()
    suffixes: Counter[History] = Counter()
    actions: dict[History, tuple[int, int]] = {}
    for i in range(len(traces)):
        trace = traces[i]
        x = tuple(trace.x.tolist())
        for t in range(len(x)):
            histories[x[:t]] += 1
            actions[x[: t + 1]] = int(trace.s[t]), int(trace.m[t])
            for length in range(2, min(LONGEST_SUFFIX, t + 1) + 1):
                suffixes[x[t + 1 - length : t + 1]] += 1
    rows = _most_frequent(histories, most_rows)
    single = [(x,) for x in range(symbols)]
    columns = single + _most_frequent(suffixes, most_columns - symbols)
    number: dict[History, int] = {}
    string = np.array([[number.setdefault(u + v, len(number)) for v in columns] for u in rows])
    action = np.zeros((len(number), symbols + motions))
    known = np.zeros(len(number), dtype=bool)
    for word, i in number.items():
        if word in actions:
            s, m = actions[word]
            action[i, s] = action[i, symbols + m] = known[i] = 1
    return Hankel(rows, string, action, known)


def _most_frequent(counts: Counter[History], most: int) -> list[History]:
    """The most frequent strings, the shorter first among equals; the result has the shortest first."""
    chosen = sorted(counts, key=lambda word: (-counts[word], len(word), word))[:most]
    return sorted(chosen, key=lambda word: (len(word), word))


def complete(hankel: Hankel, d: int, rng: np.random.Generator, rounds: int = ROUNDS) -> NDArray[np.float64]:
    """(U, d) the hidden state of each row, after completing the matrix at rank d."""
    U, V = hankel.string.shape
    K = hankel.action.shape[1]
    value = hankel.action.copy()
    place = (hankel.string.reshape(-1, 1) * K + np.arange(K)).ravel()
    times = np.bincount(hankel.string.ravel(), minlength=len(value))[:, None]
    d = min(d, U, V * K)
    basis = np.linalg.qr(rng.normal(size=(V * K, d)))[0]
    for _ in range(rounds):
        matrix = value[hankel.string].reshape(U, V * K)
        # One step of subspace iteration a round: the basis follows the matrix as it fills.
        basis = np.linalg.qr(matrix.T @ (matrix @ basis))[0]
        guess = (matrix @ basis) @ basis.T
        mean = np.bincount(place, guess.ravel(), minlength=value.size).reshape(value.shape) / times
        value = np.where(hankel.known[:, None], hankel.action, mean)
    return value[hankel.string].reshape(U, V * K) @ basis


def operators(hankel: Hankel, h: NDArray[np.float64], traces: TraceSet) -> NDArray[np.float64]:
    """(P,) the parameters of the DFST that takes each row's h to the next row's and to the known actions."""
    symbols = len(traces.alphabet)
    at = {u: i for i, u in enumerate(hankel.rows)}
    A, B, C = [], [], []
    for x in range(symbols):
        steps = [(i, at[(*u, x)]) for u, i in at.items() if (*u, x) in at]
        source, target = np.array(steps, dtype=np.int64).reshape(-1, 2).T
        A.append(_least_squares(h[source], h[target]))
        # The one-symbol continuations are the first columns, in the order of the alphabet.
        after = hankel.string[:, x]
        shown = np.flatnonzero(hankel.known[after])
        scores = _least_squares(h[shown], hankel.action[after[shown]])
        B.append(scores[:symbols])
        C.append(scores[symbols:])
    return np.concatenate([np.ravel(A), np.ravel(B), np.ravel(C), h[0]])


def _least_squares(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, d) the matrix that takes each row of source (r, d) nearest to the row of target (r, k)."""
    square = source.T @ source
    square = square + RIDGE * max(float(np.trace(square)) / len(square), 1e-12) * np.eye(len(square))
    return np.asarray(np.linalg.solve(square, source.T @ target).T, dtype=np.float64)


def loss_of(theta: NDArray[np.float64], shape: Shape, traces: TraceSet) -> float:
    """The paper's loss of parameters (P,) on traces; infinite if a hidden state overflows."""
    (loss,), _ = losses_and_gradients(theta[None], shape, traces, np.arange(len(traces))[None])
    return float(loss) if np.isfinite(loss) else float("inf")
