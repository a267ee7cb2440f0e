"""Fewer states: every run stays what it was."""

from __future__ import annotations

import numpy as np
from machine_zoo import random_machine

from dfst.errors import MissingRule
from dfst.experts import expert
from dfst.machines.formats import parse_machine
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


def test_merging_by_a_map():
    agent = expert("add2")
    same = merge_by(agent, list(range(len(agent.states))), agent.states)
    assert same.rule_count == agent.rule_count
    assert set(same.states) == set(agent.states)


def test_new_names_are_not_those_of_the_ends():
    """JFLAP numbers all states alike: without its name for the end, q1, the others are q0 and q2."""
    text = """{"format": "dfst-machine/1", "alphabet": ["a", "λ"], "blank": "λ", "states": ["even", "odd"],
        "ends": {"q1": true}, "stuck": "rejects",
        "rules": [["even", "a", "a", "R", "odd"], ["odd", "a", "λ", "R", "even"],
                  ["even", "λ", "λ", "S", "q1"]]}"""
    machine = minimise(parse_machine(text))
    assert machine.states == ("q0", "q2")
    assert machine.run("aa").ending == "accepted in state q1"
