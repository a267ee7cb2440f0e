"""Why a model that fits its traces fails on long inputs: how errors grow on a walk, and from pass to pass.

    python tools/stability.py MODEL… [--digits 3 300]      MODEL: a subject, a weights file or a run folder

On 0…0 and 0…0: the largest ‖A[x]^n‖ over the symbols x that are walked over, n = 64 and 512, which stays put
where walks settle and grows with n where a state drifts; and what errors are multiplied by in one pass, from
one visit of a state to the next: the largest eigenvalue of the product of its matrices, but for the 1 of the
run itself. Then what errors are multiplied by in one round of a walk over one symbol, and over three in turn:
the largest eigenvalue of A[x], and of A[z] A[y] A[x] for any three that the traces show in a row. Last, the
same for what the traces show three times in a row, up to six symbols long, with the name of the worst: these
are the rounds that a long input repeats.
Of a run folder with every seed, the median and the largest.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.agents.registry import expert
from dfst.api import load
from dfst.errors import InputError
from dfst.model.growth import fastest_growth
from dfst.model.weights import Weights
from dfst.traces.rounds import rounds
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.traces.traceset import TraceSet
from dfst.traces.windows import windows

WALKS = (64, 512)


@cache
def traces_of(task: str) -> TraceSet:
    """The task's training set."""
    return sample_traces(expert(task), PAPER_SAMPLING[task])


def run_over_zeros(task: str, digits: int) -> tuple[NDArray[Any], list[int]]:
    """What the expert reads on 0…0 and 0…0, and when it is in the rarest state that recurs."""
    agent = expert(task)
    trace = agent.trace(agent.task.operator.join(["0" * digits] * 2))  # type: ignore[union-attr]
    state, states = 0, []
    for symbol in trace.x:
        states.append(state)
        state = int(agent.next[state, symbol])
    rarest = min((count, which) for which, count in Counter(states).items() if count > 2)[1]
    return trace.x, [step for step, which in enumerate(states) if which == rarest]


def walk_growth(weights: Weights, length: int) -> float:
    """The largest norm of A[x]^length, x being read three times in a row on three digits."""
    x, _ = run_over_zeros(weights.task.name, 3)  # type: ignore[union-attr]
    walked = np.unique(x[2:][(x[2:] == x[1:-1]) & (x[1:-1] == x[:-2])])
    powers = (np.linalg.matrix_power(matrix, length) for matrix in weights.A[walked].astype(np.float64))
    return max(float(np.linalg.norm(power, 2)) for power in powers)


def pass_growth(weights: Weights, digits: int) -> float:
    """The largest eigenvalue of a pass in the middle of the run, but for the one nearest to 1."""
    x, at = run_over_zeros(weights.task.name, digits)  # type: ignore[union-attr]
    middle = len(at) // 2
    product = np.eye(weights.A.shape[-1])
    for symbol in x[at[middle - 1] : at[middle]]:
        product = weights.A[symbol].astype(np.float64) @ product
    sizes = np.abs(np.linalg.eigvals(product))
    return float(np.delete(sizes, np.argmin(np.abs(sizes - 1))).max())


def round_growth(weights: Weights, symbols: int) -> float:
    """The largest eigenvalue of a walk over so many symbols that the task's traces show in a row."""
    task, A = weights.task.name, weights.A.astype(np.float64)  # type: ignore[union-attr]
    walks = windows(traces_of(task), symbols)
    rounds = A[walks[:, 0]]
    for l in range(1, symbols):
        rounds = A[walks[:, l]] @ rounds
    return float(np.abs(np.linalg.eigvals(rounds)).max())


def models(name: str) -> list[Weights]:
    """One, or every seed that a run folder holds."""
    seeds = sorted(Path(name).glob("seed-*.safetensors")) if Path(name).is_dir() else []
    found = [load(each) for each in (seeds or [name])]
    right = [each for each in found if isinstance(each, Weights) and each.task]
    right = [each for each in right if each.task.name in PAPER_SAMPLING]  # type: ignore[union-attr]
    if len(right) < len(found):
        raise InputError(f"expected a learnt model of a task of the paper, found {name}; try add10")
    return right


def _said(values: list[float], digits: int = 2) -> str:
    largest = f" (largest {max(values):.{digits}g})" if len(values) > 1 else ""
    return f"{np.median(values):.{digits}g}{largest}"


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="+")
    parser.add_argument("--digits", type=int, nargs="+", default=[3, 300])
    arguments = parser.parse_args()
    for name in arguments.model:
        try:
            found = models(name)
        except InputError as error:
            parser.exit(2, f"{parser.prog}: {error}\n")
        print(f"{name}: {len(found)} model{'s' * (len(found) > 1)}")
        for length in WALKS:
            print(f"  a walk of {length} cells: {_said([walk_growth(each, length) for each in found])}")
        for digits in arguments.digits:
            print(f"  a pass at {digits} digits: {_said([pass_growth(each, digits) for each in found])}")
        for symbols, said in ((1, "one symbol"), (3, "three symbols in turn")):
            growths = [round_growth(each, symbols) for each in found]
            print(f"  a round over {said}: {_said(growths, 4)}")
        seen = rounds(traces_of(found[0].task.name))  # type: ignore[union-attr]
        loops = [growth for growth in (fastest_growth(each, seen) for each in found) if growth]
        worst = max(loops, key=lambda growth: growth.rate)
        said = f"a round shown three times in a row, {worst.symbols} the worst"
        print(f"  {said}: {_said([1 + growth.rate for growth in loops], 4)}")


if __name__ == "__main__":
    main()
