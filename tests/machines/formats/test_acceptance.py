"""Which inputs a machine accepts survives every conversion, or the conversion is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from random_agent import LINE, random_agent

import dfst
from dfst.errors import InputError, MissingRule
from dfst.machines.agent import HALT, MISSING
from dfst.machines.ends import End
from dfst.machines.formats import format_machine, parse_machine
from dfst.world.grid import Limits

TELLING = ("json", "turingmachine.io", "morphett", "jflap")
"""Formats that can say what is accepted."""


def decider(seed):
    """A random machine that accepts, rejects, halts without a word, and is stuck."""
    rng = np.random.default_rng(seed)
    agent = random_agent(rng, int(rng.integers(1, 5)), 3, LINE, 0.2, 0.4, alphabet=["λ", "a", "b"])
    following = agent.next.copy()
    following[:, 0][(following == MISSING).all(axis=1)] = HALT
    names = ["q9", "accept", "halt", "no", "some where", "dead end"]
    ends = tuple(End(str(name), (True, False, None)[i]) for i, name in enumerate(rng.permutation(names)[:3]))
    end = rng.integers(0, len(ends), following.shape).astype(np.int32)
    return replace(agent, next=following, ends=ends, end=end, stuck_rejects=bool(rng.integers(2)))


def verdicts(machine):
    """How it ends on every short input: accepted, rejected, neither, or not at all."""
    found = []
    for text in ("".join(symbols) for n in range(4) for symbols in product("ab", repeat=n)):
        try:
            run = machine.run(text, Limits(steps=200))
            found.append((text, run.accepted, run.halted, run.steps))
        except MissingRule:
            found.append((text, "error"))
    return found


@pytest.mark.parametrize("format", TELLING)
def test_what_is_accepted_survives_each_format(format):
    for seed in range(60):
        machine = decider(seed)
        back = parse_machine(format_machine(machine, format), format)
        assert back.same_table(machine)
        wanted = verdicts(machine)
        if format == "jflap":  # to halt in JFLAP is to accept, unless the state is not final
            wanted = [_accepting_halts(verdict) for verdict in wanted]
        assert verdicts(back) == wanted, format_machine(machine, format)


def _accepting_halts(verdict):
    text, accepted, *rest = verdict
    return (text, True if accepted is None and rest[0] else accepted, *rest)


def test_what_is_accepted_survives_a_tour():
    for seed in range(20):
        machine = first = parse_machine(format_machine(decider(seed), "jflap"), "jflap")
        for format in ("morphett", "turingmachine.io", "json", "jflap", "json", "morphett", "jflap"):
            machine = parse_machine(format_machine(machine, format), format)
        assert verdicts(machine) == verdicts(first)
        assert dfst.prove(machine, first).strength == "proved"


def test_a_rejecting_end_is_never_written_as_a_mere_halt():
    machine = parse_machine("1RB1LB_1LA1RZ")
    rejecting = replace(machine, ends=(End("no", False),), end=np.zeros(machine.next.shape, dtype=np.int32))
    for format in ("bbchallenge", "turmite"):
        with pytest.raises(InputError, match="no word for rejecting, as 'no' does; try json"):
            format_machine(rejecting, format)
    assert 'label="no", shape="box"' in format_machine(rejecting, "dot")
    accepting = replace(rejecting, ends=(End("fine", True),))
    assert parse_machine(format_machine(accepting, "bbchallenge")).same_table(machine)


def test_names_stay_as_they_are_where_they_can():
    yaml = "blank: 0\nstart state: A\ntable:\n  A: {0: {R: accept}, 1: {R: no}}\n  accept:\n  no:\n"
    for format, names in (
        ("turingmachine.io", {"accept", "no"}),
        ("jflap", {"accept", "no"}),
        ("morphett", {"halt-accept", "halt-no"}),
        ("json", {"accept", "no"}),
    ):
        back = parse_machine(format_machine(parse_machine(yaml), format), format)
        assert {end.name for end in back.ends} == names
