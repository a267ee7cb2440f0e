"""A run that is stuck, as a lesson shows it."""

from __future__ import annotations

import numpy as np

from dfst.machines.agent import MISSING
from dfst.machines.formats import format_machine, parse_machine
from dfst.machines.rejections import REJECTS, rejections, with_rejections, without_rejections
from dfst.world.grid import MOTION_NAMES

EVEN = """
input: '11'
blank: ' '
start state: even
table:
  even:
    1: {R: odd}
    ' ': {R: accept}
  odd:
    1: {R: even}
  accept:
"""
"""Accepts an even number of ones; an odd number leaves it without a rule."""


def actions(machine, text: str) -> str:
    return "".join(MOTION_NAMES[m] for m in machine.trace(text).m)


def test_accepting_and_rejecting_look_different():
    machine = with_rejections(parse_machine(EVEN))
    assert actions(machine, "11") == "RRS"
    assert actions(machine, "1") == "RNS"
    assert machine.run("1").answer == "1"
    assert (machine.next != MISSING).all()


def test_states_that_reject_look_like_being_stuck():
    told = EVEN.replace("    1: {R: even}\n", "    1: {R: even}\n    ' ': {R: reject}\n") + "  reject:\n"
    machine = with_rejections(parse_machine(told))
    assert actions(machine, "11") == "RRS"
    assert actions(machine, "1") == "RRS"  # the last but one is the move of the rule that rejects
    assert (machine.run("1").accepted, machine.run("11").accepted) == (False, True)
    assert (machine.run("1").steps, machine.run("11").steps) == (3, 3)
    assert not rejections(machine)[: len(machine.states) - 1].any()


def test_a_machine_that_never_rejects_stays_as_it_is():
    machine = with_rejections(parse_machine(EVEN))
    assert with_rejections(machine) is machine
    assert not rejections(parse_machine(EVEN)).any()


def test_what_is_not_met_is_no_rule_again():
    machine = with_rejections(parse_machine(EVEN))
    met = np.zeros(machine.next.shape, dtype=bool)
    assert machine.states[-1] == REJECTS
    assert without_rejections(machine, met).rule_count == parse_machine(EVEN).rule_count
    assert without_rejections(machine, ~met).same_table(machine)


def test_it_survives_its_file():
    machine = with_rejections(parse_machine(EVEN))
    again = parse_machine(format_machine(machine, "json"), "json")
    assert again.same_table(machine)
    assert (rejections(again) == rejections(machine)).all()
