"""Every format that is read gives back the machine that was written, and says so where it cannot hold it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_texts import KINDS, machine_for
from random_agent import LINE, random_agent

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.formats import (
    FORMATS,
    format_machine,
    guess_format,
    parse_machine,
    read_machine,
    write_machine,
)


@pytest.mark.parametrize("format", KINDS)
@given(seed=st.integers(0, 2**32))
def test_what_is_written_is_read_back(format, seed):
    agent = machine_for(format, seed)
    text = format_machine(agent, format)
    assert parse_machine(text, format).same_table(agent)
    if format != "json":
        assert guess_format(text) == format


@pytest.mark.parametrize("name", ["add10", "mult3", "sub16", "sort2", "increment36"])
def test_json_keeps_everything(name, tmp_path):
    agent = expert(name)
    write_machine(agent, tmp_path / "machine.json")
    back = read_machine(tmp_path / "machine.json")
    assert back.same_table(agent)
    assert (back.name, back.states, back.task, back.layout) == (
        agent.name,
        agent.states,
        agent.task,
        agent.layout,
    )
    assert back.run(agent.task.example).answer == agent.run(agent.task.example).answer


@pytest.mark.parametrize("format", [f.name for f in FORMATS.values() if f.is_read])
def test_a_file_is_read_by_its_ending_and_by_its_text(format, tmp_path):
    agent = machine_for(format, 1)
    usual, plain = tmp_path / f"usual{FORMATS[format].suffixes[0]}", tmp_path / "plain.txt"
    write_machine(agent, usual)
    write_machine(agent, plain, format)
    assert read_machine(usual).same_table(agent)
    assert read_machine(plain).same_table(agent)
    assert read_machine(plain).name == ("random" if format == "json" else "plain")


def test_the_blank_keeps_its_place_and_its_name():
    agent = parse_machine("1RB1LB_1LA1RZ")
    for format in ("turingmachine.io", "morphett", "jflap"):
        back = parse_machine(format_machine(agent, format), format)
        assert (back.alphabet, back.blank) == (("0", "1"), 0)


MISFITS = [
    (
        "bbchallenge",
        expert("add2"),
        "expected the symbols 0, 1, … with 0 as the blank, found '0 1 λ .' with 'λ'",
    ),
    (
        "turingmachine.io",
        expert("add2"),
        r"works on one row, and here is a rule \(left, λ\) → write 0, move U",
    ),
    ("morphett", expert("mult10"), "works on one row"),
    ("jflap", expert("sub3"), "works on one row"),
    ("turmite", parse_machine("1RB1LB_1LA---"), "state 'B' reading '1' has no rule"),
    (
        "turmite",
        parse_machine("1RB1LB_1LA1RZ"),
        r"halts if and only if it stays, unlike \(B, 1\) → write 1, move R",
    ),
    (
        "morphett",
        parse_machine("1RB1LB_------"),
        "a state without rules means an end there, and 'B' has none",
    ),
]


@pytest.mark.parametrize(
    ("format", "agent", "message"), MISFITS, ids=[f"{m[0]}-{i}" for i, m in enumerate(MISFITS)]
)
def test_a_machine_that_does_not_fit_is_refused_with_a_reason(format, agent, message):
    with pytest.raises(InputError, match=message):
        format_machine(agent, format)


@pytest.mark.parametrize(
    ("format", "symbol", "message"),
    [
        ("morphett", ";", r"visible character other than \* ; _, found ';'"),
        ("morphett", "ab", "found 'ab'"),
        ("jflap", "~", "found '~'"),
        ("turingmachine.io", "ab", "found 'ab'"),
        ("dot", "/", "found '/'"),
    ],
)
def test_symbols_a_format_cannot_hold(format, symbol, message):
    agent = random_agent(np.random.default_rng(0), 2, 2, LINE, alphabet=["λ", symbol])
    with pytest.raises(InputError, match=message):
        format_machine(agent, format)


def test_states_with_names_a_format_reserves():
    rng = np.random.default_rng(0)
    agent = random_agent(rng, 5, 2, LINE)
    agent = type(agent)(
        "odd",
        agent.alphabet,
        ("start", "halting", "a b", "0", "s0"),
        agent.write.copy(),
        agent.motion.copy(),
        agent.next.copy(),
        0,
    )
    for format in ("turingmachine.io", "morphett", "jflap", "json"):
        assert parse_machine(format_machine(agent, format), format).same_table(agent)
    assert "\n0 " in format_machine(agent, "morphett")


def test_unknown_formats_and_endings(tmp_path):
    agent = parse_machine("1RB1LB_1LA1RZ")
    with pytest.raises(InputError, match="did you mean json"):
        format_machine(agent, "jsn")
    with pytest.raises(InputError, match=r"end its name in one of \.json"):
        write_machine(agent, tmp_path / "machine.txt")
    with pytest.raises(InputError, match="dot is written only"):
        parse_machine("digraph {}", "dot")
    with pytest.raises(InputError, match="No such file"):
        read_machine(tmp_path / "missing.json")
    with pytest.raises(InputError, match="cannot tell the format") as caught:
        parse_machine("hello")
    for tried in (f.name for f in FORMATS.values() if f.is_read):
        assert f" {tried}: " in str(caught.value)
    assert "morphett: line 1: expected `state symbol" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_with_an_ending_of_its_own_is_told_by_its_text(tmp_path):
    file = tmp_path / "machine.mt"
    for text in (
        "; odd\r\n0 1 1 r 0\r\n0 _ _ * halt-accept\r\n",
        format_machine(parse_machine("1RB1LB_1LA1RZ"), "jflap"),
    ):
        file.write_text(text)
        assert read_machine(file).name == "machine"


def test_a_machine_survives_a_tour_of_the_formats(tmp_path):
    first = agent = parse_machine("1RB2LB1RZ_2LA2RB1LB")
    for ending in (".yaml", ".jff", ".tm", ".json", ".yml", ".bb"):
        write_machine(agent, tmp_path / f"machine{ending}")
        agent = read_machine(tmp_path / f"machine{ending}")
        assert agent.same_table(first), ending
    assert (tmp_path / "machine.bb").read_text() == "1RB2LB1RZ_2LA2RB1LB\n"
    assert agent.run().steps == 38


def test_inputs_that_came_with_a_machine_stay_with_it():
    text = "input: '10 1'\nblank: ' '\nstart state: A\ntable:\n  A: {[0, 1, ' ']: R}\n"
    agent = parse_machine(text)
    assert agent.sample_inputs == ("10_1",)
    assert parse_machine(format_machine(agent, "turingmachine.io")).sample_inputs == ("10_1",)
    assert parse_machine(text.replace("blank: ' '", "blank: 0")).sample_inputs == ("10 1",)
