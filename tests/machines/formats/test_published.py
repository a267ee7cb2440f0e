"""Every published machine does what it is known for. Figures in `RECOMPUTED` were only recomputed."""

from itertools import pairwise

import pytest
from evidence import slow
from visits import count_visited

from dfst.errors import UnknownName
from dfst.machines.compiled import CompiledWalk, run
from dfst.machines.formats import format_machine, guess_format, parse_machine
from dfst.machines.formats.published import PUBLISHED, published
from dfst.world.grid import Limits
from dfst.world.unit import ClosedLoop

HALTING = [name for name, machine in PUBLISHED.items() if name != "langton"]
RECOMPUTED = {
    "plane3-steps": (32, 6),
    "plane3-cells": (19, 11),
    "plane4-cells": (748, 244),
    "turmite2": (121, 29),
}


@pytest.mark.parametrize("name", HALTING)
def test_steps_and_cells_are_the_published_ones(name):
    machine, found = PUBLISHED[name], published(name).run()
    steps, nonblank = RECOMPUTED.get(name, (machine.steps, machine.nonblank))
    assert found.halted
    assert found.steps == steps
    assert nonblank is None or found.nonblank == nonblank
    assert machine.steps in (None, found.steps)
    assert machine.nonblank in (None, found.nonblank)


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in HALTING if (PUBLISHED[name].steps or 0) < 50_000),
        *slow(*(name for name in HALTING if 50_000 <= (PUBLISHED[name].steps or 0) < 100_000)),
    ],
)
def test_the_readable_loop_agrees(name):
    agent = published(name)
    readable, fast = ClosedLoop(agent).finish(), run(agent, "")
    assert (readable.steps, readable.head, list(readable.world.nonblank())) == (
        fast.steps,
        fast.head,
        fast.world.nonblank(),
    )


@pytest.mark.parametrize("name", [n for n in HALTING if PUBLISHED[n].visited])
def test_cells_visited_are_the_published_ones(name):
    assert count_visited(published(name)) == PUBLISHED[name].visited


def black_cells(agent, steps):
    """How many cells are black after 0, 1, 2, … steps, by the readable simulator."""
    counts, black = [0], 0

    def see(action):
        nonlocal black
        black += (action.written != agent.blank) - (action.read != agent.blank)
        counts.append(black)

    ClosedLoop(agent, "", Limits(steps=steps)).finish(see)
    return counts


def test_langtons_ant_builds_its_highway():
    counts = black_cells(published("langton"), 12_000)
    assert counts[:11] == [0, 1, 2, 3, 4, 3, 4, 5, 6, 7, 6]
    assert counts[9977] == 715
    assert (counts[10_000], counts[11_000]) == (720, 834)
    assert all(counts[n + 104] == counts[n] + 12 for n in range(9977, 12_000 - 104))
    assert counts[9976 + 104] != counts[9976] + 12


def test_the_ant_is_on_its_highway_in_every_simulator():
    walker = CompiledWalk(published("langton"), limits=Limits(steps=20_000))
    black = []
    for stop in (9977, 10_000, 11_000, 20_000):
        walker.interpret(stop - walker.steps)
        black.append(len(list(walker.grid.nonblank())))
    assert black == [715, 720, 834, 1872]


def test_the_ant_goes_on_for_millions_of_steps():
    walker = CompiledWalk(published("langton"), limits=Limits(steps=10**8))
    black = []
    for _ in range(3):
        walker.interpret(104 * 10_000)
        black.append(len(list(walker.grid.nonblank())))
    assert [b - a for a, b in pairwise(black)] == [12 * 10_000] * 2


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_survives_its_own_format_and_json(name):
    agent = published(name)
    for format in (guess_format(PUBLISHED[name].text), "json"):
        back = parse_machine(format_machine(agent, format), format)
        assert back.same_table(agent)
    assert agent.source
    assert PUBLISHED[name].result


def test_relative_turmites_have_four_states_for_one():
    assert published("langton").states == ("0N", "0E", "0S", "0W")
    assert len(published("turmite3").states) == 12


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(UnknownName, match="did you mean langton"):
        published("langtons")
