"""Questions: where machines that explain the same traces part."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from dfst.experts import expert
from dfst.machines.agent import MISSING
from dfst.states.doubt import doubtful, untold
from dfst.traces.sample import record_all

WORDS = ["".join(word) for n in range(1, 5) for word in product("01", repeat=n)]


def changed(agent, rule: tuple[int, int], to: int):
    following = agent.next.copy()
    following[rule] = to
    return replace(agent, next=following)


def test_the_shortest_input_on_which_two_machines_part():
    parity = expert("parity")
    other = changed(parity, (1, parity.alphabet.index("1")), 1)  # once odd, odd for ever
    [question] = doubtful([parity, other], WORDS, 3)
    assert question.input == "11"
    assert question.why == "two seeds part in step 3"


def test_a_missing_rule_is_asked_for_once():
    parity = expert("parity")
    partial = changed(parity, (1, parity.alphabet.index("0")), MISSING)
    [question] = doubtful([parity, partial], WORDS, 3)
    assert (question.input, question.why) == ("10", "no example shows what to do there")


def test_machines_that_are_alike_leave_nothing_open():
    parity = expert("parity")
    assert doubtful([parity, parity], WORDS, 3) == []


def test_no_more_questions_than_were_asked_for():
    parity = expert("parity")
    nothing = replace(parity, next=np.full_like(parity.next, MISSING))
    assert [q.input for q in doubtful([parity, nothing], WORDS, 1)] == ["0"]
    assert [q.input for q in doubtful([parity, nothing], WORDS, 10)] == ["0", "1"]


def test_what_no_trace_tells_apart_is_asked():
    parity = expert("parity")
    shown = record_all(parity, ["0", "1", "01", "10"])
    assert doubtful([parity], WORDS, 3) == []  # it has every rule, and is sure of itself
    [question] = untold(parity, shown, WORDS, 3)
    assert (question.input, question.why) == ("11", "that (odd, 1) leads to even, not odd, was never shown")
    assert untold(parity, record_all(parity, WORDS), WORDS, 3) == []
