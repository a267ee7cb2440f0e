"""Machines on one line: bbchallenge's rows of entries, and turmites in braces."""

import pytest
from machine_texts import complaint

from dfst.errors import MissingRule
from dfst.machines.formats import parse_machine
from dfst.machines.formats.published import published


def test_an_undefined_entry_is_a_missing_rule():
    agent = parse_machine("1RB---_1LA---")
    assert agent.rule_count == 2
    with pytest.raises(MissingRule, match="state 'A' reading '1'"):
        agent.run()


def test_the_older_letter_for_halting():
    assert parse_machine("1RB1LB_1LA1RH").same_table(published("bb2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1RB1LB_1LA", "state B: expected 2 entries as in state A, found '1LA'"),
        ("1RB2LB_1LA1RZ", "state A reading 1: expected a symbol 0 to 1 first, found '2LB'"),
        ("1RB1UB_1LA1RZ", "state A reading 1: expected the move L or R second, found '1UB'"),
        ("1RB1LB_1LA1RX", "state B reading 1: expected a state A to B, or Z, third, found '1RX'"),
        ("", "expected rows of 1 to 10 entries such as 1RB, found ''"),
    ],
)
def test_a_mistake_in_a_row_is_named(text, message):
    assert message in complaint(text, "bbchallenge")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{{1,2,0},{0,8,0}}", "column 19: expected , or }, found 'end'"),
        ("{{{1,2,0},{2,8,0}}}", "state 0 reading 1: expected to write 0 to 1, found 2"),
        ("{{{1,2,0},{0,8,3}}}", "state 0 reading 1: expected a next state 0 to 0, found 3"),
        ("{{{1,2,0},{0,3,0}}}", "state 0 reading 1: expected a turn 1, 2, 4, 8 or 0 to halt, found 3"),
        ("{{{1,2,0},{0,'N',0}}}", "state 0 reading 1: expected either compass points or turns throughout"),
        ("{{{1,2,0},{0,'Q',0}}}", "column 14: expected braces, commas, numbers and"),
        ("{{{0,2,0}},{{0,2,0},{0,8,0}}}", "state 1: expected 1 entries as in state 0, found 2"),
        ("__import__('os')", "column 1: expected braces"),
    ],
)
def test_a_mistake_in_braces_is_named(text, message):
    assert message in complaint(text, "turmite")
