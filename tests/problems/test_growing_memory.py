"""Functions that remember more and more are told from those that do not, by nothing but what they do."""

from __future__ import annotations

import numpy as np
import pytest

import dfst
from dfst.problems.growing_memory import REPETITIONS, growing_memory
from dfst.traces.inputs import input_language


def found(teacher, pattern=None):
    return growing_memory(
        teacher, input_language(range(teacher.blank), teacher.alphabet, teacher.blank, pattern)
    )


def word(pen, motion="R"):
    """All symbols up to the next blank; the pen ends on it."""
    symbols = []
    while pen.read() != " ":
        symbols.append(pen.read())
        pen.move(motion)
    return "".join(symbols)


def put(pen, symbols, motion="R"):
    for symbol in symbols:
        pen.write(symbol)
        pen.move(motion)


def equally_many(pen):
    """A stack of one symbol: nothing shows before the b's are over."""
    read = word(pen)
    pen.write("a" if read.count("a") == read.count("b") else "b")


def counts_on_its_way_back(pen):
    word(pen)
    pen.move("L")
    put(pen, "a" * word(pen, "L").count("a"), "L")


GROW = {
    "mirror": lambda pen: put(pen, word(pen)[::-1]),
    "doubles": lambda pen: put(pen, word(pen)),
    "equally many": equally_many,
    "palindromes": lambda pen: pen.write("ab"[(w := word(pen)) != w[::-1]]),
    "counts changes": lambda pen: put(pen, "a" * word(pen).count("ab")),
    "square length": lambda pen: pen.write("ab"[int(len(w := word(pen)) ** 0.5) ** 2 != len(w)]),
    "from the seventh on": lambda pen: put(pen, word(pen)[6:]),
    "on its way back": counts_on_its_way_back,
}


@pytest.mark.parametrize("name", GROW)
def test_memory_that_grows_is_noticed(name):
    growth = found(dfst.teacher("ab")(GROW[name]))
    assert growth is not None
    assert growth.needed[-1] >= REPETITIONS[-1]


def test_from_the_last_cell_too():
    @dfst.teacher("ab", start="last")
    def equal(pen):
        read = word(pen, "L")
        pen.write("a" if read.count("a") == read.count("b") else "b")

    assert found(equal) is not None
    assert found(equal, "a*b*") is not None


@pytest.mark.parametrize(("pattern", "piece"), [("(abb)*", "abb"), ("b(aa)*b", "aa"), ("a*ba*", "a")])
def test_pieces_are_those_that_the_inputs_repeat(pattern, piece):
    """The language says what may be repeated, be it one symbol or three."""
    assert found(dfst.teacher("ab")(GROW["mirror"]), pattern).piece == piece


def test_inputs_that_repeat_nothing_need_no_more_than_their_number():
    assert found(dfst.teacher("ab")(GROW["mirror"]), "a?b?a?") is None


@pytest.mark.parametrize("most", [1, 2, 7, 12, 24])
def test_what_is_counted_round_or_up_to_a_number_does_not_grow(most):
    assert found(dfst.teacher("a")(lambda pen: put(pen, "a" * (len(word(pen)) % most)))) is None
    assert found(dfst.teacher("a")(lambda pen: put(pen, "a" * min(len(word(pen)), most)))) is None


def test_what_stands_on_the_tape_is_no_memory():
    """Crosses off an a and a b in turn; however many there are, it needs the same few states."""

    @dfst.teacher("abx")
    def crosses_off(pen):
        while True:
            while pen.read() == "x":
                pen.move("R")
            if pen.read() != "a":
                return
            pen.write("x")
            pen.move("R")
            while pen.read() in "ax":
                pen.move("R")
            if pen.read() != "b":
                return
            pen.write("x")
            pen.move("L")
            while pen.read() != " ":
                pen.move("L")
            pen.move("R")

    assert found(crosses_off, "a*b*") is None


def machine(states, rng, two_way):
    """A machine drawn at random, as a function; it may halt on a blank, or go on for ever."""
    following, write = rng.integers(states, size=(2, states, 3))
    motion = rng.choice(["L", "R", "R", "R"] if two_way else ["R"], size=(states, 3))

    def work(pen):
        state = 0
        while True:
            x = "ab ".index(pen.read())
            pen.write("ab"[write[state, x] % 2])
            if x == 2 and state % 2 == 0:
                return
            pen.move(motion[state, x])
            state = following[state, x]

    return dfst.teacher("ab")(work)


@pytest.mark.parametrize("two_way", [False, True])
def test_no_machine_of_few_states_is_taken_for_one_that_grows(two_way):
    rng = np.random.default_rng(0)
    for states in (1, 3, 6, 10, 16):
        assert found(machine(states, rng, two_way)) is None
