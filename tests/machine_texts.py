"""Machine files to try readers on: random machines that fit a format, and texts that were tampered with."""

import numpy as np
import pytest
from random_agent import LINE, PLANE, PLANE_AND_STAY, random_agent

from dfst.errors import InputError
from dfst.machines.agent import MISSING
from dfst.machines.formats import parse_machine
from dfst.world.grid import L, R, S

NUMBERS = [str(k) for k in range(10)]
STRANGE = ["λ", "×", "#", "'", "<", "&", ":", "-", "é", "𝟘"]
TAPE_AND_STAY = (L, R, S)

KINDS = {
    # motions, whether rules may be missing, alphabets
    "json": (PLANE_AND_STAY, True, [STRANGE, NUMBERS]),
    "bbchallenge": (LINE, True, [NUMBERS]),
    "turingmachine.io": (TAPE_AND_STAY, True, [STRANGE, NUMBERS]),
    "morphett": (TAPE_AND_STAY, True, [STRANGE, NUMBERS]),
    "jflap": (TAPE_AND_STAY, True, [STRANGE, NUMBERS]),
    "turmite": (PLANE, False, [NUMBERS]),
}


def machine_for(format, seed):
    """A random machine that fits the format."""
    rng = np.random.default_rng(seed)
    motions, missing, alphabets = KINDS[format]
    symbols = int(rng.integers(1, 11))
    alphabet = alphabets[rng.integers(len(alphabets))][:symbols]
    agent = random_agent(
        rng, int(rng.integers(1, 26)), symbols, motions, 0.2 if missing else 0.0, 0.1, alphabet=alphabet
    )
    next_, motion = agent.next.copy(), agent.motion.copy()
    if format != "json":
        next_[:, 0][(next_ == MISSING).all(axis=1)] = 0
    if format == "turmite":
        motion[next_ == -1] = S
    return type(agent)(
        "random", agent.alphabet, agent.states, agent.write.copy(), motion, next_, int(agent.blank)
    )


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
        "# even\n---\nblank: ' ' # a comment\n\nstart state:   e\ntable:   # states\n  e: # one\n"
        "    [a, 'b']: {write: \"\\x41\", # A\n     R}\n    c : { N : the end } \n  # two\n\n"
        "  'the end': {}\n",
        "name: n\nsource code: |\n  blank: _\n  start state: q\n  table:\n    q: {a: L}\n",
        "blank: _\nstart state: q\ntable: {q: {a: L, _: {N: h}}, h: }",
    ],
    "jflap": [
        '<structure><type>turing</type><automaton><state id="0" name="q0"><initial/></state>'
        '<block id="1" name="q1"><tag>M1</tag><final/></block><transition><from>0</from><to>1</to>'
        "<read>a</read><write/><move>R</move></transition><M1/></automaton></structure>",
        "<!-- dfst blank λ alphabet: λ a --><structure><type>turing</type></structure>",
        '<structure><type>turing</type><state id="0"><initial/></state><state id="1"/><transition><from>0'
        "</from><to>1</to><read>!a</read><write>~</write><move>L</move></transition></structure>",
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
        " # x\n",
        "#",
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


def edited(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


def complaint(text, format=None):
    """The one line that is said of a text that is no machine."""
    with pytest.raises(InputError) as caught:
        parse_machine(text, format)
    assert "\n" not in str(caught.value)
    return str(caught.value)
