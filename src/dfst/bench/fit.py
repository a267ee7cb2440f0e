"""What the hidden size that fits is worth: seeds that plain gradient descent makes exact, at four sizes.

No polish, no decay, nothing longer than the training set: Adam on the traces, and then every action of every
seed against the agent's, at ten times the digits of the training set, or, where there are no digits, on
inputs of up to four times the length.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from dfst.bench.turns import Row
from dfst.learning.engines import pick_device
from dfst.learning.fit import fit_hidden_size
from dfst.learning.learn import learn
from dfst.learning.plan import make_plan
from dfst.states.fewest import fewest_states_of_traces
from dfst.subjects import resolve_agent

SEEDS = 8
ITERATIONS = 10_000
RATE = 0.01
CLIP = 1.0
DIGITS = 30


def measure(name: str) -> Row:
    """Exact seeds with the size that fits, the fewest states, the agent's own, and half as many again."""
    agent, device = resolve_agent(name), pick_device("auto")
    traces = make_plan(agent).traces()
    lower, upper = fewest_states_of_traces(traces, agent)
    states = len(agent.states)
    fit = fit_hidden_size(traces, (lower, upper or states), device).size
    exact: dict[int, int] = {}
    for size in (fit, upper or states, states, -(-3 * states // 2)):
        if size not in exact:
            plan = make_plan(
                agent, "paper", hidden_size=size, seeds=SEEDS, iterations=ITERATIONS, rate=RATE, clip=CLIP
            )
            with tempfile.TemporaryDirectory() as place:
                learnt = learn(plan, Path(place) / "run", device, (DIGITS,), every_seed=True)
            exact[size] = sum(outcome.exact for outcome in learnt.outcomes)
    return row(name, fit, upper or states, states, exact)


def row(name: str, fit: int, fewest: int, states: int, exact: dict[int, int]) -> Row:
    """Each hidden size with the seeds of SEEDS that are exact there."""
    sizes = {"fit": fit, "explain the traces": fewest, "states": states, "1.5 × states": -(-3 * states // 2)}
    said = {heading: f"{size}: {exact[size]} of {SEEDS}" for heading, size in sizes.items()}
    return {"agent": name, **said, "passes": exact[fit] >= exact[states]}
