"""What people already have is read as its own tools read it, and what is wrong is named."""

import pytest

from dfst.errors import InputError, MissingRule
from dfst.machines.formats import (
    FORMATS,
    MAX_BYTES,
    guess_format,
    looks_like_machine,
    parse_machine,
    read_machine,
)
from dfst.machines.formats.published import published

YAML_INCREMENT = """
# adds one to a binary number
input: '1011'
blank: ' '
start state: right
table:
  right:
    [1, 0]: R
    ' ': {L: carry}
  carry:
    1: {write: 0, L}
    [0, ' ']: {write: 1, L: done}
  done:
"""

YAML_SYNONYMS = """
blank: _
start state: start
synonyms:
  accept: {N: yes}
table:
  start:
    a: accept
    b: {write: a, N: start}
  yes: {}
"""

YAML_SAVED = """
name: turn around
source code: |
  blank: 0
  start state: A
  table:
    A: {0: {R: B}, 1: {L: B}}
    B: {0: {write: 1, L: A}, 1: {R: H}}
    H:
positions:
  A: {x: 1.5, y: 2}
"""

MORPHETT_INCREMENT = """
; adds one to a binary number
0 * * r 0        ; to the right end
0 _ _ l carry
carry 1 0 l *
carry * 1 L halt-done !
"""

MORPHETT_WILD = """
0 a b r 1
1 * * * 2
2 b c r *
* _ x * halt
"""

JFLAP_BLOCKS = """<?xml version="1.0" encoding="UTF-8" standalone="no"?><!--Created with JFLAP 6.4.-->
<structure><type>turing</type><automaton>
<block id="0" name="q0"><tag>Machine0</tag><x>94.0</x><y>117.0</y><initial/></block>
<block id="1" name="q1"><tag>Machine1</tag><x>224.0</x><y>111.0</y><final/></block>
<transition><from>0</from><to>0</to><read>a</read><write>b</write><move>R</move></transition>
<transition><from>0</from><to>1</to><read/><write/><move>S</move></transition>
<Machine0/><Machine1/>
</automaton></structure>
"""


def test_turingmachine_io_reads_lists_and_moves_and_ends():
    agent = parse_machine(YAML_INCREMENT, name="increment")
    assert (agent.states, agent.sample_inputs) == (("right", "carry"), ("1011",))
    assert agent.alphabet[agent.blank] == "λ"
    run = agent.run("1011")
    assert (run.answer, run.steps, run.halted) == ("1100", 8, True)


def test_turingmachine_io_reads_synonyms_and_stays():
    run = parse_machine(YAML_SYNONYMS).run("b")
    assert (run.answer, run.steps) == ("a", 2)


def test_turingmachine_io_unwraps_a_saved_document():
    agent = parse_machine(YAML_SAVED)
    assert (agent.name, agent.alphabet, agent.blank) == ("turn around", ("0", "1"), 0)
    assert agent.run().halted


def test_a_misspelt_state_is_no_halt_in_morphett():
    """Only a name that starts with halt is one."""
    for name in ("fnid", "accept"):
        machine = parse_machine(f"0 0 0 r {name}\nfind 0 1 r find\nfind _ _ * halt", "morphett")
        with pytest.raises(MissingRule, match=f"no rule for state '{name}' reading '0'"):
            machine.run("00")


def test_morphett_reads_wildcards_in_their_order():
    agent = parse_machine(MORPHETT_INCREMENT)
    assert [agent.run(text).answer for text in ("0", "1011", "111")] == ["1", "1100", "1000"]
    wild = parse_machine(MORPHETT_WILD)
    assert wild.run("a").answer == "bx"
    assert wild.run("ab").answer == "bcx"


def test_a_space_in_an_input_is_the_blank():
    agent = parse_machine("0 1 2 r 0\n0 _ _ r 1\n1 1 3 r halt")
    assert agent.run("1 1").answer == agent.run("1_1").answer == "2_3"


def test_jflap_reads_blocks_and_finals():
    run = parse_machine(JFLAP_BLOCKS).run("aaa")
    assert (run.answer, run.steps, run.halted) == ("bbb", 4, True)


