"""Morphett's programs are read as his simulator reads them, and what is wrong is named."""

import pytest
from machine_texts import complaint

from dfst.errors import MissingRule
from dfst.machines.formats import parse_machine

INCREMENT = """
; adds one to a binary number
0 * * r 0        ; to the right end
0 _ _ l carry
carry 1 0 l *
carry * 1 L halt-done !
"""

WILD = """
0 a b r 1
1 * * * 2
2 b c r *
* _ x * halt
"""


def test_a_misspelt_state_is_no_halt_in_morphett():
    """Only a name that starts with halt is one."""
    for name in ("fnid", "accept"):
        machine = parse_machine(f"0 0 0 r {name}\nfind 0 1 r find\nfind _ _ * halt", "morphett")
        with pytest.raises(MissingRule, match=f"no rule for state '{name}' reading '0'"):
            machine.run("00")


def test_morphett_reads_wildcards_in_their_order():
    agent = parse_machine(INCREMENT)
    assert [agent.run(text).answer for text in ("0", "1011", "111")] == ["1", "1100", "1000"]
    wild = parse_machine(WILD)
    assert wild.run("a").answer == "bx"
    assert wild.run("ab").answer == "bcx"


def test_a_space_in_an_input_is_the_blank():
    agent = parse_machine("0 1 2 r 0\n0 _ _ r 1\n1 1 3 r halt")
    assert agent.run("1 1").answer == agent.run("1_1").answer == "2_3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 a b r", "line 1: expected `state symbol new-symbol direction next-state`, found '0 a b r'"),
        (
            "0 _ a r 0\n0 a b up 0",
            "line 2: state '0' reading 'a': expected the direction l, r or *, found 'up'",
        ),
        (
            "0 a b r 0\n\n0 a c r 0",
            "line 3: state '0' reading 'a' has a rule already, in line 1; "
            "a machine here is deterministic, keep one",
        ),
        ("0 ab b r 0", "line 1: state '0' reading 'ab': expected a symbol of one character, found 'ab'"),
        ("1 a b r 1", "the start state '0' has no rule"),
        ("halt a b r 0", "starts with halt has no rules"),
    ],
)
def test_a_mistake_is_named(text, message):
    assert message in complaint(text, "morphett")
