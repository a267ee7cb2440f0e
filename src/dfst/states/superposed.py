"""Hidden states in superposition: the equations of a graph with more learnt states than dimensions.

For every learnt state c with hidden state h_c and every symbol x seen there,

    A[x] h_c = h_c'        B[x] h_c = one-hot symbol        C[x] h_c = one-hot motion

with A, B, C and all h_c unknown. For given hidden states the matrices are a linear least-squares problem, so
they are eliminated (variable projection): W = pinv, the smallest matrix that fits, which does nothing in
directions no state uses. What is left is one Gauss-Newton step after another in the hidden states alone,
each solved by conjugate gradients without forming a matrix. Zero residual is reached quadratically.

The rank of each least-squares problem is read off its singular values once, against the blur of the hidden
states: directions that hold only blur are dropped, not fitted.

Legend: K learnt states, n edges of a block, r its rank, w outputs of a block.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.agent import MISSING
from dfst.states.graph import StateGraph

Array = NDArray[np.float64]

STEPS = 30
CUTS = (0.5, 0.2, 0.07, 0.02)
"""Which differences count as blur, in units of the graph's tolerance, from the simplest solution on."""
NEARLY = 0.6
"""Largest residual to begin from: beyond it, states were merged that are not one."""
FLOOR = 2e-15
"""Largest residual at which there is nothing left to do."""
GOOD = 1e-10
"""Largest residual to end with."""


@dataclass(frozen=True)
class Solution:
    """Matrices and hidden states that satisfy the equations of a graph."""

    A: Array
    B: Array
    C: Array
    H: Array
    """(K, d) hidden states"""
    steps: int
    residual: float
    """Largest error of any equation"""


def solve_superposed(graph: StateGraph) -> Solution | None:
    """Solve the equations of one graph; None where the model is too far from them or there is no solution."""
    for cut in CUTS:
        solution = _solve_at(graph, max(cut * graph.tolerance, 1e-9))
        if solution is not None:
            return solution
    return None


def _solve_at(graph: StateGraph, blur: float) -> Solution | None:
    """Solve, dropping directions in which the hidden states of a block differ by less than `blur`."""
    H = graph.hidden.astype(np.float64)
    blocks = _blocks(graph)
    for block in blocks:
        s = np.linalg.svd(H[block.source], compute_uv=False)
        block.rank = max(1, int((s > blur).sum())) if s.size else 0
    history: list[float] = []
    for steps in range(STEPS):
        residuals = [block.fit(H) for block in blocks]
        residual = max(float(np.abs(r).max(initial=0)) for r in residuals)
        history.append(residual)
        if residual > (NEARLY if steps == 0 else 4 * NEARLY) or (steps >= 4 and residual > 0.5 * history[-5]):
            break
        if residual <= FLOOR:
            break
        H = H - _step(blocks, residuals, H.shape)
    if residual > GOOD:
        return None
    return Solution(*_matrices(blocks), H, len(history) - 1, residual)


@dataclass
class _Block:
    """The equations of one symbol for one of its matrices: W h_source = target."""

    source: NDArray[np.int64]
    """(n,) states"""
    target: NDArray[np.int64] | None
    """(n,) states, for A; None where the targets are fixed"""
    fixed: Array | None
    """(n, w) one-hot actions, for B and C together"""
    rank: int = 0
    U: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """(n, r) orthonormal basis of what the hidden states can express, once fitted"""
    W: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """(w, d) once fitted"""

    def aim(self, H: Array) -> Array:
        return H[self.target] if self.target is not None else self.fixed  # type: ignore[return-value]

    def fit(self, H: Array) -> Array:
        """Set W to the smallest matrix of this rank that fits best; the residual (n, w)."""
        U, s, Vt = np.linalg.svd(H[self.source], full_matrices=False)
        U, s, Vt = U[:, : self.rank], s[: self.rank], Vt[: self.rank]
        T = self.aim(H)
        expressed = U.T @ T
        self.U, self.W = U, (expressed / s[:, None]).T @ Vt
        return T - U @ expressed

    def project(self, Q: Array) -> Array:
        """The part of (n, w) that no W can express."""
        return Q - self.U @ (self.U.T @ Q)

    def forward(self, dH: Array) -> Array:
        """How the residual changes with the hidden states."""
        change = -dH[self.source] @ self.W.T
        if self.target is not None:
            change += dH[self.target]
        return self.project(change)

    def backward(self, Q: Array, gradient: Array) -> None:
        """The adjoint of `forward`, added to `gradient` (K, d)."""
        Q = self.project(Q)
        _scatter(gradient, self.source, -(Q @ self.W))
        if self.target is not None:
            _scatter(gradient, self.target, Q)


@njit(cache=True)
def _scatter(gradient, index, rows):
    for i in range(index.shape[0]):
        gradient[index[i]] += rows[i]


def _blocks(graph: StateGraph) -> list[_Block]:
    """Two for each symbol: its transitions, and its actions."""
    blocks, read, wanted = [], graph.known[:, 1], graph.wanted
    for x, column in enumerate(graph.next.T):
        going = np.flatnonzero(column >= 0)
        blocks.append(_Block(going, column[going].astype(np.int64), None))
        blocks.append(_Block(np.flatnonzero(column != MISSING), None, wanted[read == x]))
    return blocks


def _matrices(blocks: list[_Block]) -> tuple[Array, Array, Array]:
    A, out = (np.array([block.W for block in blocks[i::2]]) for i in (0, 1))
    return A, out[:, : len(A)], out[:, len(A) :]


def _step(blocks: list[_Block], residuals: list[Array], size: tuple[int, ...], most: int = 400) -> Array:
    """The change of the hidden states that best removes the residuals, by conjugate gradients (CGLS)."""
    x = np.zeros(size)
    r = [a.copy() for a in residuals]
    s = np.zeros(size)
    for block, q in zip(blocks, r, strict=True):
        block.backward(q, s)
    p, norm = s.copy(), float((s * s).sum())
    begun = norm
    for _ in range(most):
        if norm <= 1e-20 * begun or norm == 0:
            break
        changes = [block.forward(p) for block in blocks]
        curvature = sum(float((a * a).sum()) for a in changes)
        alpha = norm / curvature
        x += alpha * p
        for a, b in zip(r, changes, strict=True):
            a -= alpha * b
        s = np.zeros(size)
        for block, a in zip(blocks, r, strict=True):
            block.backward(a, s)
        previous, norm = norm, float((s * s).sum())
        p = s + (norm / previous) * p
    return x
