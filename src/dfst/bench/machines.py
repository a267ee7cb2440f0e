"""How fast machines run here, measured now: the table interpreter beside a flat tape.

The flat tape is the plainest compiled simulator there is for one dimension, an array and a table. It is
here as a yardstick: what it does faster than the interpreter is what the unbounded, tiled plane costs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from dfst.bench.timing import Row, steps_a_second
from dfst.experts.registry import expert
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.compiled import run
from dfst.machines.formats.published import published
from dfst.machines.interpreter import HALTED, NO_RULE, RUNNING
from dfst.world.grid import D, Limits, U
from dfst.world.tiles import STRIDE

NEVER = 1 << 62
TAPE = 1 << 20


def row(machine: str, steps: int, interpreted: float, flat: float | None) -> Row:
    """Steps a second each way. The cost of the plane: how much longer a step takes on it; 0.3 is 30 %."""
    return {
        "machine": machine,
        "steps": steps,
        "interpreted": round(interpreted),
        "flat tape": None if flat is None else round(flat),
        "cost of the plane": None if flat is None else flat / interpreted - 1.0,
    }


INPUTS = {"add2": f"{'1' * 2000}+{'1' * 2000}", "mult10": f"{'7' * 1000}*{'8' * 1000}"}
"""Experts and what they are given; every other case is a published machine on the empty grid."""
MOST_STEPS = {"langton": 50_000_000}


def measure_case(name: str, repeats: int = 5) -> Row:
    """Time an expert or a published machine by its name."""
    agent = expert(name) if name in INPUTS else published(name)
    return measure(agent, INPUTS.get(name, ""), MOST_STEPS.get(name, NEVER), repeats)


def measure(agent: Agent, text: str, most_steps: int, repeats: int = 5) -> Row:
    """Time one machine each way."""
    limits = Limits(steps=most_steps)
    ways: list[Callable[[], int]] = [lambda: run(agent, text, limits).steps]
    if _is_on_a_tape(agent):
        ways.append(lambda: run_on_flat_tape(agent, text, most_steps))
    steps = [way() for way in ways]
    if len(set(steps)) != 1:
        raise AssertionError(f"{agent.name}: the ways of running it disagree, {steps} steps")
    interpreted, *flat = steps_a_second(ways, repeats)
    return row(agent.name, steps[0], interpreted, flat[0] if flat else None)


def _is_on_a_tape(agent: Agent) -> bool:
    return not np.isin(agent.motion[agent.next != MISSING], (U, D)).any()


def run_on_flat_tape(agent: Agent, text: str, most_steps: int) -> int:
    """Run a 1-D machine that stays within half a million cells of its start; the steps it took."""
    symbols, start = agent.encode(text)
    tape = np.full(TAPE, agent.blank, dtype=np.uint8)
    origin = TAPE // 2 - start
    tape[origin : origin + len(symbols)] = symbols
    following = np.where(agent.next >= 0, agent.next.astype(np.int64) * len(agent.alphabet), agent.next)
    rules = (following << 10) | ((STRIDE[agent.motion] + 1) << 8) | agent.write
    steps, status = _walk_flat_tape(tape, rules.ravel(), TAPE // 2, most_steps)
    if status == NO_RULE:
        raise AssertionError(f"{agent.name} left the tape or met a missing rule at step {steps}")
    return int(steps)


@njit(cache=True, nogil=True)
def _walk_flat_tape(tape, rules, position, most_steps):
    first_rule = np.uint64(0)
    last = tape.shape[0] - 1
    steps = 0
    while steps < most_steps:
        rule = rules[first_rule + np.uint64(tape[np.uint64(position)])]
        following = rule >> 10
        target = position + ((rule >> 8) & 3) - 1
        if following == MISSING or target == 0 or target == last:
            return steps, NO_RULE
        tape[np.uint64(position)] = rule & 255
        position = target
        steps += 1
        if following == HALT:
            return steps, HALTED
        first_rule = np.uint64(following)
    return steps, RUNNING
