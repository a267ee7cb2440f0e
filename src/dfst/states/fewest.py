"""The fewest states that explain a table or a set of traces, between two bounds.

Finding the smallest machine is NP-hard, so two numbers are given: a machine found by greedy merging, and a
set of states no two of which any machine can take for one, since somewhere ahead of them the same symbols
are answered in two ways. Traces alone name no states; each history is one, a node of the prefix tree.

Legend: n states or nodes, Σ symbols.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.machines.agent import MISSING, Agent
from dfst.states.follow import CONTRADICTED, walk
from dfst.states.graph import agent_like
from dfst.states.merging import Merging, Table, actions, merge_by, quotient, witnesses
from dfst.traces.recording import Recording
from dfst.traces.replay import replay, rule_coverage, states_along
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S

MOST_STATES = 5_000  # states of a table whose pairs are all looked at
STARTS = 200  # states from which a set of mutually incompatible ones is grown
FIRST_TRACES, MORE = 64, 8  # traces from which the first machine is made; so many times more where that fails
WITNESSES = 300  # nodes of the prefix tree among which incompatible ones are sought
MOST_TRIALS = 300_000  # pairs tried on one prefix tree before it is given up


def fewest_states(machine: Agent) -> tuple[int, int]:
    """(lower, upper) bounds of the fewest states that take every run this machine can."""
    machine = merge_by(machine, range(len(machine.states)))
    n = len(machine.states)
    if n > MOST_STATES:
        raise InputError(
            f"{machine.name}: the fewest states are sought for at most {MOST_STATES:,} states, found {n:,}"
        )
    apart = incompatible(machine)
    core = clique(apart)
    upper = n
    for order in (range(n), np.argsort(-apart.sum(1), kind="stable"), [*core, *range(n)]):
        merging = Merging(machine)
        kept: list[int] = []
        for state in order:
            if not any(merging.try_merge(old, int(state)) for old in kept):
                kept.append(int(state))
        upper = min(upper, len(kept))
    return len(core), upper


def fewest_states_of_traces(traces: TraceSet, agent: Agent | None = None) -> tuple[int, int | None]:
    """(lower, upper) bounds of the fewest states that do what the traces show.

    With the agent that made them, states are merged from its own, with those rules that the traces show.
    Without it the bounds are wide, and there is no upper one where merging would take too long.
    """
    if agent is None:
        return _fewest_of_tree(traces)
    shown = rule_coverage(agent, traces).uses > 0
    return fewest_states(replace(agent, next=np.where(shown, agent.next, MISSING).astype(np.int32)))


def smallest_machine(recording: Recording) -> Agent | None:
    """The smallest machine that was found to do what the recorded traces show, with no other rules.

    Its states are numbered as the traces come to them; None where merging would take too long.
    """
    explained = [_explain(recording.traces, all_branches) for all_branches in (False, True)]
    tables = [table for _, _, table in explained if table is not None]
    if not tables:
        return None
    smallest = min(tables, key=lambda table: len(table[0]))
    names = [str(q + 1) for q in range(len(smallest[0]))]
    return agent_like(recording, recording.name, names, *smallest)


def incompatible(table: Table) -> NDArray[np.bool_]:
    """(n, n) which states act differently, at once or after the same symbols."""
    apart = witnesses(actions(table))[1]
    before = -1
    while before != (before := int(apart.sum())):
        for following in table.next.T:
            going = np.flatnonzero(following >= 0)
            apart[np.ix_(going, going)] |= apart[np.ix_(following[going], following[going])]
    return apart


def clique(apart: NDArray[np.bool_]) -> list[int]:
    """A large set of states all apart: from each of some, always on to the one that leaves most to choose."""
    best: list[int] = []
    degree = apart.sum(1)
    for first in np.argsort(-degree, kind="stable")[:STARTS].tolist():
        found, left, leaves = [first], apart[first], degree - apart[:, ~apart[first]].sum(1)
        while left.any():
            found.append(int(np.where(left, leaves, -1).argmax()))
            lost = left & ~apart[found[-1]]
            left, leaves = left & apart[found[-1]], leaves - apart[:, lost].sum(1)
        best = max(best, found, key=len)
    return best


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """One state for each history that the traces show; a table as an agent's, of nodes."""

    write: NDArray[np.uint8]
    motion: NDArray[np.uint8]
    next: NDArray[np.int32]
    visits: NDArray[np.int64]  # (n,) how many traces pass through each node


