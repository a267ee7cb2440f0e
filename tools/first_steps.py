"""Whether a recipe survives its first steps: the loss of each seed, and how far the matrices may stretch.

    python tools/first_steps.py TASK [--steps 12] [--preset paper] [--seeds 4]
        [--learning-rate R] [--gradient-clip C]

All matrices start as the identity, and Adam's second step moves all their numbers the same way. A trace of T
steps multiplies as many of them, so what counts is the largest norm of a matrix to the power of the longest
trace: the last column. Once the square of a gradient is beyond float32, the seed has diverged.
"""

from __future__ import annotations

import argparse

import numpy as np

from dfst.experts.registry import expert
from dfst.train.engine_cpu import CpuEngine
from dfst.train.settings import configure
from dfst.train.state import initial_state


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task")
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--steps", type=int, default=12)
    for name, kind in (("learning-rate", float), ("gradient-clip", float), ("seeds", int)):
        parser.add_argument(f"--{name}", type=kind)
    asked = parser.parse_args()
    plan = configure(
        expert(asked.task),
        asked.preset,
        learning_rate=asked.learning_rate,
        gradient_clip=asked.gradient_clip,
        seeds=asked.seeds or 4,
    )
    traces = plan.problem.training_set().traces
    shape, longest = plan.shape(traces), int(traces.lengths.max())
    state = initial_state(shape, plan.recipe.seed_numbers, plan.recipe.dtype)
    engine = CpuEngine(shape, traces, plan.recipe)
    print(
        f"{asked.task}, hidden size {shape.d}, "
        f"learning rate {plan.recipe.learning_rate}, traces of up to {longest} steps"
    )
    for step in range(1, asked.steps + 1):
        engine.advance(state, 1)
        A = shape.split(state.theta)[0]
        norm = float(np.linalg.norm(A, 2, axis=(-2, -1)).max())
        losses = " ".join(f"{loss:8.2g}" for loss in engine.latest)
        power = f"to the power of {longest}: {norm**longest:.0e}"
        print(f"step {step:3}   loss {losses}   norm {norm:.4f}   {power}")
        if not state.alive.any():
            print("all seeds have diverged")
            break


if __name__ == "__main__":
    main()
