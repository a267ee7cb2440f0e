"""Learn a task in two stages: from the short traces of its training set, then, going on, from all of them.

    python tools/short_first.py maze RUN [--seeds 4] [--data-seed 0] [--short 1000] [--device cpu]

Long traces make the first steps of a training unstable. The recipe is the usual one for the first stage; the
second has a quarter of its learning rate, half as many steps and no weight decay. Makes RUN/short, RUN/all.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from dfst.learning import learn
from dfst.problems import find_problem
from dfst.train.progress import Narrator
from dfst.train.recipe import QUICK


class Aloud(Narrator):
    """Prints what happens."""

    def stage(self, text: str) -> None:
        print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--data-seed", type=int, default=0)
    parser.add_argument("--short", type=int, default=1_000)
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()
    problem = find_problem(given.task, data_seed=given.data_seed)
    traces = problem.training_set().traces
    few = [traces.inputs[i] for i in np.flatnonzero(traces.lengths <= given.short)]
    print(f"{len(few):,} of {len(traces):,} traces have at most {given.short:,} steps", flush=True)
    recipe, told = replace(QUICK, seeds=given.seeds), Aloud()
    short = problem.with_settings(inputs=tuple(few))
    first = learn(short, recipe, given.out / "short", given.device, narrator=told)
    start = np.stack([outcome.raw.flat() for outcome in first.outcomes])
    rate, steps = first.recipe.learning_rate / 4, first.recipe.steps // 2
    later = replace(first.recipe, learning_rate=rate, steps=steps, weight_decay=0.0)
    every = problem.with_settings(inputs=traces.inputs)
    learnt = learn(every, later, given.out / "all", given.device, narrator=told, every_seed=True, start=start)
    for outcome in learnt.outcomes:
        print(f"{outcome.sentence()}: {outcome.strength}")
    print(learnt.folder)


if __name__ == "__main__":
    main()
