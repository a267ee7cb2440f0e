"""What a function holds is seen wherever it is, and what cannot be seen, or grows, is refused by name."""

from __future__ import annotations

import random
import time
from collections import deque
from dataclasses import dataclass, field
from types import ModuleType

import pytest

import dfst
from dfst.errors import InputError
from dfst.machines.from_function import NotATable, table_of


class Base:
    count = 0


class Slots(Base):
    __slots__ = ("count",)


class Number(int):
    pass


class Elements(list):
    pass


@dataclass
class Record:
    count: int = 0
    seen: list[str] = field(default_factory=list)


def in_an_attribute(kind):
    """Counts to four in an attribute of an object, and writes a 1 at the fourth."""

    @dfst.teacher("01")
    def counts(pen):
        held = kind()
        held.count = 0
        while pen.read() != " ":
            held.count = (held.count + 1) % 4
            pen.write("0" if held.count else "1")
            pen.move("R")

    return counts


def in_a_function_of_its_own():
    def of():
        of.count = (of.count + 1) % 4
        return of.count

    @dfst.teacher("01")
    def counts(pen):
        of.count = 0
        while pen.read() != " ":
            pen.write("0" if of() else "1")
            pen.move("R")

    return counts


def in_a_class_above():
    @dfst.teacher("01")
    def counts(pen):
        Base.count, held = 0, type("Under", (Base,), {})()
        while pen.read() != " ":
            type(held).__mro__[1].count = (held.count + 1) % 4
            pen.write("0" if held.count else "1")
            pen.move("R")

    return counts


def in_a_module():
    module = ModuleType("of_its_own")
    source = "@dfst.teacher('01')\ndef counts(pen):\n    of_its_own.count = 0\n    while pen.read() != ' ':\n"
    source += "        of_its_own.count = (of_its_own.count + 1) % 4\n"
    source += "        pen.write('0' if of_its_own.count else '1')\n        pen.move('R')\n"
    space = {"dfst": dfst, "of_its_own": module}
    exec(source, space)
    return space["counts"]


def in_a_bound_method():
    @dfst.teacher("01")
    def counts(pen):
        following = deque("0001" * 9 + "0").popleft
        while pen.read() != " ":
            pen.write(following())
            pen.move("R")

    return counts


def in_an_iterator():
    @dfst.teacher("01")
    def counts(pen):
        following = iter("0001" * 9 + "0")
        while pen.read() != " ":
            pen.write(next(following))
            pen.move("R")

    return counts


HIDDEN = [
    *map(in_an_attribute, (Base, Slots, Number, Elements, Record)),
    *(make() for make in (in_a_function_of_its_own, in_a_class_above, in_a_module)),
    *(make() for make in (in_a_bound_method, in_an_iterator)),
]


@pytest.mark.parametrize("teacher", HIDDEN)
def test_whatever_holds_a_number_it_is_seen(teacher):
    assert table_of(teacher).run("0" * 9).answer == "000100010"


def called_back(pen):
    list(map(lambda symbol: (pen.write(symbol), pen.move("R")), "0001000"))  # noqa: C417


def called_back_to_sort(pen):
    def step(symbol):
        pen.write(symbol)
        pen.move("R")

    sorted(
        "0001000",
        key=step,
    )


def called_back_by_a_list(pen):
    class Steps:
        left = 3

        def __iter__(self):
            return self

        def __next__(self):
            self.left -= 1
            if self.left < 0:
                raise StopIteration
            pen.move("R")
            return pen.read()

    pen.write("1" if list(Steps()).count("1") > 1 else "0")


def moves_called_back(pen):
    list(map(pen.move, "RRR"))


CALLED_BACK = [called_back, called_back_to_sort, called_back_by_a_list, moves_called_back]


@pytest.mark.parametrize("function", CALLED_BACK)
def test_what_calls_back_is_refused(function):
    """How far a map is, and what a list has taken in, they keep to themselves."""
    with pytest.raises(NotATable, match=r"line \d+ moves the pen inside a call that Python does not show"):
        table_of(dfst.teacher("01")(function))


def by_chance(pen):
    while pen.read() != " ":
        pen.write("1" if random.random() < 1e-9 else "0")
        pen.move("R")


def by_the_clock(pen):
    now = time.time()
    while pen.read() != " " and now:
        pen.move("R")


def by_when_it_stops(pen):
    while pen.read() != " " and random.random() < 0.5:
        pen.move("R")


def by_what_it_did_before(pen, seen=[]):  # noqa: B006
    seen.append(1)
    while pen.read() != " ":
        pen.write("1" if len(seen) > 1_000_000 else "0")
        pen.move("R")


@pytest.mark.parametrize("function", [by_chance, by_the_clock, by_when_it_stops, by_what_it_did_before])
def test_what_goes_by_more_than_it_reads_is_refused(function):
    with pytest.raises(InputError, match="does not always do the same with the same symbols; let it go by"):
        table_of(dfst.teacher("01")(function))


def number_grows(pen):
    grown = 3
    while pen.read() != " ":
        grown = grown * grown
        pen.move("R")


def text_grows(pen):
    grown = "a"
    while pen.read() != " ":
        grown += grown
        pen.move("R")


def attribute_grows(pen):
    grown = Record()
    while pen.read() != " ":
        grown.seen.append(pen.read())
        pen.move("R")


def nesting_grows(pen):
    grown = []
    while pen.read() != " ":
        grown = [grown]
        pen.move("R")


@pytest.mark.parametrize("function", [number_grows, text_grows, attribute_grows, nesting_grows])
def test_whatever_grows_is_named(function):
    with pytest.raises(InputError, match=r"states and more: the variable 'grown' took [1-9]\d+ values"):
        table_of(dfst.teacher("0")(function))


def test_the_pen_keeps_nothing_for_its_user():
    @dfst.teacher("01")
    def notes(pen):
        pen.count = 0

    with pytest.raises(InputError, match="'Pen' object has no attribute 'count'"):
        table_of(notes)