def test_a_gap_in_a_state_with_rules_is_a_rejection_or_a_missing_rule():
    run = parse_machine(JFLAP_BLOCKS).run("ab")
    assert (run.accepted, run.halted, run.steps) == (False, False, 1)
    assert run.ending == "rejected: no rule for state 'q0' reading 'b'"
    with pytest.raises(MissingRule, match="state '0' reading 'b'"):
        parse_machine("0 a b r 0\n0 _ b r halt").run("ab")


def test_an_undefined_entry_is_a_missing_rule():
    agent = parse_machine("1RB---_1LA---")
    assert agent.rule_count == 2
    with pytest.raises(MissingRule, match="state 'A' reading '1'"):
        agent.run()


def test_the_older_letter_for_halting():
    assert parse_machine("1RB1LB_1LA1RH").same_table(published("bb2"))


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("1RB1LB_1LA1RZ", "bbchallenge"),
        ("  1RB---_------\n", "bbchallenge"),
        ("{{{1,2,0},{0,8,0}}}", "turmite"),
        ("{ {{1,'N',0}}}", "turmite"),
        ('{"format": "dfst-machine/1"}', "json"),
        (YAML_INCREMENT, "turingmachine.io"),
        (YAML_SAVED, "turingmachine.io"),
        (MORPHETT_INCREMENT, "morphett"),
        (JFLAP_BLOCKS, "jflap"),
    ],
)
def test_formats_are_told_by_their_text(text, format):
    assert guess_format(text) == format
    assert guess_format("anything", FORMATS[format].suffixes[-1].upper()) == format


@pytest.mark.parametrize(
    ("word", "is_machine"),
    [
        ("1RB1LB_1LA1RZ", True),
        ("1RB1LB_1LA1RX", True),
        ("{{{1,2,0},{0,8,0}}}", True),
        ("add10", False),
        ("expert:add10", False),
        ("bb5", False),
        ("1RB.json", False),
    ],
)
def test_words_on_the_command_line(word, is_machine):
    assert looks_like_machine(word) is is_machine


