"""JFLAP's files are read as JFLAP reads them, and what is wrong is named."""

import pytest
from machine_texts import complaint, edited

from dfst.errors import MissingRule
from dfst.machines.formats import parse_machine

TEXT = """<?xml version="1.0" encoding="UTF-8" standalone="no"?><!--Created with JFLAP 6.4.-->
<structure><type>turing</type><automaton>
<block id="0" name="q0"><tag>Machine0</tag><x>94.0</x><y>117.0</y><initial/></block>
<block id="1" name="q1"><tag>Machine1</tag><x>224.0</x><y>111.0</y><final/></block>
<transition><from>0</from><to>0</to><read>a</read><write>b</write><move>R</move></transition>
<transition><from>0</from><to>1</to><read/><write/><move>S</move></transition>
<Machine0/><Machine1/>
</automaton></structure>
"""


def test_jflap_reads_blocks_and_finals():
    run = parse_machine(TEXT).run("aaa")
    assert (run.answer, run.steps, run.halted) == ("bbb", 4, True)


def test_a_gap_in_a_state_with_rules_is_a_rejection_or_a_missing_rule():
    run = parse_machine(TEXT).run("ab")
    assert (run.accepted, run.halted, run.steps) == (False, False, 1)
    assert run.ending == "rejected: no rule for state 'q0' reading 'b'"
    with pytest.raises(MissingRule, match="state '0' reading 'b'"):
        parse_machine("0 a b r 0\n0 _ b r halt").run("ab")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (edited(TEXT, "turing<", "fa<"), "finite automata are not read"),
        (edited(TEXT, "<initial/>", ""), "expected one state marked <initial/>, found 0"),
        (edited(TEXT, "<to>0</to>", "<to>7</to>"), "transition 1: expected the id of a state in <to>"),
        (edited(TEXT, ">R<", ">U<"), "from state 'q0' reading 'a': expected the move L, R or S, found 'U'"),
        (
            edited(TEXT, "<read/>", "<read>a</read>"),
            "transition 2: state 'q0' reading 'a' has a rule already, in transition 1; "
            "a machine here is deterministic, keep one",
        ),
        (edited(TEXT, "<read/>", "<read>ab</read>"), "one character, ~ or !x in <read>"),
        (edited(TEXT, "<read/>", "<read>!</read>"), "one character, ~ or !x in <read>"),
        (edited(TEXT, "<write/>", "<write>!a</write>"), "expected one character in <write>"),
        (edited(TEXT, "<read/>", "<read>a,b}w</read>"), "variables such as 'a,b}w' are not"),
        (
            edited(TEXT, "<automaton>", "<tapes>2</tapes><automaton>"),
            "expected one tape, found '2'; several tapes are not supported",
        ),
        (
            edited(TEXT, "<read/>", "<read>b</read><read/>"),
            "expected one <read>, found 2; several tapes are not supported",
        ),
        (
            edited(TEXT, "<Machine0/>", '<Machine0><block id="0"/></Machine0>'),
            "the building block 'Machine0' is not read; draw its states in its place",
        ),
        (edited(TEXT, ">Machine0<", ">R.jff<"), "the building block 'R.jff' is not read"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><structure>&b;</structure>', "without a document type"),
        ("<structure>\n<type>\n</structure>", "line 3: not XML"),
        pytest.param("<a>" * 100, "at most 64 levels", id="deep"),
    ],
)
def test_a_mistake_is_named(text, message):
    assert message in complaint(text, "jflap")
