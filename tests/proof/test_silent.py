"""Where a polished model has no rule its weights are silent, and silence is not taken for an answer.

Two tables of a binary sum: that of an earlier expert, and one that training found, which takes other states
for one and is right on every input. At the coarsest precision patterns do not exclude that it reads a + where
it has no rule; all scores are zero there. A finer precision excludes it.
"""

from __future__ import annotations

import numpy as np

from dfst.experts import expert
from dfst.machines import HALT, MISSING, Agent
from dfst.model import compile_agent
from dfst.proof import prove
from dfst.states.explore import Explorer, random_inputs
from dfst.states.extract import extract_bits
from dfst.world.grid import S

SYMBOLS = ("0", "1", "λ", "+", "|")
EXPERT = (
    "030 130 λ22 +21 -",
    "011 111 |03 - -",
    "022 122 λ312 - -",
    "034 134 034 - -",
    "034 134 λ25 +34 -",
    "λ16 λ17 - λ18 -",
    "019 119 λ26 - |06",
    "119 0210 λ27 - |07",
    "- - λ28 - λ011",
    "0210 - λ39 - λ21",
    "119 0210 039 - -",
    "0211 1211 λ30 - -",
    "λ312 14. 04. - -",
)
"""A row for each state, a rule for each symbol: written, motion, next state; a point halts."""
LEARNT = (
    "030 130 λ29 +21 -",
    "011 111 |02 - -",
    "033 133 032 - -",
    "033 133 λ24 +33 -",
    "λ15 λ14 λ24 λ17 |011",
    "- - λ25 - |06",
    "016 116 λ36 - λ21",
    "- - λ27 - λ08",
    "028 128 λ30 - -",
    "029 129 λ310 - -",
    "λ310 14. 04. - -",
    "116 0211 0312 - -",
    "0211 - - - -",
)


def adder(rows: tuple[str, ...]) -> Agent:
    shape = (len(rows), len(SYMBOLS))
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    for state, row in enumerate(rows):
        for symbol, rule in enumerate(row.split()):
            if rule != "-":
                write[state, symbol], motion[state, symbol] = SYMBOLS.index(rule[0]), int(rule[1])
                following[state, symbol] = HALT if rule[2] == "." else int(rule[2:])
    task = expert("sum2").task
    assert task is not None
    names = tuple(f"q{i}" for i in range(len(rows)))
    return Agent("sum2", SYMBOLS, names, write, motion, following, SYMBOLS.index("λ"), task, task.layout)


def test_silence_is_no_edge():
    assert prove(compile_agent(adder(LEARNT)), adder(EXPERT)).strength == "proved"


def test_weights_decide_where_there_is_a_rule():
    agent = adder(LEARNT)
    texts = random_inputs(agent.task, np.random.default_rng(0), 200, 6)
    explorer = Explorer.of(extract_bits(compile_agent(agent), texts).graph)
    known = {pair for pair in np.ndindex(explorer.states, len(SYMBOLS)) if explorer.decides(*pair)}
    assert known == set(explorer.edges)