def edited(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


MISTAKES = [
    ("bbchallenge", "1RB1LB_1LA", "state B: expected 2 entries as in state A, found '1LA'"),
    ("bbchallenge", "1RB2LB_1LA1RZ", "state A reading 1: expected a symbol 0 to 1 first, found '2LB'"),
    ("bbchallenge", "1RB1UB_1LA1RZ", "state A reading 1: expected the move L or R second, found '1UB'"),
    ("bbchallenge", "1RB1LB_1LA1RX", "state B reading 1: expected a state A to B, or Z, third, found '1RX'"),
    ("bbchallenge", "", "expected rows of 1 to 10 entries such as 1RB, found ''"),
    ("turmite", "{{{1,2,0},{0,8,0}}", "column 19: expected , or }, found 'end'"),
    ("turmite", "{{{1,2,0},{2,8,0}}}", "state 0 reading 1: expected to write 0 to 1, found 2"),
    ("turmite", "{{{1,2,0},{0,8,3}}}", "state 0 reading 1: expected a next state 0 to 0, found 3"),
    ("turmite", "{{{1,2,0},{0,3,0}}}", "state 0 reading 1: expected a turn 1, 2, 4, 8 or 0 to halt, found 3"),
    (
        "turmite",
        "{{{1,2,0},{0,'N',0}}}",
        "state 0 reading 1: expected either compass points or turns throughout",
    ),
    ("turmite", "{{{1,2,0},{0,'Q',0}}}", "column 14: expected braces, commas, numbers and"),
    ("turmite", "{{{0,2,0}},{{0,2,0},{0,8,0}}}", "state 1: expected 1 entries as in state 0, found 2"),
    ("turmite", "__import__('os')", "column 1: expected braces"),
    (
        "morphett",
        "0 a b r",
        "line 1: expected `state symbol new-symbol direction next-state`, found '0 a b r'",
    ),
    (
        "morphett",
        "0 _ a r 0\n0 a b up 0",
        "line 2: state '0' reading 'a': expected the direction l, r or *, found 'up'",
    ),
    (
        "morphett",
        "0 a b r 0\n\n0 a c r 0",
        "line 3: state '0' reading 'a' has a rule already, in line 1; "
        "a machine here is deterministic, keep one",
    ),
    (
        "morphett",
        "0 ab b r 0",
        "line 1: state '0' reading 'ab': expected a symbol of one character, found 'ab'",
    ),
    ("morphett", "1 a b r 1", "the start state '0' has no rule"),
    (
        "turingmachine.io",
        "blank: ' '\nstart state: rihgt\ntable:\n  right: {' ': R}",
        "the start state 'rihgt' has no rule: did you mean right?",
    ),
    ("morphett", "halt a b r 0", "starts with halt has no rules"),
    ("jflap", edited(JFLAP_BLOCKS, "turing<", "fa<"), "finite automata are not read"),
    ("jflap", edited(JFLAP_BLOCKS, "<initial/>", ""), "expected one state marked <initial/>, found 0"),
    (
        "jflap",
        edited(JFLAP_BLOCKS, "<to>0</to>", "<to>7</to>"),
        "transition 1: expected the id of a state in <to>",
    ),
    (
        "jflap",
        edited(JFLAP_BLOCKS, ">R<", ">U<"),
        "from state 'q0' reading 'a': expected the move L, R or S, found 'U'",
    ),
    (
        "jflap",
        edited(JFLAP_BLOCKS, "<read/>", "<read>a</read>"),
        "transition 2: state 'q0' reading 'a' has a rule already, in transition 1; "
        "a machine here is deterministic, keep one",
    ),
    ("jflap", edited(JFLAP_BLOCKS, "<read/>", "<read>ab</read>"), "one character, ~ or !x in <read>"),
    ("jflap", edited(JFLAP_BLOCKS, "<read/>", "<read>!</read>"), "one character, ~ or !x in <read>"),
    ("jflap", edited(JFLAP_BLOCKS, "<write/>", "<write>!a</write>"), "expected one character in <write>"),
    ("jflap", edited(JFLAP_BLOCKS, "<read/>", "<read>a,b}w</read>"), "variables such as 'a,b}w' are not"),
    (
        "jflap",
        edited(JFLAP_BLOCKS, "<automaton>", "<tapes>2</tapes><automaton>"),
        "expected one tape, found '2'; several tapes are not supported",
    ),
    (
        "jflap",
        edited(JFLAP_BLOCKS, "<read/>", "<read>b</read><read/>"),
        "expected one <read>, found 2; several tapes are not supported",
    ),
    (
        "jflap",
        edited(JFLAP_BLOCKS, "<Machine0/>", '<Machine0><block id="0"/></Machine0>'),
        "expected one state marked <initial/> of the building block 'Machine0', found 0",
    ),
    (
        "jflap",
        edited(
            JFLAP_BLOCKS,
            "<Machine0/>",
            '<Machine0><block id="0"><tag>Machine0</tag><initial/></block></Machine0>',
        ),
        "the building block 'Machine0' holds itself",
    ),
    ("jflap", '<!DOCTYPE a [<!ENTITY b "c">]><structure>&b;</structure>', "without a document type"),
    ("jflap", "<structure>\n<type>\n</structure>", "line 3: not XML"),
    ("jflap", "<a>" * 100, "at most 64 levels"),
    ("turingmachine.io", "blank: ' '", "found no 'start state'"),
    ("turingmachine.io", "[1, 2", "line 1: not YAML"),
    ("turingmachine.io", "- 1", "expected a document of `key: value` pairs"),
    ("turingmachine.io", "[" * 400_000, "expected at most 16 levels of nesting"),
    ("turingmachine.io", "a: &b c\nd: *b", "line 1: found an anchor or an alias"),
    ("turingmachine.io", "a: b\n---\nc: d", "line 3: expected one document"),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "{L: carry}", "{L: carrie}"),
        "line 9: state 'right' reading ' ' leads to 'carrie', which is not in the table",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "{L: carry}", "{U: carry}"),
        "line 9: state 'right' reading ' ': expected write, L, R or N, found 'U'",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "{write: 0, L}", "{write: 0, L, R}"),
        "line 11: state 'carry' reading '1': expected one move L, R or N, found 2",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "{write: 0, L}", "{write: 10, L}"),
        "line 11: state 'carry' reading '1': expected to write one character, found '10'",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "[1, 0]: R", "[1, 1]: R"),
        "line 8: state 'right' reading '1' has a rule already, in line 8; "
        "a machine here is deterministic, keep one",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "' '\n", "'  '\n"),
        "line 4: expected a blank of one character",
    ),
    (
        "turingmachine.io",
        edited(YAML_INCREMENT, "state: right", "state: left"),
        "start state 'left' has no rule",
    ),
    ("json", "{", "line 1: not JSON"),
    ("json", "[" * 100_000, "not JSON"),
    (
        "json",
        '{"format": "dfst-machine/1", "alphabet": ["\\ud800"], "blank": "\\ud800", '
        '"states": ["p"], "rules": []}',
        "expected characters of Unicode in symbols, found '\\ud800'",
    ),
    ("json", "{}", "expected \"format\": 'dfst-machine/1', found 'None'"),
]


