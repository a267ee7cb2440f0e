"""The compiled run against the readable one, whole and cut anywhere: same steps, states, grid and errors."""

import numpy as np
import pytest
from evidence import slow
from random_agent import LINE, PLANE, PLANE_AND_STAY, random_agent
from visits import count_visited

from dfst.errors import MissingRule, OutOfCells
from dfst.experts import expert
from dfst.machines.compiled import CompiledWalk, record, run
from dfst.world.grid import Limits
from dfst.world.tiles import AREA
from dfst.world.unit import Action, ClosedLoop

KINDS = [
    # states, symbols, motions, missing, halting
    (1, 2, LINE, 0.0, 0.0),
    (5, 2, LINE, 0.05, 0.05),
    (3, 3, PLANE_AND_STAY, 0.05, 0.05),
    (20, 4, PLANE, 0.02, 0.02),
    (7, 11, PLANE_AND_STAY, 0.05, 0.02),
    (60, 255, PLANE_AND_STAY, 0.001, 0.001),
    (2, 1, PLANE, 0.0, 0.0),
]


def outcome(way, agent, text, limits):
    """What can be seen of a run, also of one that fails."""
    try:
        result = way(agent, text, limits)
    except MissingRule as error:
        return str(error)
    return result.steps, result.halted, result.head, result.cells, result.ended_in


def readably(agent, text, limits=Limits()):
    return ClosedLoop(agent, text, limits).finish()


def random_input(agent, rng):
    return " ".join(agent.alphabet[k] for k in rng.integers(0, len(agent.alphabet), rng.integers(2, 80)))


@pytest.mark.parametrize("machines", [8, *slow(50)])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_compiled_and_readable_loops_agree_on_random_machines(kind, machines):
    states, symbols, motions, missing, halting = kind
    rng = np.random.default_rng(states)
    for _ in range(machines):
        agent = random_agent(rng, states, symbols, motions, missing, halting)
        text = random_input(agent, rng) if symbols > 9 else ""
        limits = Limits(steps=int(rng.integers(1, 3000)))
        assert outcome(run, agent, text, limits) == outcome(readably, agent, text, limits)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_trace_is_what_a_watcher_saw(kind):
    states, symbols, motions, _, halting = kind
    rng = np.random.default_rng(states + 1)
    for _ in range(3):
        agent = random_agent(rng, states, symbols, motions, 0.0, halting)
        seen: list[Action] = []
        limits = Limits(steps=9000)
        ClosedLoop(agent, "", limits).finish(seen.append)
        trace = record(agent, "", limits)
        assert list(zip(trace.x, trace.s, trace.m, strict=True)) == [action[2:] for action in seen]


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
    for _ in range(4 if kind[1] < 10 else 1):
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


def test_a_missing_rule_names_state_symbol_cell_and_step():
    agent = random_agent(np.random.default_rng(0), 1, 2, missing=1.0)
    with pytest.raises(MissingRule, match=r"state 'q0' reading 'λ' \(cell x=0, y=0, step 0\)"):
        run(agent, "")


def straight_line(rng_seed=0):
    """A machine that walks one way for ever."""
    return random_agent(np.random.default_rng(rng_seed), 1, 1, motions=(3,))


def test_a_run_stops_at_its_limit_of_cells():
    limits = Limits(cells=10 * AREA)
    with pytest.raises(OutOfCells, match="10,240 cells"):
        run(straight_line(), "", limits)


@pytest.mark.parametrize("steps", [1, 31, 32, 33, 5000])
def test_a_run_stops_at_its_limit_of_steps(steps):
    done = run(straight_line(), "", Limits(steps=steps))
    assert (done.steps, done.halted, done.head) == (steps, False, (steps, 0))


def test_an_input_that_does_not_fit_is_refused_at_once():
    with pytest.raises(OutOfCells, match="2,048 cells by step 0"):
        run(expert("sort2"), "1" * 1000, Limits(cells=2 * AREA))


@pytest.mark.parametrize("kind", KINDS[:5], ids=str)
def test_visited_cells_are_those_a_watcher_saw(kind):
    rng = np.random.default_rng(7)
    for _ in range(5):
        agent = random_agent(rng, *kind[:3])
        seen = set()
        ClosedLoop(agent, "", Limits(steps=500)).finish(lambda action, seen=seen: seen.add(action.cell))
        assert count_visited(agent, "", Limits(steps=500)) == len(seen)
