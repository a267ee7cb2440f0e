"""Inputs for machines without a task: which are meant, which teach, which are held out."""

from __future__ import annotations

from collections import Counter

import pytest
from three_lengths import THREE

from dfst.machines.formats import parse_machine
from dfst.machines.formats.published import published
from dfst.machines.rejections import rejections, with_rejections
from dfst.machines.rulebook import RuleBook
from dfst.traces.inputs import (
    CUT_OFF,
    HELD_OUT,
    TIMES_LONGER,
    Choice,
    held_out_inputs,
    language_of_machine,
    lesson_of_machine,
)
from dfst.traces.replay import rule_coverage
from dfst.traces.sample import record_all
from dfst.world.grid import Limits, R

DIGITS = "blank: ' '\nstart state: s\ntable:\n  s:\n    [0, 1, 2]: R\n    ' ': {N: t}\n  t:\n"
ENDLESS = "blank: ' '\nstart state: s\ntable:\n  s:\n    ' ': {write: 1, R: t}\n  t:\n    ' ': {R: s}\n"
GAP = "input: '1 1'\nblank: ' '\nstart state: s\ntable:\n  s:\n    1: R\n    ' ': {write: 1, R: t}\n  t:\n"
ERASES = "blank: ' '\nstart state: s\ntable:\n  s:\n    1: {write: ' ', R}\n    ' ': {write: 1, L: t}\n  t:\n"


@pytest.fixture(scope="module")
def three():
    return with_rejections(parse_machine(THREE, name="three"))


@pytest.fixture(scope="module")
def lesson(three):
    return lesson_of_machine(three, language_of_machine(three), Choice())


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (THREE, "[abc]*"),  # its own input; x is written
        (DIGITS, "[012]*"),  # written by no rule
        (ENDLESS, "()"),  # all rules are used on the blank tape
        (GAP, "[_1]*"),  # its own input has a blank inside
        (ERASES, "[1]*"),  # the blank tape does not lead to all rules
    ],
)
def test_the_language_of_a_machine(text, pattern):
    machine = parse_machine(text)
    assert language_of_machine(machine).pattern == pattern
    assert language_of_machine(with_rejections(machine)).pattern == pattern


def test_a_busy_beaver_has_one_input():
    assert language_of_machine(published("bb4")).shortest(9) == [""]


def test_a_lesson_shows_every_rule_that_any_input_tried_meets(three, lesson):
    language = language_of_machine(three)
    assert lesson.inputs[0] == "aabbcc"
    assert lesson.tried > 1_000
    taught = rule_coverage(three, record_all(three, list(lesson.inputs), Limits(steps=lesson.max_steps)))
    every = rule_coverage(three, record_all(three, language.shortest(2_000), Limits(steps=1_000)))
    assert not ((every.uses > 0) & (taught.uses == 0)).any()
    assert ((taught.uses > 0) | rejections(three)).all()


def test_a_lesson_has_as_many_inputs_as_asked_for(three):
    lesson = lesson_of_machine(three, language_of_machine(three), Choice(samples=5, longest=3))
    assert len(lesson.inputs) == 5
    assert max(len(text) for text in lesson.inputs[1:]) <= 3


def test_runs_without_end_are_cut_off():
    machine = with_rejections(parse_machine(ENDLESS))
    lesson = lesson_of_machine(machine, language_of_machine(machine), Choice())
    assert (lesson.inputs, lesson.max_steps) == (("",), CUT_OFF)


def test_held_out_inputs(three, lesson):
    language, shown = language_of_machine(three), lesson.inputs
    found = held_out_inputs(language, shown, lambda text: three.encode(text)[0].tolist(), seed=2)
    assert len(found) >= HELD_OUT
    assert not set(found) & set(shown)
    short = set(language.shortest(200))
    assert short <= set(found) | set(shown)
    assert max(map(len, found)) <= TIMES_LONGER * max(map(len, shown))
    deep = [text for text in found if len(text) > 12 and set(Counter(text).values()) == {len(text) // 3}]
    deep = [text for text in deep if text == "".join(sorted(text))]
    assert len(deep) >= 5, "strings drawn at random are rejected at once"


def test_a_sparse_language_has_as_many_and_a_finite_one_has_no_more():
    machine = parse_machine(DIGITS)
    sparse = language_of_machine(machine, "0*")
    found = held_out_inputs(sparse, ("", "0"), lambda text: machine.encode(text)[0].tolist(), seed=2)
    assert len(found) >= HELD_OUT
    finite = language_of_machine(machine, "[01]{2}")
    found = held_out_inputs(finite, ("00",), lambda text: machine.encode(text)[0].tolist(), seed=2)
    assert sorted(found) == ["01", "10", "11"]


def test_symbols_of_several_characters():
    book = RuleBook(["aa", "b", "λ"])
    book.on("s", "aa", R, write="b")
    book.halt("s", ["b", "λ"])
    machine = book.agent("swap")
    language = language_of_machine(machine)
    assert language.pattern == ".*"
    assert language_of_machine(machine, language.pattern).same_as(language)
    lesson = lesson_of_machine(machine, language, Choice(longest=3))
    assert {"", " aa", "aa b"} <= set(lesson.inputs)
