"""The likeliest machine where some recorded actions are wrong: few rules that explain most steps.

How likely a machine makes the recorded steps is a sum over its rules: a rule chooses one action, each step
taken by it was recorded right or, at the rate of errors, as any other action, and the rule costs the choice
of the state that follows. A machine is made likelier by changes of one rule, which leads to another state or
to a copy of its own, or of all rules that lead to one state. The traces are followed again only from where
they take a changed rule to where they are back on their old way.

Compiled code is loops over numbers: numpy's functions in it take three times as long to compile.

Legend: n states, Σ symbols, A actions (symbol and motion), T steps.
"""

from dataclasses import replace

import numpy as np
from numba import njit

from dfst.compiling import inner
from dfst.machines.agent import HALT, MISSING
from dfst.states.graph import StateGraph
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S
from dfst.world.trace import UNKNOWN

ERRORS = 0.05  # the share of wrong actions, before any is found
ROUNDS = 20  # times that every change is tried, at most
MOST = 10_000_000_000  # steps that are looked at, before the machine is taken as it is: a minute or so


def likelier(graph: StateGraph, recorded: TraceSet, most: int) -> StateGraph:
    """The graph with its rules changed as long as that makes it likelier, of at most `most` states or as many
    as it has. Its actions are all unknown; `settled` says them."""
    symbols, motions = len(recorded.alphabet), len(recorded.motions)
    begins = np.zeros(recorded.tokens + 1, dtype=bool)
    begins[recorded.start] = True
    action = recorded.s.astype(np.int64) * motions + recorded.m
    action[~recorded.known | ((recorded.m == S) & ~begins[1:])] = -1  # who goes on has not halted
    voting = action >= 0
    prior = np.full((symbols, symbols * motions), 1 / (symbols * motions))
    np.add.at(prior, (recorded.x[voting], action[voting]), 1)
    prior = np.log(prior / prior.sum(1, keepdims=True))
    lost = max(most, len(graph))
    following = np.full((lost + 1, symbols), lost)
    following[: len(graph)] = np.where(graph.next >= 0, graph.next, lost)
    path, wrong = np.full(recorded.tokens, -1), ERRORS * voting.sum()
    for _ in range(2):  # with a share of errors that is guessed, then with the one that was found
        errors = min(max(float(wrong), 0.5) / max(int(voting.sum()), 1), 0.3)
        costs = np.array([np.log(1 - errors), np.log(errors / prior.shape[1]), np.log(len(graph) + 1)])
        wrong = _climb(following, recorded.x, action, begins, prior, costs, path)
    reached = np.unique(np.concatenate([[0], path[path < lost]]))
    number = np.full(lost + 1, MISSING)
    number[reached] = np.arange(len(reached))
    led, last = np.full(following.shape, MISSING), begins[1:]
    halts = recorded.m[last] == S
    if halts.sum() * 2 > (recorded.known[last]).sum():  # most end by halting: so do all
        halts[:] = True
    led[path[last][halts], recorded.x[last][halts]] = HALT
    led[path[~last], recorded.x[~last]] = number[following[path[~last], recorded.x[~last]]]
    hidden = np.zeros((lost + 1, graph.hidden.shape[1]))
    hidden[: len(graph)] = graph.hidden
    led = led[reached].astype(np.int32)
    motion = np.where(led >= 0, UNKNOWN, S).astype(np.uint8)
    return replace(graph, hidden=hidden[reached], write=np.zeros_like(motion), motion=motion, next=led)


