"""What is planned for a function with a pen, and which functions are refused."""

from __future__ import annotations

from itertools import count

import pytest

import dfst
from dfst.learning.plan_teacher import plan_teacher
from dfst.traces.recording import Recording


@dfst.teacher("01")
def parity(pen):
    odd = False
    while pen.read() != " ":
        odd ^= pen.read() == "1"
        pen.move("R")
    pen.write("1" if odd else "0")


@dfst.teacher("ab")
def mirror(pen):
    word = []
    while pen.read() != " ":
        word.append(pen.read())
        pen.move("R")
    for symbol in reversed(word):
        pen.write(symbol)
        pen.move("R")


@dfst.teacher("1")
def double(pen):
    n = 0
    while pen.read() != " ":
        n += 1
        pen.move("R")
    for _ in range(n):
        pen.write("1")
        pen.move("R")


@dfst.teacher("1")
def by_seven(pen):
    """Remembers, but no more than it needs."""
    n = 0
    while pen.read() != " ":
        n = (n + 1) % 7
        pen.move("R")
    for _ in range(n):
        pen.write("1")
        pen.move("R")


def test_a_lesson_and_hundreds_of_inputs_held_out():
    plan = plan_teacher(parity, language="1[01]*", samples=60, max_digits=7)
    recording = plan.subject
    assert isinstance(recording, Recording)
    assert plan.hidden_size == 2
    assert len(recording.shown) == 60
    assert len(recording.held_out) >= 200
    assert all(text.startswith("1") for text in recording.traces.inputs)
    assert not set(recording.traces.inputs[:60]) & set(recording.traces.inputs[60:])


@pytest.mark.parametrize("teacher", [mirror, double], ids=lambda teacher: teacher.name)
def test_a_memory_that_grows_is_told(teacher):
    with pytest.raises(dfst.InputError, match="the number of learnt states keeps growing with the input"):
        plan_teacher(teacher, max_digits=6)


def test_a_memory_that_does_not_grow_is_none_of_those():
    assert plan_teacher(by_seven).hidden_size >= 7


def test_who_knows_a_number_may_give_it():
    assert plan_teacher(double, inputs=["", "1", "11"], hidden_size=8).hidden_size == 8


def test_an_endless_loop_is_named_with_its_input():
    @dfst.teacher("01")
    def endless(pen):
        while pen.read() == "1":
            pen.move("N")

    with pytest.raises(dfst.InputError, match=r"endless did not return within 10,000 steps on '1'; fix"):
        plan_teacher(endless, max_digits=3)


@pytest.mark.parametrize("each", [1, 2, 3])
def test_a_function_that_looks_elsewhere_is_refused(each):
    """Its traces need not contradict each other: each is of another input, read to its end.

    One that changes its mind after every second call answers alike when asked twice in a row.
    """
    called = count()

    @dfst.teacher("01")
    def moody(pen):
        turn = next(called) // each % 2
        while pen.read() != " ":
            pen.move("R")
        pen.write("01"[turn])

    with pytest.raises(
        dfst.InputError, match="moody works on '111' in two ways when asked twice; let it go by"
    ):
        plan_teacher(moody, max_digits=3)
