"""Ten thousand random and mutated files a format: each is a machine or one InputError, and soon."""

import contextlib
import random
import time

import numpy as np
import pytest
from random_agent import LINE, PLANE_AND_STAY, random_agent

from dfst.agents.agent import Agent
from dfst.errors import InputError
from dfst.formats import FORMATS, format_machine, parse_machine

FILES = 10_000
SLOWEST = 2.0
"""Seconds one small file may take, on a slow and busy machine."""

SEEDS = {
    "bbchallenge": ["1RB1LB_1LA1RZ", "1RB2LB1RZ_2LA2RB1LB", "1RB---_------"],
    "turmite": ["{{{1,2,0},{0,8,0}}}", "{{{1,'S',1},{1,'W',0}},{{0,'W',1},{0,'',1}}}"],
    "morphett": [
        "0 * * r 0\n0 _ _ l c ; x\nc 1 0 l *\n* * 1 l halt !",
        "; dfst blank λ alphabet: λ a b\n0 a b r 0",
    ],
    "turingmachine.io": [
        "blank: 0\nstart state: A\ntable:\n  A: {0: {R: B}}\n  B:\n",
        "input: '1'\nblank: ' '\nstart state: r\nsynonyms:\n  a: {N: d}\n"
        "table:\n  r:\n    [1, 0]: R\n    ' ': a\n  d:\n",
        "name: n\nsource code: |\n  blank: _\n  start state: q\n  table:\n    q: {a: L}\n",
    ],
    "jflap": [
        '<structure><type>turing</type><automaton><state id="0" name="q0"><initial/></state>'
        '<block id="1" name="q1"><tag>M1</tag><final/></block><transition><from>0</from><to>1</to>'
        "<read>a</read><write/><move>R</move></transition><M1/></automaton></structure>",
        "<!-- dfst blank λ alphabet: λ a --><structure><type>turing</type></structure>",
        '<structure><type>turingbb</type><automaton><block id="0" name="q0"><tag>M0</tag><initial/></block>'
        '<block id="1" name="q1"><tag>M1</tag><final/></block><transition block="true"><from>0</from>'
        "<to>1</to><read>~</read></transition><transition><from>0</from><to>0</to><read>!a</read><write>~</write>"
        '<move>R</move></transition><M0><state id="0" name="p"><initial/></state><transition><from>0</from>'
        "<to>0</to><read>b</read><write> </write><move>L</move></transition></M0><M1/></automaton>"
        "</structure>",
    ],
    "json": [
        '{"format": "dfst-machine/1", "alphabet": ["λ", "a"], "blank": "λ", "states": ["p"], '
        '"ends": {"yes": true, "no": false, "done": null}, "stuck": "rejects", '
        '"rules": [["p", "a", "λ", "R", "yes"], ["p", "λ", "a", "S", "no"]]}',
        '{"format": "dfst-machine/1", "alphabet": ["λ", "a"], "blank": "λ", "states": ["p", "q"], '
        '"start": "last", "task": null, "inputs": ["a"], '
        '"rules": [["p", "a", "λ", "R", "q"], ["q", "λ", "a", "S", null]]}',
        '{"format": "dfst-machine/1", "task": "add2", "alphabet": ["0", "1", "λ", "+"], "blank": "λ", '
        '"states": ["p"], "rules": []}',
    ],
}

