"""Time to exact: our recipe from nothing to a proved model, beside the paper's schedule on the same machine.

Ours is run to its end: sampling, training, polish, choice, proof, and an evaluation at a hundred digits. The
paper's schedule would take hours, so some of its steps are timed and the rest computed; that is its training
alone, whether or not its model becomes exact.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from dfst.agents import expert
from dfst.bench.turns import Row
from dfst.learning.engines import make_engine
from dfst.learning.learn import learn
from dfst.learning.plan import Plan, make_plan
from dfst.learning.state import initial_state

DIGITS = 100
SECONDS = 5.0
"""How long steps of the paper's schedule are timed, at least."""


def row(task: str, steps: int, ours: float, strength: str, paper_steps: int, paper: float) -> Row:
    """Ours: seconds from nothing to the last word about the model; the paper's: those it would train."""
    return {
        "task": task,
        "our steps": steps,
        "ours": ours,
        "strength": strength,
        "paper's steps": paper_steps,
        "paper's training": paper,
        "ratio": paper / ours,
        "passes": strength == "proved",
    }


def measure(task: str) -> Row:
    """Learn a task, and time steps of the paper's schedule for it."""
    quick, paper = (make_plan(expert(task), preset) for preset in ("quick", "paper"))
    with tempfile.TemporaryDirectory() as place:
        learnt = learn(quick, Path(place) / "run", "cpu", (DIGITS,))
    steps, paper_steps = quick.recipe.iterations, paper.recipe.iterations
    seconds = _seconds_a_step(paper) * paper_steps
    return row(task, steps, learnt.seconds, learnt.strength, paper_steps, seconds)


def _seconds_a_step(plan: Plan) -> float:
    """Of one seed, after a first call that compiles."""
    traces = plan.traces()
    state = initial_state(plan.shape(traces), plan.seeds, plan.recipe.dtype)
    engine = make_engine("cpu", state.shape, traces, plan.recipe)
    engine.advance(state, 10)
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        engine.advance(state, 50)
        steps += 50
    return (time.perf_counter() - began) / steps
