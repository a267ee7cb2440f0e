"""What is planned for a function with a pen, and which functions are refused."""

from __future__ import annotations

import random
from itertools import count

import pytest

import dfst
from dfst.problems.function import function_problem
from dfst.train.settings import configure


@dfst.teacher("01")
def parity(pen):
    odd = False
    while pen.read() != " ":
        odd ^= pen.read() == "1"
        pen.move("R")
    pen.write("1" if odd else "0")


@dfst.teacher("01")
def looping(pen):
    while pen.read() != " ":
        list(map(pen.move, "R"))


@dfst.teacher("1")
def double(pen):
    n = 0
    while pen.read() != " ":
        n += 1
        pen.move("R")
    for _ in range(n):
        pen.write("1")
        pen.move("R")


def test_a_function_with_few_states_is_a_machine():
    problem = function_problem(parity, language="1[01]*")
    assert problem.called == "parity()"
    assert sorted(len(name.split(",")) for name in problem.agent.states) == [1, 2]
    assert problem.agent.run("10110").answer == "101101"
    assert problem.inputs is not None


def test_states_that_keep_coming_name_the_variable_that_grows():
    @dfst.teacher("1")
    def counting(pen):
        n, seven = 0, 7
        while pen.read() != " ":
            n += seven
            pen.move("R")

    with pytest.raises(dfst.InputError, match="counting has 500 states and more: the variable 'n' took"):
        function_problem(counting)
    with pytest.raises(dfst.InputError, match="double has 500 states and more: the variable 'n' took"):
        function_problem(double)
    assert function_problem(counting, inputs=["1", "11"], bounded=False).training_set().traces.inputs == (
        "1",
        "11",
    )


def test_examples_are_chosen_for_a_function_as_for_a_machine():
    problem = function_problem(parity, language="[01]+", examples="fewest")
    few = problem.training_set()
    assert len(few.traces) < 10
    assert few.chosen == "chosen to tell everything apart once"
    assert problem.with_settings(inputs=("0", "1")).called == "parity()"
    with pytest.raises(dfst.InputError, match="examples asks for a table of rules, and looping cannot be"):
        function_problem(looping, examples="fewest")
    assert "no proof: looping cannot be written as a table" in function_problem(looping).training_set().chosen


def test_a_function_that_goes_by_chance_or_always_fails_is_no_table():
    @dfst.teacher("01")
    def moody(pen):
        while pen.read() != " ":
            pen.write(random.choice("01"))
            pen.move("R")

    random.seed(0)

    with pytest.raises(dfst.InputError, match="moody does not always do the same with the same symbols"):
        function_problem(moody)

    @dfst.teacher("01")
    def alien(pen):
        pen.read()
        pen.write("c")

    with pytest.raises(dfst.InputError, match="alien wrote 'c', expected one of 0 1"):
        function_problem(alien)


def test_what_a_function_fails_on_is_no_rule():
    @dfst.teacher("01")
    def choosy(pen):
        pen.write({"0": "1", "1": "0"}[pen.read()])

    problem = function_problem(choosy, language="[01]")
    assert problem.agent.states[-1] == "(rejects)"
    with pytest.raises(dfst.InputError, match="choosy failed on '', step 0: KeyError"):
        function_problem(choosy, language="[01]?")


def test_a_lesson_and_hundreds_of_inputs_held_out():
    """Of a function whose states cannot be looked at: a map hides how far it is."""
    recording = function_problem(looping, language="1[01]*", samples=60, max_digits=7).recording
    assert len(recording.shown) == 60
    assert len(recording.held_out) >= 200
    assert all(text.startswith("1") for text in recording.traces.inputs)
    assert not set(recording.traces.inputs[:60]) & set(recording.traces.inputs[60:])


def test_who_knows_a_number_may_give_it():
    plan = configure(double, inputs=["", "1", "11"], hidden_size=8)
    assert plan.problem.training_set().traces.inputs == ("", "1", "11")


def test_an_endless_loop_is_named_with_its_input():
    @dfst.teacher("01")
    def endless(pen):
        while pen.read() == "1":
            pen.move("N")

    with pytest.raises(dfst.InputError, match=r"endless did not return within 10,000 steps on '1'; fix"):
        function_problem(endless, max_digits=3)


@pytest.mark.parametrize("each", [1, 2, 3])
def test_a_function_that_looks_elsewhere_is_refused(each):
    """Its traces need not contradict each other: each is of another input, read to its end.

    One that changes its mind after every second call answers alike when asked twice in a row.
    """
    called = (n for n in count())  # how far it is, nobody can see

    @dfst.teacher("01")
    def moody(pen):
        turn = next(called) // each % 2
        while pen.read() != " ":
            pen.move("R")
        pen.write("01"[turn])

    with pytest.raises(
        dfst.InputError, match=r"moody works on '\d*' in two ways when asked again; let it go by"
    ):
        function_problem(moody, max_digits=3)


@dfst.teacher("xo", blank=" ")
def down(pen):
    while pen.read() != " ":
        pen.move("D")


def test_who_learns_from_boards_is_judged_on_others():
    given = ["", "x", "xo\nox", "o\nx\no"]
    [tests] = configure(down, inputs=given).problem.tests((), 0)
    boards = [case.input.split("/") for case in tests.cases if case.kind == "held-out board"]
    words = [case.input for case in tests.cases if case.kind == "held-out input"]
    assert words
    assert not any("/" in word or "\n" in word for word in words)
    assert {len(board) for board in boards} == {2, 3, 4}
    assert {len(row) for board in boards for row in board} == {1, 2, 3}
    assert not {"\n".join(board) for board in boards} & set(given)
    [rows] = configure(down, inputs=given[:2]).problem.tests((), 0)
    assert {case.kind for case in rows.cases} == {"held-out input"}


def test_a_proof_about_a_function_that_goes_down_speaks_of_one_row():
    assert configure(down, inputs=["", "x"]).problem.inputs.meaning.startswith("every input of one row that")
