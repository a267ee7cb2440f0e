"""Passive state merging: RPNI and EDSM, through AALpy, on the same traces.

A grid agent seen from outside is a Mealy machine: its input is the symbol read, its output the symbol written
with the motion. RPNI builds the prefix tree of all traces and merges states, nearest the root first, as long
as no trace contradicts the merge; EDSM takes the merge with most evidence first. Both are deterministic, so
all seeds agree. They say nothing about a (state, symbol) pair that no trace shows; a run that gets there has
failed at that step.

Legend: Q states, Σ symbols.
"""

from __future__ import annotations

import time
import warnings
from typing import Any, Literal

import numpy as np
from aalpy.learning_algs import run_EDSM, run_RPNI
from numba import njit
from numpy.typing import NDArray

from dfst.errors import DfstError
from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.reading import NO_ACTION, ReadingUnit
from dfst.traces.traceset import TraceSet

LOST = -1


class MachineReader:
    """A Mealy machine that may have holes, as a reader."""

    context = None

    def __init__(
        self, following: NDArray[np.int64], write: NDArray[np.uint8], motion: NDArray[np.uint8]
    ) -> None:
        self.following, self.write, self.motion = following, write, motion
        """(Q, Σ) each; LOST and NO_ACTION where nothing was learnt"""

    @property
    def rules(self) -> int:
        return int(np.count_nonzero(self.following != LOST))

    def read(self, x: NDArray[np.uint8], state: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Any]:
        states = np.zeros(len(x), dtype=np.int64) if state is None else state.copy()
        s, m = np.full_like(x, NO_ACTION), np.full_like(x, NO_ACTION)
        _walk(x, self.following, self.write, self.motion, states, s, m)
        return s, m, states


@njit(cache=True)
def _walk(x, following, write, motion, states, s, m):  # type: ignore[no-untyped-def]
    """Fill in the actions (n, T) and the states (n,) after them; a lost run has no actions any more."""
    for i in range(x.shape[0]):
        for t in range(x.shape[1]):
            if states[i] == LOST:
                break
            read = x[i, t]
            s[i, t] = write[states[i], read]
            m[i, t] = motion[states[i], read]
            states[i] = following[states[i], read]


def train(assignment: Assignment) -> Trained:
    return _train(assignment, "rpni")


def train_by_evidence(assignment: Assignment) -> Trained:
    return _train(assignment, "edsm")


def _train(assignment: Assignment, way: Literal["rpni", "edsm"]) -> Trained:
    traces = assignment.plan.traces()
    began = time.monotonic()
    machine = merge_states(traces, way)
    return Trained(
        subject=ReadingUnit(machine, assignment.agent, way),
        samples=len(traces),
        parameters=machine.rules,
        iterations=0,
        seconds=time.monotonic() - began,
        loss=None,
        settings={"states": len(machine.following), "rules": machine.rules},
    )


def merge_states(traces: TraceSet, way: Literal["rpni", "edsm"] = "rpni") -> MachineReader:
    """The machine that RPNI or EDSM makes of the traces."""
    if way == "rpni":
        learnt = run_RPNI(_prefixes(traces), "mealy", print_info=False)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that holes are left is known, see above
            learnt = run_EDSM(_prefixes(traces), "mealy", print_info=False)
    assert learnt is not None
    states = [learnt.initial_state, *(q for q in learnt.states if q is not learnt.initial_state)]
    number = {id(state): i for i, state in enumerate(states)}
    shape = (len(states), len(traces.alphabet))
    following = np.full(shape, LOST, dtype=np.int64)
    write, motion = (np.full(shape, NO_ACTION, dtype=np.uint8) for _ in range(2))
    for state in states:
        for symbol, target in state.transitions.items():
            at = number[id(state)], symbol
            following[at] = number[id(target)]
            write[at], motion[at] = state.output_fun[symbol]
    return MachineReader(following, write, motion)


def _prefixes(traces: TraceSet) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """Every history of every trace, once, with the action that followed."""
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    for i in range(len(traces)):
        trace = traces[i]
        x = tuple(trace.x.tolist())
        actions = zip(trace.s.tolist(), trace.m.tolist(), strict=True)
        for t, action in enumerate(actions):
            if known.setdefault(x[: t + 1], action) != action:
                raise DfstError(f"the traces of {traces.subject} contradict each other at step {t:,}")
    return list(known.items())
