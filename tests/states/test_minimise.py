"""Fewer states: every run stays what it was, and blocks that contradict each other are refused."""

from __future__ import annotations

import numpy as np
import pytest
from machine_zoo import random_machine

from dfst.agents import expert
from dfst.errors import InputError, MissingRule
from dfst.states import merge_by, minimise
from dfst.world.grid import Limits


def test_merging_a_partial_machine_keeps_every_run():
    rng = np.random.default_rng(0)
    smaller = 0
    for _ in range(150):
        machine = random_machine(rng, int(rng.integers(1, 5)), 3, missing=0.4)
        small = minimise(machine)
        smaller += len(small.states) < len(machine.states)
        for _ in range(5):
            text = "".join(rng.choice(list("ab"), size=5))
            try:
                wanted = machine.trace(text, Limits(steps=60))
            except MissingRule:
                continue
            assert small.trace(text, Limits(steps=60)).same_as(wanted)
    assert smaller > 50


def test_merging_by_a_map_refuses_contradictions():
    agent = expert("add2")
    same = merge_by(agent, list(range(len(agent.states))), agent.states)
    assert same.rule_count == agent.rule_count
    assert set(same.states) == set(agent.states)
    with pytest.raises(InputError, match="contradicts"):
        merge_by(agent, [0] * len(agent.states))
