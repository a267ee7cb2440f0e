"""The compiled interpreter against the reference, step for step: state, cell and grid at many cuts."""

import numpy as np
import pytest
from random_agent import LINE, PLANE, PLANE_AND_STAY, random_agent

from dfst.errors import MissingRule
from dfst.experts import expert
from dfst.machines.compiled import CompiledWalk
from dfst.world.grid import Limits
from dfst.world.unit import ClosedLoop

KINDS = [
    # states, symbols, motions, missing, halting
    (1, 1, PLANE, 0.0, 0.0),
    (1, 2, LINE, 0.0, 0.0),
    (4, 2, LINE, 0.05, 0.05),
    (3, 3, PLANE_AND_STAY, 0.05, 0.05),
    (9, 4, PLANE, 0.02, 0.02),
    (12, 20, PLANE_AND_STAY, 0.02, 0.02),
    (2, 255, PLANE, 0.01, 0.0),
]


def states_on_the_way(agent, text, steps):
    """The state before each step of a readable run, and the outcome: a Run or the error's message."""
    loop, states = ClosedLoop(agent, text, Limits(steps=steps)), []
    try:
        while not loop.over:
            before = agent.at
            loop.advance()
            states.append(before)
    except MissingRule as error:
        return states, str(error)
    return states, loop.outcome()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_cut_shows_the_reference(kind):
    rng = np.random.default_rng(sum(kind[:2]))
    for _ in range(8 if kind[1] < 10 else 3 if kind[1] < 100 else 1):
        check_at_cuts(random_agent(rng, *kind), "", rng, steps=2000)


@pytest.mark.parametrize(
    ("name", "text"), [("add2", "10111+1101"), ("mult3", "2101*212"), ("sort4", "3120312")]
)
def test_experts_at_every_cut(name, text):
    check_at_cuts(expert(name), text, np.random.default_rng(0), steps=10**6)


def check_at_cuts(agent, text, rng, steps):
    """Advance in random strides."""
    states, whole = states_on_the_way(agent, text, steps)
    walker = CompiledWalk(agent, text, Limits(steps=steps))
    message = None
    while not walker.over and message is None:
        stride = int(rng.integers(1, 2 + len(states) // 4))
        before = walker.steps
        try:
            walker.interpret(stride)
        except MissingRule as error:
            message = str(error)
        else:
            assert walker.steps == min(before + stride, len(states))
        cut = ClosedLoop(agent, text, Limits(steps=walker.steps)).finish() if walker.steps else None
        if cut is not None:
            assert (walker.halted, walker.cell) == (cut.halted, cut.head)
            assert walker.grid.nonblank() == list(cut.world.nonblank())
        if walker.steps < len(states):
            assert walker.state == states[walker.steps]
    if message is not None:
        assert message == whole
    else:
        assert (walker.steps, walker.halted) == (whole.steps, whole.halted)
