"""JFLAP's files as JFLAP's own simulator runs them: ~, !x, the space, final states."""

from __future__ import annotations

import time

import pytest

from dfst.errors import InputError
from dfst.machines.formats import format_machine, parse_machine


def arrow(source, target, read, write=None, move="S"):
    """A transition; without anything to write, one from block to block."""
    rest = "" if write is None else f"<write>{write}</write><move>{move}</move>"
    kind = ' block="true"' if write is None else ""
    return f"<transition{kind}><from>{source}</from><to>{target}</to><read>{read}</read>{rest}</transition>"


def circle(id, mark="", element="block"):
    return f'<{element} id="{id}" name="q{id}">{mark and f"<{mark}/>"}</{element}>'


def machine(*parts, kind="turingbb"):
    return f"<structure><type>{kind}</type><automaton>{''.join(parts)}</automaton></structure>"


@pytest.mark.parametrize(
    ("text", "answer", "accepted"),
    [("a", "b", True), ("ba", "ba", True), ("", None, False), ("c", "x", True)],
)
def test_shorthands(text, answer, accepted):
    arrows = (
        arrow(0, 1, "a", "b", "S"),  # the exact one comes before !x …
        arrow(0, 1, "!□", "~", "S"),  # … which is all but the blank
        arrow(0, 1, "c", "x", "S"),
    )
    agent = parse_machine(machine(circle(0, "initial"), circle(1, "final"), *arrows, kind="turing"))
    run = agent.run(text)
    assert run.accepted is accepted
    if answer:
        assert run.answer == answer


def test_a_space_is_a_symbol_of_its_own():
    text = machine(
        circle(0, "initial"),
        circle(1, "final"),
        arrow(0, 0, "a", "a", "R"),
        arrow(0, 0, " ", "b", "R"),
        arrow(0, 1, "", " ", "S"),
    )
    agent = parse_machine(text)
    assert agent.alphabet == ("λ", "a", "␣", "b")
    for typed in ("a a", "a␣a"):
        assert agent.run(typed).answer == "aba␣"
    assert parse_machine(format_machine(agent, "jflap")).run("a a").answer == "aba␣"


def test_what_leaves_a_final_state_is_never_taken():
    text = machine(
        circle(0, "initial"),
        circle(1, "final"),
        arrow(0, 1, "a", "b", "R"),
        arrow(1, 0, "a", "a", "R"),
        kind="turing",
    )
    run = parse_machine(text).run("aa")
    assert (run.accepted, run.ended_in, run.steps) == (True, "q1", 1)


def test_a_state_without_transitions_that_is_not_final_rejects():
    text = machine(circle(0, "initial"), circle(1), arrow(0, 1, "a", "b", "R"))
    run = parse_machine(text).run("a")
    assert (run.accepted, run.ending) == (False, "rejected in state q1")


def test_transitions_that_say_the_same_are_one():
    arrows = (arrow(0, 1, "a", "a", "R"), arrow(0, 1, "~", "~", "R"))
    assert parse_machine(machine(circle(0, "initial"), circle(1, "final"), *arrows)).run("a").accepted
    other = (arrow(0, 1, "a", "a", "R"), arrow(0, 1, "~", "~", "L"))
    with pytest.raises(InputError, match="transition 2: state 'q0' reading 'a' has a rule already"):
        parse_machine(machine(circle(0, "initial"), circle(1, "final"), *other))


def test_a_large_machine_is_read_soon():
    states = [circle(i, "" if i else "initial", element="state") for i in range(400)]
    arrows = [arrow(i, (i + 1) % 400, c, c, "R") for i in range(400) for c in "abcdefghijklmnopqrstuvwxyz"]
    began = time.thread_time()
    assert parse_machine(machine(*states, *arrows, kind="turing")).rule_count == len(arrows)
    assert time.thread_time() - began < 4