@pytest.mark.parametrize(("format", "text", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_named(format, text, message):
    with pytest.raises(InputError) as caught:
        parse_machine(text, format)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


JSON = (
    '{"format": "dfst-machine/1", "alphabet": ["λ", "a"], "blank": "λ", "states": ["p"], '
    '"rules": [["p", "a", "λ", "R", "p"], ["p", "λ", "a", "S", null]]}'
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"blank": "λ"', '"blank": "b"', "expected a blank out of the alphabet, found 'b'"),
        (
            '"a", "λ", "R"',
            '"b", "λ", "R"',
            "rule 1, state 'p' reading 'b': expected a declared symbol, found 'b'",
        ),
        (
            '"R", "p"]',
            '"X", "p"]',
            "rule 1, state 'p' reading 'a': expected a motion U, D, L, R or S, found 'X'",
        ),
        (
            '"R", "p"]',
            '"R", "q"]',
            "rule 1, state 'p' reading 'a': expected a declared state or null to halt",
        ),
        ('["p", "λ", "a"', '["p", "a", "a"', "rule 2: a second one for state 'p' reading 'a'"),
        ('["p"]', '["p", "p"]', "'p' is declared twice among the states"),
        ('["λ", "a"]', '["λ", "a", 1]', "expected strings in alphabet, found '1'"),
        (
            '"rules"',
            '"task": "add2", "rules"',
            "expected a task whose alphabet is this machine's, found 'add2'",
        ),
        ('"rules"', '"start": "middle", "rules"', "expected start to be first, last or operator"),
        (
            '"rules": [',
            '"rules": [3, ',
            "rule 1: expected [state, read, write, motion, next state], found '3'",
        ),
    ],
)
def test_a_mistake_in_json_is_named(old, new, message):
    assert parse_machine(JSON).run("aa").answer == "a"
    with pytest.raises(InputError) as caught:
        parse_machine(edited(JSON, old, new))
    assert message in str(caught.value)


def test_files_that_are_too_long_or_no_text_are_refused(tmp_path):
    path = tmp_path / "machine.json"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(InputError, match="at most 10,000,000 bytes"):
        read_machine(path)
    path.write_bytes(b'{"format": "\xff"}')
    with pytest.raises(InputError, match="expected UTF-8 text, found byte 0xff at 12"):
        read_machine(path)


def test_a_small_file_cannot_ask_for_a_huge_table():
    states = ", ".join(f'"{i}"' for i in range(90_000))
    symbols = ", ".join(f'"{i}"' for i in range(200))
    head = f'"format": "dfst-machine/1", "alphabet": [{symbols}], "blank": "0"'
    text = f'{{{head}, "states": [{states}], "rules": []}}'
    with pytest.raises(InputError, match="states × symbols up to 4,000,000"):
        parse_machine(text)
