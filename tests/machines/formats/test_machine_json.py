"""A machine as JSON is read, and what is wrong is named."""

import pytest
from machine_texts import complaint, edited

from dfst.machines.formats import parse_machine

TEXT = (
    '{"format": "dfst-machine/1", "alphabet": ["λ", "a"], "blank": "λ", "states": ["p"], '
    '"rules": [["p", "a", "λ", "R", "p"], ["p", "λ", "a", "S", null]]}'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        pytest.param("[" * 100_000, "not JSON", id="deep"),
        (
            '{"format": "dfst-machine/1", "alphabet": ["\\ud800"], "blank": "\\ud800", '
            '"states": ["p"], "rules": []}',
            "expected characters of Unicode in symbols, found '\\ud800'",
        ),
        ("{}", "expected \"format\": 'dfst-machine/1', found 'None'"),
    ],
)
def test_what_is_no_machine_is_named(text, message):
    assert message in complaint(text, "json")


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
def test_a_mistake_is_named(old, new, message):
    assert parse_machine(TEXT).run("aa").answer == "a"
    assert message in complaint(edited(TEXT, old, new))


def test_a_small_file_cannot_ask_for_a_huge_table():
    states = ", ".join(f'"{i}"' for i in range(90_000))
    symbols = ", ".join(f'"{i}"' for i in range(200))
    head = f'"format": "dfst-machine/1", "alphabet": [{symbols}], "blank": "0"'
    text = f'{{{head}, "states": [{states}], "rules": []}}'
    assert "states × symbols up to 4,000,000" in complaint(text)