def prefix_tree(traces: TraceSet) -> PrefixTree:
    """The tree of all histories; traces that contradict each other are refused."""
    shape = (traces.tokens + 1, len(traces.alphabet))
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following, at = np.full(shape, MISSING, dtype=np.int32), np.array([0, 0, 0, 1])
    if walk(traces.x, traces.s, traces.m, traces.start, write, motion, following, at) == CONTRADICTED:
        raise InputError(
            f"the traces of {traces.subject} contradict each other: "
            "the same symbols were answered in two ways; no machine explains them"
        )
    n, nodes = int(at[3]), states_along(following, traces)
    led = following[nodes, traces.x][nodes >= 0]
    visits = np.bincount(led[led >= 0], minlength=n)
    visits[0] += len(traces)
    return PrefixTree(write[:n], motion[:n], following[:n], visits)


def merge_tree(tree: PrefixTree, all_branches: bool, least: int = 0) -> tuple[Merging | None, list[int]]:
    """The tree merged from the root outwards, and a node of each state; no merging where it takes too long.

    Known states are those that contradict all others. Of the branches that leave them, one that contradicts
    every known state is the next; if there is none, the branch and the known state that agree most often are
    taken for one. To look at the most travelled branch alone in place of all is quicker and not always worse.
    least: in how many rules they must agree, or the branch is a known state
    """
    merging, known = Merging(tree), [0]
    contradict: set[tuple[int, int]] = set()
    trials = 0
    while True:
        roots = np.array([merging.root(q) for q in known])
        branches = np.setdiff1d(merging.followers(roots), roots)
        if not branches.size:
            return merging, known
        travelled = np.bincount(merging.roots, tree.visits, minlength=len(tree.visits))[branches]
        branches = branches[np.argsort(-travelled, kind="stable")]
        best, pair = -1, (0, 0)
        for branch in branches.tolist() if all_branches else [int(branches[0])]:
            candidates = [q for q in known if (q, branch) not in contradict]
            evidence = [merging.evidence(q, branch) for q in candidates]
            trials += len(candidates)
            contradict.update((q, branch) for q, e in zip(candidates, evidence, strict=True) if e < 0)
            greatest = max(evidence, default=-1)
            if greatest < least:
                known.append(branch)
                break
            if greatest > best:
                best, pair = greatest, (candidates[evidence.index(greatest)], branch)
        else:
            merging.try_merge(*pair)
        if trials > MOST_TRIALS:
            return None, known


def _fewest_of_tree(traces: TraceSet) -> tuple[int, int | None]:
    lower, found = 1, []
    for all_branches in (False, True):
        tree, known, table = _explain(traces, all_branches)
        busy = np.argsort(-tree.visits, kind="stable")[:WITNESSES]
        nodes = np.union1d(known, busy)[: 2 * WITNESSES].astype(int).tolist()
        lower = max(lower, len(clique(apart_in_tree(tree, nodes))))
        found += [len(known)] if table else []
    return lower, min(found, default=None)


def _explain(
    traces: TraceSet, all_branches: bool
) -> tuple[PrefixTree, list[int], tuple[Any, Any, Any] | None]:
    """The last tree that was merged, a node of each state, and the table that explains all traces."""
    chosen = np.unique(np.linspace(0, len(traces) - 1, FIRST_TRACES).astype(np.int64))
    while True:
        tree = prefix_tree(traces.subset(chosen.tolist()))
        merging, known = merge_tree(tree, all_branches)
        if merging is None and len(chosen) == len(traces):
            return tree, known, None
        if merging is None:  # few traces let states be taken for one that are not, and then nothing fits
            chosen = np.unique(np.linspace(0, len(traces) - 1, MORE * len(chosen)).astype(np.int64))
            continue
        table = quotient(tree, np.unique(merging.roots, return_inverse=True)[1])
        unexplained = replay(*table, traces).leaves(traces)
        if not unexplained.size:
            return tree, known, table
        chosen = np.concatenate([chosen, unexplained[: len(chosen)]])


def apart_in_tree(tree: PrefixTree, nodes: list[int]) -> NDArray[np.bool_]:
    """(n, n) which of these nodes no machine takes for one."""
    merging, apart = Merging(tree), np.zeros((len(nodes), len(nodes)), dtype=bool)
    for i, one in enumerate(nodes):
        for j, two in enumerate(nodes[:i]):
            apart[i, j] = apart[j, i] = merging.evidence(one, two) < 0
    return apart