PIECES = {
    "bbchallenge": ["0", "1", "9", "L", "R", "A", "Z", "_", "---", "é"],
    "turmite": ["{", "}", ",", "'N'", "''", "'", "0", "8", "99999999999999999999", " "],
    "morphett": [
        "0",
        "*",
        "_",
        "l",
        "r",
        "halt",
        "\n",
        " ",
        ";",
        "!",
        "\x0b",
        "\u2028",
        "dfst blank a alphabet: a a",
    ],
    "turingmachine.io": [
        "{",
        "}",
        "[",
        "]",
        ": ",
        "- ",
        "&a ",
        "*a ",
        "|\n",
        "'",
        '"',
        "\n",
        "  ",
        "!!map ",
        "? ",
        "%",
        "<<",
    ],
    "jflap": [
        "<",
        ">",
        "/",
        "<state>",
        "</state>",
        "&amp;",
        "&a;",
        "<!DOCTYPE a>",
        "<![CDATA[",
        "]]>",
        '"',
        "=",
        "!",
        "~",
        "□",
        "<tag>M0</tag>",
        '<block id="0"/>',
    ],
    "json": ["{", "}", "[", "]", '"', ",", ":", "null", "1e999", "NaN", "-", "true", '"rules"', "[[[[[[[["],
}
ANYWHERE = ["\0", "\ufeff", "\ud800", "\U0001f600", "\t", "\r", "9" * 5000, "λ", "\x85"]


def mutated(rng, seed, pieces):
    """A text with a few cuts, copies and insertions."""
    text = seed
    for _ in range(rng.randint(1, 4)):
        i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        j = min(j, i + rng.choice((1, 2, 8, 40)))
        action = rng.randrange(5)
        if action == 0:
            text = text[:i] + text[j:]
        elif action == 1:
            text = text[:i] + text[i:j] * 2 + text[j:]
        elif action == 2:
            text = text[:i] + rng.choice(pieces) + text[i:]
        elif action == 3:
            text = text[:i] + rng.choice(pieces) + text[j:]
        else:
            text = (
                text[:i]
                + (chr(rng.randrange(32, 127)) if rng.random() < 0.9 else rng.choice(ANYWHERE))
                + text[j:]
            )
    return text


def random_text(rng, pieces):
    return "".join(rng.choice(pieces) for _ in range(rng.randint(0, 12)))


@pytest.mark.parametrize("format", SEEDS)
def test_foreign_text_is_a_machine_or_an_input_error(format):
    rng = random.Random(format)
    read, slowest, complaints = 0, 0.0, set()
    for number in range(FILES):
        seed = rng.choice(SEEDS[format])
        text = random_text(rng, PIECES[format]) if number % 5 == 0 else mutated(rng, seed, PIECES[format])
        began = time.thread_time()
        try:
            agent = parse_machine(text, format)
        except InputError as error:
            complaints.add(str(error))
        else:
            read += 1
            assert isinstance(agent, Agent)
        slowest = max(slowest, time.thread_time() - began)
    assert slowest < SLOWEST
    assert not [complaint for complaint in complaints if "\n" in complaint]
    assert len(complaints) > 20
    assert read > FILES // 200, "mutations too wild to reach what lies behind the parser"


def test_text_of_no_format_is_a_machine_or_an_input_error():
    rng = random.Random(0)
    every = [piece for pieces in PIECES.values() for piece in pieces]
    for _ in range(FILES):
        with contextlib.suppress(InputError):
            parse_machine(random_text(rng, every))


@pytest.mark.parametrize("format", FORMATS)
def test_any_agent_is_written_or_refused(format):
    names = ["λ", "/", '"', "\\", "a b", "", "\n", "~", "halt", "->", "𝟘", "{", "*", "0", "1"]
    rng = np.random.default_rng(3)
    written = 0
    for _ in range(300):
        alphabet = list(rng.permutation(names)[: rng.integers(1, 5)])
        if rng.random() < 0.5:
            alphabet = ["0", "1", "2"][: rng.integers(1, 4)]
        motions = PLANE_AND_STAY if rng.random() < 0.3 else LINE
        missing, halting = rng.choice([0.0, 0.1], 2)
        agent = random_agent(rng, len(names), len(alphabet), motions, missing, halting)
        agent = Agent(
            "odd\nname",
            tuple(str(s) for s in alphabet),
            tuple(str(s) for s in rng.permutation(names)),
            agent.write.copy(),
            agent.motion.copy(),
            agent.next.copy(),
            int(rng.integers(len(alphabet))),
        )
        try:
            text = format_machine(agent, format)
        except InputError:
            continue
        written += 1
        if FORMATS[format].is_read:
            assert parse_machine(text, format).same_table(agent)
    assert written
