"""A function with a pen becomes a table that does the same, or it is said why it cannot."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest

import dfst
from dfst.errors import InputError
from dfst.machines import stack
from dfst.machines.from_function import NotATable, failures, table_of
from dfst.machines.stack import values_below
from dfst.states.merging import minimise
from dfst.world.check import check_unit


@dfst.teacher("01")
def undeclared(pen):
    while pen.read() != " ":
        pen.write("c")
        pen.move("R")


def test_where_it_fails_there_is_no_rule_and_it_is_told_why():
    assert failures(undeclared)[0] == "undeclared wrote 'c', expected one of 0 1 or the blank ' ' (in step 0)"


def go(pen, way, until=" "):
    while pen.read() != until:
        pen.move(way)


@dfst.teacher("01")
def increment(pen):
    go(pen, "R")
    pen.move("L")
    while pen.read() == "1":
        pen.write("0")
        pen.move("L")
    pen.write("1")


@dfst.teacher("01")
def parity_of_a_tuple(pen):
    seen = (False, "even")
    while pen.read() != " ":
        seen = (not seen[0], "odd") if pen.read() == "1" else seen
        pen.move("R")
    pen.write("1" if seen[0] else "0")


@dfst.teacher("ab", blank="_")
def with_objects(pen):
    class Last:
        symbol = None

    last, both = Last(), [0, {"n": 0}]
    while pen.read() != "_":
        last.symbol = pen.read()
        both[1]["n"] = (both[1]["n"] + 1) % 3
        pen.move("R")
    pen.write(last.symbol or "a" if both[1]["n"] else "b")


@dfst.teacher("01")
def in_the_plane(pen):
    turn = "RDLU"
    at = 0
    while pen.read() != "1":
        pen.write("1")
        pen.move(turn[at])
        at = (at + 1) % 4


def counting():
    total = 0

    def add(symbol):
        nonlocal total
        total = (total + (symbol == "1")) % 2

    @dfst.teacher("01")
    def with_a_closure(pen):
        nonlocal total
        total = 0
        while pen.read() != " ":
            add(pen.read())
            pen.move("R")
        pen.write(str(total))

    return with_a_closure


@dfst.teacher("01")
def choosy(pen):
    value = {"0": "1", "1": "0"}[pen.read()]
    pen.write(value)
    pen.move("R")
    pen.write("0")


@dfst.teacher("01")
def nested_loops(pen):
    """Rounds of a loop hold the same variables; only its position tells them apart."""
    for _ in range(3):
        for motion in ["R", *"RL"]:
            if pen.read() == "1":
                pen.move("D")
                break
            pen.move(motion)
        else:
            pen.write("1")
            pen.move("U")
            continue
        pen.write("0")
        pen.move("N")
    pen.write("1")


def thrice(pen, way):
    for _ in (0, 0, 0):
        if pen.read() == " ":
            return False
        pen.move(way)
    return True


@dfst.teacher("01")
def loops_in_helpers(pen):
    for way, back in zip("RDR", reversed("UUL"), strict=True):
        thrice(pen, way)
        for number, _ in enumerate("ab"):
            pen.write(str(number))
            pen.move(back)


@dfst.teacher("01")
def loops_over_what_was_read(pen):
    seen = {pen.read(): 1}
    pen.move("R")
    seen[pen.read()] = 2
    pen.move("R")
    for symbol in seen:
        pen.write(symbol)
        pen.move("R")
    for symbol in sorted(seen.values()) + [len(symbols) for symbols in seen]:
        pen.write("01"[symbol % 2])
        pen.move("L")
    for symbol in iter([*seen].pop, "1"):
        pen.write(symbol)
        pen.move("D")
        break


@dfst.teacher("01")
def expression(pen):
    one = (pen.read() == "1") + (pen.move("R") or 0)
    pen.write("01"[one + (pen.read() == " " and not pen.move("L"))])


@dfst.teacher("01")
def comprehension(pen):
    ways = [pen.read() for way in "RRL" if not pen.move(way)]
    pen.write("1" if ways.count("1") > 1 else "0")


@dfst.teacher("01")
def with_block(pen):
    for _ in range(2):
        with contextlib.suppress(KeyError):
            pen.move({"0": "L", "1": "R"}[pen.read()])
    pen.write("1")


@dfst.teacher("01")
def exceptions(pen):
    ways = iter("RRD")
    try:
        while True:
            pen.move(next(ways))
    except StopIteration:
        for way in "UL":
            pen.write("1" if pen.read() == "0" else "0")
            pen.move(way)
    finally:
        pen.move("N")
    pen.write("1")


LOOPS = [nested_loops, loops_in_helpers, loops_over_what_was_read]
BLOCKS = [expression, comprehension, with_block, exceptions]
TEACHERS = [increment, parity_of_a_tuple, with_objects, in_the_plane, counting(), choosy, *LOOPS, *BLOCKS]


@pytest.mark.parametrize("teacher", TEACHERS, ids=lambda t: t.name)
def test_the_table_does_what_the_function_does(teacher):
    """On symbols in any order, not only on those that some input can show."""
    table, rng = table_of(teacher), np.random.default_rng(0)
    for _ in range(200):
        table.reset()
        teacher.reset()
        for symbol in rng.integers(0, len(teacher.alphabet), size=20).tolist():
            try:
                wanted = teacher.step(symbol)
            except InputError:
                with pytest.raises(dfst.DfstError):
                    table.step(symbol)
                break
            assert table.step(symbol) == wanted
            if wanted[1] == 4:
                break


def test_it_is_a_machine_like_any_other():
    table = table_of(increment)
    check_unit(table, ["0", "1", "1011", "111"])
    assert table.run("1011").answer == "1100"
    assert len(minimise(table).states) == 2
    assert {state.split(",")[0].rstrip("0123456789") for state in table.states} == {"start", "line"}


def test_variables_that_differ_are_in_the_names_of_states():
    assert any("seen=" in state for state in table_of(parity_of_a_tuple).states)


def test_a_recursion_that_goes_ever_deeper_is_named():
    def back(pen):
        symbol = pen.read()
        if symbol != " ":
            pen.move("R")
            back(pen)
            pen.write(symbol)
            pen.move("L")

    @dfst.teacher("0")
    def mirror(pen):
        back(pen)

    with pytest.raises(InputError, match=r"mirror has 30 states and more: back\(\) called itself \d+ deep"):
        table_of(mirror, most=30)


def test_a_memory_that_grows_names_its_variable():
    @dfst.teacher("01")
    def counter(pen):
        steps, constant = 0, "x"
        while pen.read() != " " and constant:
            steps += 1
            pen.move("R")

    with pytest.raises(InputError, match=r"counter has 50 states and more: the variable 'steps' took \d"):
        table_of(counter, most=50)


ITERABLES = (range(3), "abc", "äöü", (1, 2, 3), [1, 2, 3], b"abc", {1: 2, 3: 4}, {1, 2}, enumerate("ab"))


@pytest.mark.parametrize("iterable", [*ITERABLES, zip("ab", "cd"), reversed([1, 2]), map(str, [1, 2])])  # noqa: B905
def test_the_position_of_a_for_loop_is_read(iterable):
    free = 0

    def loop(*given, named=None):
        held = free
        for _ in (iterator := iter(iterable)):
            assert values_below(sys._getframe()) == [iterator], (held, given, named)
            for _ in (within := iter("ab")):
                assert [0, values_below(sys._getframe())][1] == [iterator, within, 0]
        assert values_below(sys._getframe()) == []

    loop(1, 2, named=3)


def generator_moves(pen):
    def steps():
        for motion in "RR":
            yield pen.move(motion)

    for _ in steps():
        pass


def generator_expression(pen):
    sum(pen.read() == "1" and not pen.move("R") for _ in range(3))


@pytest.mark.parametrize("function", [generator_moves, generator_expression])
def test_a_generator_that_moves_is_refused(function):
    with pytest.raises(NotATable, match=r"line \d+ moves the pen inside a generator; use a plain loop"):
        table_of(dfst.teacher("01")(function))


def generator_held(pen):
    motions = (motion for motion in "RR")
    while (motion := next(motions, None)) is not None:
        pen.move(motion)


def generator_looped(pen):
    for motion in (motion for motion in "RR"):
        pen.move(motion)


@pytest.mark.parametrize("function", [generator_held, generator_looped])
def test_what_cannot_be_compared_is_refused(function):
    with pytest.raises(NotATable, match=r"it holds a generator, which cannot be compared"):
        table_of(dfst.teacher("01")(function))


def test_a_loop_that_goes_on_and_on_is_named():
    @dfst.teacher("01")
    def on_and_on(pen):
        for _ in [0] * 100:
            pen.move("R")

    with pytest.raises(InputError, match=r"20 states and more: the variable 'for loop or expression 1' took"):
        table_of(on_and_on, most=20)


def test_a_python_that_shows_no_stack_makes_no_table(monkeypatch):
    monkeypatch.setattr(stack, "_places", lambda: None)
    with pytest.raises(NotATable, match="this Python does not show what a function holds; use CPython"):
        table_of(nested_loops)
