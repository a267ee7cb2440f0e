"""JFLAP's files as JFLAP's own simulator runs them: building blocks, ~, !x, the space, final states."""

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


def circle(id, mark="", tag="", element="block"):
    inside = f"<tag>{tag}</tag>" if tag else ""
    return f'<{element} id="{id}" name="q{id}">{inside}{mark and f"<{mark}/>"}</{element}>'


def machine(*parts, beside="", kind="turingbb"):
    body = "".join(parts)
    return f"<structure><type>{kind}</type><automaton>{body}</automaton>{beside}</structure>"


RIGHT_TO_BLANK = "".join(
    (circle(0, "initial"), circle(1, "final"), arrow(0, 0, "!□", "~", "R"), arrow(0, 1, "", "", "S"))
)
"""A block that goes right to the first blank, and calls that final, which means nothing in a block."""

WRITE_X = "".join((circle(0, "initial"), circle(1), arrow(0, 1, "~", "x", "S")))


def test_a_block_is_left_when_nothing_inside_applies():
    text = machine(
        circle(0, "initial", "seek.jff"),
        circle(1, "", "mark"),
        circle(2, "final"),
        arrow(0, 1, "~"),
        arrow(1, 2, "x"),
        f"<mark>{WRITE_X}</mark>",
        beside=f"<seek.jff>{RIGHT_TO_BLANK}</seek.jff>",
    )
    agent = parse_machine(text)
    assert agent.states == ("q0/q0", "q0/q1", "q1/q0", "q1/q1")
    run = agent.run("xx")
    assert (run.answer, run.accepted, run.ended_in) == ("xxx", True, "q2")
    # Right, right, the blank inside the block, out of it, x, on.
    assert run.steps == 6
    assert parse_machine(format_machine(agent, "jflap")).same_table(agent)


def test_each_block_is_a_copy_of_its_own():
    text = machine(
        circle(0, "initial", "mark"),
        circle(1, "", "mark"),
        circle(2, "final"),
        arrow(0, 1, "x", "a", "R"),
        arrow(1, 2, "x", "b", "R"),
        f"<mark>{WRITE_X}</mark>",
    )
    run = parse_machine(text).run("")
    assert (run.answer, run.accepted, run.steps) == ("ab", True, 4)


def test_blocks_within_blocks():
    inner = f"{circle(0, 'initial', 'mark')}{circle(1)}{arrow(0, 1, 'x', 'y', 'R')}"
    text = machine(
        circle(0, "initial", "pair"),
        circle(1, "final"),
        arrow(0, 1, "", "z", "S"),
        f"<pair>{inner}</pair><mark>{WRITE_X}</mark>",
    )
    run = parse_machine(text).run("")
    assert (run.answer, run.accepted) == ("yz", True)


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


def test_a_block_in_a_file_of_its_own_is_refused():
    text = machine(circle(0, "initial", "R.jff"), circle(1, "final"), arrow(0, 1, "a"), kind="turing")
    with pytest.raises(InputError, match=r"the building block 'R\.jff' is in a file of its own"):
        parse_machine(text)
    assert parse_machine(text.replace("R.jff", "Machine0")).run("a").accepted, "a state like any other"


def test_a_final_block_is_the_end_and_not_gone_into():
    text = machine(
        circle(0, "initial"), circle(1, "final", "mark"), arrow(0, 1, "a"), f"<mark>{WRITE_X}</mark>"
    )
    run = parse_machine(text).run("a")
    assert (run.answer, run.accepted, run.ended_in) == ("a", True, "q1")


def test_a_large_machine_is_read_soon():
    states = [circle(i, "" if i else "initial", element="state") for i in range(400)]
    arrows = [arrow(i, (i + 1) % 400, c, c, "R") for i in range(400) for c in "abcdefghijklmnopqrstuvwxyz"]
    began = time.thread_time()
    assert parse_machine(machine(*states, *arrows, kind="turing")).rule_count == len(arrows)
    assert time.thread_time() - began < 4


def test_blocks_that_double_and_double_are_refused():
    levels = "".join(
        f"<m{i}>{circle(0, 'initial', f'm{i + 1}')}{circle(1, '', f'm{i + 1}')}</m{i}>" for i in range(40)
    )
    deep = "".join(f"<d{i}>{circle(0, 'initial', f'd{i + 1}')}</d{i}>" for i in range(3_000))
    with pytest.raises(InputError, match="building blocks in at most 64 others"):
        parse_machine(machine(circle(0, "initial", "d0"), deep))
    with pytest.raises(InputError, match="at most 20,000 states, with building"):
        parse_machine(machine(circle(0, "initial", "m0"), levels))
