"""What a model is still wrong about: how its loss is shared among rules, by how often the traces show them.

    python tools/loss_by_rule.py MODEL…

MODEL is a learnt model of a task of the paper, its weights file or its run folder.

On the task's own training set (data seed 0): the share of the rules that are shown so often, their share of
the steps, and of the squared error; then the rules with the largest shares. Of a run folder, the chosen seed.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from dfst.api import load
from dfst.errors import InputError
from dfst.experts.registry import expert
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.traces.replay import replayed_states
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.traces.traceset import TraceSet

BOUNDS = (1, 50, 200, 1_000, 5_000)
SHOWN = 8


def squared_errors(weights: Weights, traces: TraceSet) -> NDArray[np.float64]:
    """(tokens,) of what is written and how it moves, summed."""
    A, B, C = (each.astype(np.float64) for each in (weights.A, weights.B, weights.C))
    found = np.zeros(traces.tokens)
    h = np.tile(weights.h0.astype(np.float64), (len(traces), 1))
    for t in range(int(traces.lengths.max(initial=0))):
        alive = np.flatnonzero(traces.lengths > t)
        at = traces.start[alive] + t
        for x in np.unique(traces.x[at]):
            some = traces.x[at] == x
            rows, tokens = alive[some], at[some]
            for O, right in ((B, traces.s), (C, traces.m)):
                wrong = h[rows] @ O[x].T
                wrong[np.arange(len(rows)), right[tokens]] -= 1
                found[tokens] += (wrong * wrong).sum(axis=1)
            h[rows] = h[rows] @ A[x].T
    return found


def report(weights: Weights, agent: Agent, traces: TraceSet) -> list[str]:
    """The lines about one model."""
    error, symbols = squared_errors(weights, traces), len(agent.alphabet)
    if not error.any():
        return ["  no error in any step, as after a polish: nothing to share out"]
    rule = replayed_states(agent, traces).astype(np.int64) * symbols + traces.x
    shown = np.bincount(rule, minlength=agent.next.size)
    share = np.bincount(rule, weights=error, minlength=agent.next.size) / error.sum()
    lines = [f"  mean squared error of a step {error.mean():.1e}"]
    for low, high in zip(BOUNDS, (*BOUNDS[1:], np.inf), strict=True):
        some = (shown >= low) & (shown < high)
        upto = f"to {high - 1:,.0f}" if np.isfinite(high) else "and more"
        steps, loss = shown[some].sum() / len(rule), share[some].sum()
        lines.append(
            f"  {some.sum()} rules shown {low:,} {upto} times: {steps:.1%} of steps, {loss:.1%} of loss"
        )
    for which in np.argsort(-share)[:SHOWN]:
        state, symbol = divmod(int(which), symbols)
        name = f"({agent.states[state]}, {agent.alphabet[symbol]})"
        lines.append(f"  {name}: shown {shown[which]:,} times, {share[which]:.1%} of loss")
    return lines


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="+")
    for name in parser.parse_args().model:
        try:
            weights = load(name)
            if not (isinstance(weights, Weights) and weights.task and weights.task.name in PAPER_SAMPLING):
                raise InputError(
                    f"expected a learnt model of a task of the paper, found {name}; try mult2.descent"
                )
        except InputError as error:
            parser.exit(2, f"{parser.prog}: {error}\n")
        agent = expert(weights.task.name)
        print(f"{name}:", *report(weights, agent, sample_traces(agent, PAPER_SAMPLING[agent.name])), sep="\n")


if __name__ == "__main__":
    main()