@njit(cache=True)
def _climb(following, x, action, begins, prior, costs, path):
    """Change `following` and `path` in place; how many steps the rules hold for wrong.

    The last row of `following` is where all is lost; `path` says in which row each step is taken.
    """
    room, symbols = following.shape
    rules = (room - 1) * symbols
    votes = np.zeros((room, symbols, prior.shape[1]), np.int32)
    uses, visits = np.zeros((room, symbols), np.int64), np.zeros(room, np.int64)
    worth, way, spans = np.zeros((room, symbols)), np.empty_like(path), np.empty((len(x) + 1, 2), np.int64)
    table = following, votes, uses, visits, worth
    steps = x, action, begins, prior, costs, path, way, spans
    path[:] = -1
    every, of_symbol, first = np.arange(len(x)), np.empty(len(x), np.int64), np.zeros(symbols + 1, np.int64)
    for t in every:
        first[x[t] + 1] += 1
    for k in range(symbols):
        first[k + 1] += first[k]
    filled = first.copy()
    for t in every:  # the steps that read a symbol, in order
        of_symbol[filled[x[t]]] = t
        filled[x[t]] += 1
    _try(*table, *steps, every, -np.inf)
    saved, missing = np.empty_like(following), np.empty(rules, np.bool_)
    improved, rounds, seen = True, 0, 0
    while improved and rounds < ROUNDS and seen < MOST:
        improved = False
        rounds += 1
        for rule in range(rules):
            missing[rule] = following[rule // symbols, rule % symbols] == room - 1
        for turn in range(2 * rules):  # first what leads nowhere
            if turn < rules and not missing[turn]:
                continue
            q, k = turn % rules // symbols, turn % symbols
            copied = False
            for target in range(room - 1):
                old = following[q, k]
                if uses[q, k] == 0 or target == old or (visits[target] == 0 and (copied or old == room - 1)):
                    continue
                seen += first[k + 1] - first[k]
                if seen > MOST:
                    break
                if visits[target] == 0:  # the first free row becomes a copy
                    copied = True
                    for j in range(symbols):
                        following[target, j] = following[old, j]
                following[q, k] = target
                if _try(*table, *steps, of_symbol[first[k] : first[k + 1]], 1e-6):
                    improved = True
                else:
                    following[q, k] = old
        for a in range(room - 1):
            for b in range(1, room - 1):
                if a == b or visits[a] == 0 or visits[b] == 0 or seen > MOST:
                    continue
                seen += len(x)
                _copy(following, saved)
                for q in range(room - 1):
                    for k in range(symbols):
                        if following[q, k] == b:
                            following[q, k] = a
                for k in range(symbols):
                    if uses[a, k] == 0:
                        following[a, k] = a if following[b, k] == b else following[b, k]
                if _try(*table, *steps, every, 1e-6):
                    improved = True
                else:
                    _copy(saved, following)
    wrong = 0
    for q in range(room - 1):
        for k in range(symbols):
            most = 0
            for a in range(votes.shape[2]):
                wrong += votes[q, k, a]
                most = max(most, votes[q, k, a])
            wrong -= most
    return wrong


@njit(cache=True)
def _try(
    following, votes, uses, visits, worth, x, action, begins, prior, costs, path, way, spans, after, least
):
    """Follow the changed rules, if that makes the machine likelier by `least`; or change nothing.

    after: the steps that may have taken a changed rule, in order
    """
    touched = np.zeros(worth.shape, np.bool_)
    spanned = reached = 0
    if path[0] < 0:  # nothing was followed yet
        for t in range(len(x)):
            way[t] = 0 if begins[t] else following[way[t - 1], x[t - 1]]
        spans[0, 0], spans[0, 1], spanned, reached = 0, len(x), 1, len(x)
    for before in after:
        t = before + 1
        if t < reached or begins[t]:
            continue
        q = following[path[before], x[before]]
        if q == path[t]:
            continue
        spans[spanned, 0] = t
        while True:
            way[t] = q
            t += 1
            if begins[t]:
                break
            q = following[q, x[t - 1]]
            if q == path[t]:
                break
        spans[spanned, 1] = t
        spanned += 1
        reached = t + 1  # on the old way, but not by the old rule
    one, table = np.int64(1), (votes, uses, visits, x, action, begins, touched)
    _cast(spans, spanned, path, -one, *table)
    _cast(spans, spanned, way, one, *table)
    gain, now, (room, symbols) = 0.0, worth.copy(), worth.shape
    for q in range(room):
        for k in range(symbols):
            if touched[q, k]:
                now[q, k] = _worth(votes[q, k], uses[q, k] > 0, prior[k], costs, q == room - 1)
                gain += now[q, k] - worth[q, k]
    if gain > least:
        _copy(now, worth)
        for n in range(spanned):
            for t in range(spans[n, 0], spans[n, 1]):
                path[t] = way[t]
        return True
    _cast(spans, spanned, way, -one, *table)
    _cast(spans, spanned, path, one, *table)
    return False


@inner
def _copy(one, other):
    for i in range(one.shape[0]):
        for j in range(one.shape[1]):
            other[i, j] = one[i, j]


@inner
def _cast(spans, spanned, path, sign, votes, uses, visits, x, action, begins, touched):
    """Count the steps of these spans in, or out."""
    for n in range(spanned):
        for t in range(spans[n, 0], spans[n, 1]):
            q, k = path[t], x[t]
            if q < 0:
                continue
            touched[q, k] = True
            visits[q] += sign
            uses[q, k] += 0 if begins[t + 1] else sign
            if action[t] >= 0:
                votes[q, k, action[t]] += sign


@inner
def _worth(votes, used, prior, costs, lost):
    """The logarithm of how likely the steps of one rule are, and the rule itself."""
    right, wrong, choice = costs[0], costs[1], costs[2]
    total, top, background = 0, -np.inf, 0.0
    for a in range(len(votes)):
        if votes[a]:
            total += votes[a]
            background += votes[a] * prior[a]
            top = max(top, prior[a] + votes[a] * (right - wrong))
    if lost:
        return background
    return (top + total * wrong if total else 0.0) - (choice if used else 0.0)
