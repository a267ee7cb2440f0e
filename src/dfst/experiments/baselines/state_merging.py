"""Passive state merging by evidence (EDSM), through AALpy: told the number of states, or not.

A grid agent seen from outside is a Mealy machine. EDSM builds the prefix tree of all traces and takes the
merge with most evidence first, as long as no trace contradicts it. It is deterministic, so all seeds agree. A
run that gets to a (state, symbol) pair that no trace shows has failed there.

A DFST is told the number of states, by its hidden size. `edsm-told` is told it as well: merges need more and
more agreeing rules, and of the machines that come out the one whose size is nearest to that number is kept.
"""

from __future__ import annotations

import time
import warnings
from itertools import product

import numpy as np
from aalpy.learning_algs import run_EDSM

from dfst.experiments.baselines.assignment import Assignment, Trained, trained_machine
from dfst.machines.agent import HALT, MISSING
from dfst.states.fewest import merge_tree, prefix_tree
from dfst.states.graph import StateTable
from dfst.states.merging import quotient
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S

LEAST_EVIDENCE = (0, 1, 2, 3, 5, 8, 13, 21)
"""Rules that must agree before two states are taken for one."""


def train(assignment: Assignment) -> Trained:
    began = time.monotonic()
    table = merge_by_evidence(assignment.traces)
    return trained_machine(table.agent("EDSM", assignment.agent), assignment, began)


def train_told(assignment: Assignment) -> Trained:
    """With the number of states, which is the hidden size of the plan's DFST."""
    began, wanted = time.monotonic(), assignment.plan.shape(assignment.traces).d
    tree = prefix_tree(assignment.traces)
    tables = [merge_by_evidence(assignment.traces)]
    for least, all_branches in product(LEAST_EVIDENCE, (False, True)):
        merging, _ = merge_tree(tree, all_branches, least)
        if merging is not None:
            label = np.unique(merging.roots, return_inverse=True)[1]
            tables.append(_table(*quotient(tree, label)))
    nearest = min(tables, key=lambda table: abs(len(table) - wanted))
    return trained_machine(nearest.agent("EDSM", assignment.agent), assignment, began)


def _table(write: np.ndarray, motion: np.ndarray, following: np.ndarray) -> StateTable:
    return StateTable(np.zeros((len(write), 0)), write, motion, following.astype(np.int32), 0.0)


def merge_by_evidence(traces: TraceSet) -> StateTable:
    """What EDSM makes of the traces; traces that contradict each other are refused."""
    tree = prefix_tree(traces)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that holes are left is known, see above
        learnt = run_EDSM(_prefixes(traces), "mealy", print_info=False)
    assert learnt is not None
    states = [learnt.initial_state, *(q for q in learnt.states if q is not learnt.initial_state)]
    number = {id(state): i for i, state in enumerate(states)}
    shape = (len(states), tree.next.shape[1])
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING)
    for state in states:
        for symbol, target in state.transitions.items():
            at = number[id(state)], symbol
            write[at], motion[at] = state.output_fun[symbol]
            following[at] = HALT if motion[at] == S else number[id(target)]
    return _table(write, motion, following)


def _prefixes(traces: TraceSet) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """Every history of every trace, once, with the action that followed."""
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    for i in range(len(traces)):
        x, s, m = (column.tolist() for column in (traces[i].x, traces[i].s, traces[i].m))
        known |= {tuple(x[: t + 1]): (s[t], m[t]) for t in range(len(x))}
    return list(known.items())
