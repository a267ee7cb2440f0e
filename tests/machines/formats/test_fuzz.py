"""Ten thousand random and mutated files a format: each is a machine or one InputError, and soon."""

import contextlib
import random
import time

import numpy as np
import pytest
from machine_texts import PIECES, SEEDS, mutated, random_text
from random_agent import LINE, PLANE_AND_STAY, random_agent

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats import FORMATS, format_machine, parse_machine

FILES = 3_000
SLOWEST = 2.0
"""Seconds one small file may take, on a slow and busy machine."""


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
