"""How far a machine is from the next one that explains its traces."""

from __future__ import annotations

from itertools import product

from dfst.experts import expert
from dfst.machines.formats import parse_machine
from dfst.states import doubt as module
from dfst.states.doubt import nearest
from dfst.traces.sample import record_all

TWO = parse_machine("""
blank: ' '
start state: even
table:
  even: {a: {write: x, R: odd}, ' ': {N: done}}
  odd: {a: {write: y, R: even}, ' ': {N: done}}
  done:
""")


def words(most: int) -> list[str]:
    return ["".join(word) for n in range(most + 1) for word in product("a", repeat=n)]


def test_what_two_letters_leave_open():
    said = nearest(TWO, record_all(TWO, words(2)))
    assert said == (
        "1 machine of the same size would explain the traces as well: one in which odd on a leads to odd, "
        "not even"
    )


def test_how_many_traces_object():
    said = nearest(TWO, record_all(TWO, words(4)))
    assert said is not None
    assert (
        "if odd on a leads to odd, not even, 2 of 5 would contradict it, and no fewer with any other" in said
    )


def test_more_sums_leave_less_open():
    agent = expert("add2")
    every = [f"{a:b}+{b:b}" for a in range(8) for b in range(8)]
    few, many = (nearest(agent, record_all(agent, some)) for some in (["0+0", "1+1", "10+1"], every))
    assert few is not None
    assert many is not None
    assert int(few.split()[0]) > int(many.split()[0])


def test_other_traces_and_long_searches_say_nothing(monkeypatch):
    add2, traces = expert("add2"), record_all(TWO, words(2))
    assert nearest(TWO, record_all(add2, ["1+1"])) is None
    monkeypatch.setattr(module, "MOST_STEPS", 1)
    assert nearest(TWO, traces) is None
