"""turingmachine.io's documents are read as turingmachine.io reads them, and what is wrong is named."""

import pytest
from machine_texts import complaint, edited

from dfst.machines.formats import parse_machine

INCREMENT = """
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

SYNONYMS = """
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

SAVED = """
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


def test_it_reads_lists_and_moves_and_ends():
    agent = parse_machine(INCREMENT, name="increment")
    assert (agent.states, agent.sample_inputs) == (("right", "carry"), ("1011",))
    assert agent.alphabet[agent.blank] == "λ"
    run = agent.run("1011")
    assert (run.answer, run.steps, run.halted) == ("1100", 8, True)


def test_it_reads_synonyms_and_stays():
    run = parse_machine(SYNONYMS).run("b")
    assert (run.answer, run.steps) == ("a", 2)


def test_it_unwraps_a_saved_document():
    agent = parse_machine(SAVED)
    assert (agent.name, agent.alphabet, agent.blank) == ("turn around", ("0", "1"), 0)
    assert agent.run().halted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "blank: ' '\nstart state: rihgt\ntable:\n  right: {' ': R}",
            "the start state 'rihgt' has no rule: did you mean right?",
        ),
        ("blank: ' '", "found no 'start state'"),
        ("[1, 2", "line 1: not YAML: a bracket or brace before this is not closed"),
        ("a: {b: c\nd: e", "line 2: not YAML: a bracket or brace before this is not closed"),
        ("a:\n\tb: c", "line 2: not YAML: found a tab; indent with spaces"),
        ("a: b: c", "line 1: not YAML: found a second ': ' in a value; quote it, or"),
        ("a: 'b", "line 1: not YAML: a quote is not closed"),
        ("a:\n  b: c\n d: e", "line 3: not YAML: indent this as the lines above it"),
        ("a: @b", "line 1: not YAML: quote a value that begins with @"),
        ("- 1", "expected a document of `key: value` pairs"),
        pytest.param("[" * 400_000, "expected at most 16 levels of nesting", id="deep"),
        ("a: &b c\nd: *b", "line 1: found an anchor or an alias"),
        ("a: b\n---\nc: d", "line 3: expected one document"),
        (
            edited(INCREMENT, "{L: carry}", "{L: carrie}"),
            "line 9: state 'right' reading ' ' leads to 'carrie', which is not in the table",
        ),
        (
            edited(INCREMENT, "{L: carry}", "{U: carry}"),
            "line 9: state 'right' reading ' ': expected write, L, R or N, found 'U'",
        ),
        (
            edited(INCREMENT, "{write: 0, L}", "{write: 0, L, R}"),
            "line 11: state 'carry' reading '1': expected one move L, R or N, found 2",
        ),
        (
            edited(INCREMENT, "{write: 0, L}", "{write: 10, L}"),
            "line 11: state 'carry' reading '1': expected to write one character, found '10'",
        ),
        (
            edited(INCREMENT, "[1, 0]: R", "[1, 1]: R"),
            "line 8: state 'right' reading '1' has a rule already, in line 8; "
            "a machine here is deterministic, keep one",
        ),
        (edited(INCREMENT, "' '\n", "'  '\n"), "line 4: expected a blank of one character"),
        (edited(INCREMENT, "state: right", "state: left"), "start state 'left' has no rule"),
    ],
)
def test_a_mistake_is_named(text, message):
    assert message in complaint(text, "turingmachine.io")
