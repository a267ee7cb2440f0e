"""Rows of a table, and what they stand for."""

import pytest

from dfst.errors import InputError
from dfst.machines.rulebook import RuleBook
from dfst.world.grid import L, R


def test_rows_say_what_single_rules_say():
    rows, single = RuleBook("01λ+"), RuleBook("01λ+")
    rows.rows(
        """
        left      01 L     λ 0R (see,0)   + λL go on
        go on     01 10R   λ R (see,1)
        (see,&)   01 &L (see,$)           λ S
        """,
        each="01",
    )
    single.on("left", ("0", "1"), L)
    single.on("left", "λ", R, write="0", to="(see,0)")
    single.on("left", "+", L, write="λ", to="go on")
    single.on("go on", "0", R, write="1")
    single.on("go on", "1", R, write="0")
    single.on("go on", "λ", R, to="(see,1)")
    for seen in "01":
        single.on(f"(see,{seen})", "0", L, write=seen, to="(see,0)")
        single.on(f"(see,{seen})", "1", L, write=seen, to="(see,1)")
        single.halt(f"(see,{seen})", "λ")
    one, other = rows.agent("one"), single.agent("other")
    assert one.states == other.states
    assert one.same_table(other)


def test_a_second_rule_and_an_unknown_symbol_are_refused():
    rules = RuleBook("01λ")
    rules.rows("a  01 R")
    with pytest.raises(InputError, match="two rules for state 'a' reading '1'; keep one"):
        rules.rows("a  1 L b")
    with pytest.raises(InputError, match="uses symbol 'x'; the alphabet is 0 1 λ"):
        rules.rows("b  0 xL")
    with pytest.raises(InputError, match="state 'b': expected a rule like `01 λL next`, found '0 X c'"):
        rules.rows("b  0 X c")
    with pytest.raises(InputError, match="state 'b' reads '01' and writes '01λ'; write one for each"):
        rules.rows("b  01 01λR")
