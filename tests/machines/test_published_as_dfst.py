"""Every published machine as an exact DFST: the same steps and cells, with no table left anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from evidence import slow

from dfst.machines.formats.published import PUBLISHED, published
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.world.grid import Limits

ANT = 20_000
"""The one machine that never halts is followed until it has been on its highway for long."""


LONG = "bb5", "bb3x3"


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, np.float32) for name in PUBLISHED),
        *((name, np.float64) for name in PUBLISHED if name not in LONG),
        *slow(*((name, np.float64) for name in LONG)),
    ],
)
def test_a_compiled_machine_does_what_the_machine_is_known_for(name, dtype):
    agent, machine = published(name), PUBLISHED[name]
    limits = Limits(steps=ANT) if name == "langton" else Limits()
    expected = agent.run("", limits)
    run = Rollout(compile_agent(agent, dtype=dtype)).run("", limits, against=agent)
    assert run.difference is None
    assert run.margin == 1.0
    assert (run.halted, run.steps) == (name != "langton", expected.steps)
    assert machine.steps in (None, run.steps)
    assert machine.nonblank in (None, run.nonblank)
    assert run.cells == expected.cells


@pytest.mark.parametrize("name", ["bb4", "turmite2", "plane3-steps"])
def test_computed_step_by_step_it_does_the_same(name):
    run = Rollout(compile_agent(published(name))).run("", remember=False)
    assert run.cells == published(name).run().cells


def test_the_ant_as_a_dfst_is_on_its_highway():
    run = Rollout(compile_agent(published("langton"))).run("", Limits(steps=11_000))
    assert run.nonblank == 834
