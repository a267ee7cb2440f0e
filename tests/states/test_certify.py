"""Whether traces determine the machine: what a SAT solver finds, checked by running it."""

from __future__ import annotations

from itertools import product

import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.proof.match import pair_up
from dfst.states.certify import certify, determined, smallest_machine
from dfst.traces.replay import replay
from dfst.traces.sample import record_all
from dfst.world.grid import BLANK, R


def parity() -> Agent:
    rules = RuleBook((BLANK, "0", "1"))
    for state, other in (("even", "odd"), ("odd", "even")):
        rules.on(state, "0", R)
        rules.on(state, "1", R, to=other)
    rules.halt("even", BLANK, write="0")
    rules.halt("odd", BLANK, write="1")
    return rules.agent("parity")


ASKED = ("", "0", "1", "00", "01", "10", "11", "000", "011", "0110", "1111")


def test_what_is_determined():
    pytest.importorskip("pysat")
    agent = parity()
    traces = record_all(agent, ["", "1", "11", "0", "10"])
    found = certify(agent, traces, record_all(agent, [t for t in ASKED if t not in traces.inputs]), 2)
    assert found.determined
    assert found.sentence() == (
        "every machine with at most 2 states that explains the traces is right on the 6 inputs asked"
    )


@pytest.mark.parametrize(
    ("shown", "states"),
    [(["", "1", "0", "111"], 2), (["", "0", "10", "11"], 3), (["", "0", "10", "1111"], 3)],
)
def test_another_machine_explains_the_traces_and_errs_where_it_is_said_to(shown, states):
    pytest.importorskip("pysat")
    agent = parity()
    traces = record_all(agent, shown)
    found = certify(agent, traces, record_all(agent, [t for t in ASKED if t not in shown]), states)
    other = found.other
    assert other is not None
    assert found.errs_on is not None
    assert not replay(other.write, other.action, other.next, traces).leaves(traces).size
    assert found.errs_on not in shown
    assert other.run(found.errs_on).answer != agent.run(found.errs_on).answer


def test_fewer_rules_determine_more():
    """With three states a machine of seven rules errs on 1; with the six rules of the agent none errs."""
    pytest.importorskip("pysat")
    agent = parity()
    traces = record_all(agent, ["", "0", "10", "11"])
    asked = record_all(agent, [t for t in ASKED if t not in traces.inputs])
    free, bounded = (certify(agent, traces, asked, 3, rules) for rules in (None, 6))
    assert free.errs_on == "1"
    assert free.other is not None
    assert free.other.rule_count > 6
    assert bounded.determined


def test_the_smallest_machine_is_the_one_that_was_shown():
    pytest.importorskip("pysat")
    agent = parity()
    traces = record_all(agent, ["", "1", "11", "0", "10"])
    found, fewest = smallest_machine(agent, traces)
    assert fewest
    assert found is not None
    assert (len(found.states), found.rule_count) == (2, 6)
    assert not replay(found.write, found.action, found.next, traces).leaves(traces).size
    assert pair_up(found, agent).alike


def test_examples_that_leave_no_other_machine():
    pytest.importorskip("pysat")
    agent = expert("divisible3")
    tried = record_all(agent, ["".join(word) for n in range(1, 7) for word in product("01", repeat=n)])
    chosen, said = determined(agent, tried)
    assert said == "chosen to leave no other machine as small"
    rest = tried.subset([i for i in range(len(tried)) if tried.inputs[i] not in chosen.inputs])
    assert certify(agent, chosen, rest, 3).determined
    told = record_all(agent, ["010101010101", "0", "110011000100", "1", "10", "010"])  # each twice
    assert certify(agent, told, rest, 2).other is not None  # a machine with fewer states than the expert


def test_a_solver_that_gives_up_says_so():
    pytest.importorskip("pysat")
    agent = expert("add2")
    with pytest.raises(InputError, match=r"add2: no machine with 12 states .* choose by --fewest"):
        determined(agent, record_all(agent, ["0+0", "11+11", "10+01", "1011+1", "111+111"]), conflicts=1)
