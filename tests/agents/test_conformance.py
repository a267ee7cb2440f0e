"""One check for every expert: it halts, S comes last, the alphabet holds, the answer is Python's."""

from itertools import product

import numpy as np
import pytest

from dfst.agents import HALT, MISSING, expert, expert_names
from dfst.agents.arithmetic import BUILDERS
from dfst.agents.task import to_digits, to_int
from dfst.world.grid import S

RADICES = (2, 3, 10, 16, 36)
NAMES = [f"{family}{radix}" for family in BUILDERS for radix in RADICES]


def check(agent, operands):
    """Everything a conforming agent promises about one input."""
    text = agent.task.write(operands)
    trace = agent.trace(text)
    assert np.flatnonzero(trace.m == S).tolist() == [len(trace) - 1], (
        f"{text}: S must come last and only there"
    )
    assert trace.s.max() < len(agent.alphabet)
    run = agent.run(text)
    assert run.halted
    assert run.steps == len(trace)
    assert run.answer == agent.task.solve(operands), text


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_well_formed(name):
    agent = expert(name)
    given = agent.next != MISSING
    assert (agent.motion[agent.next == HALT] == S).all()
    assert (agent.motion[given & (agent.next != HALT)] != S).all()
    assert agent.alphabet == agent.task.alphabet


@pytest.mark.parametrize("name", NAMES)
def test_exhaustive_on_small_operands(name):
    agent = expert(name)
    longest = {2: 4, 3: 2}.get(agent.task.radix, 1)
    digits = agent.task.digits if agent.task.radix < 36 else agent.task.digits[::5]
    operands = ["".join(p) for n in range(1, longest + 1) for p in product(digits, repeat=n)]
    for pair in product(operands, repeat=agent.task.operand_count):
        check(agent, pair)


@pytest.mark.parametrize("name", NAMES)
def test_random_long_operands_of_different_lengths(name):
    agent, rng = expert(name), np.random.default_rng(5)
    digits = np.array(agent.task.digits)
    for longest in (6, 20, 60):
        for _ in range(3):
            lengths = rng.integers(1, longest + 1, size=agent.task.operand_count)
            check(agent, tuple("".join(rng.choice(digits, size=n)) for n in lengths))


@pytest.mark.parametrize("name", NAMES)
def test_zeros_leading_zeros_repeated_digits_and_carry_chains(name):
    agent = expert(name)
    top = agent.task.digits[-1]
    special = ["0", "000", "001", "1", "100", "1" * 9, top, top * 9, "0" + top * 4, top + "0" * 4]
    for operands in product(special, repeat=agent.task.operand_count):
        check(agent, operands)


@pytest.mark.parametrize(
    ("name", "states", "rules", "longest"),
    [("add2", 12, 37, 69), ("add10", 20, 213, 69), ("mult2", 31, 81, 431), ("mult10", 107, 1037, 431)],
)
def test_the_sizes_of_the_paper(name, states, rules, longest):
    agent = expert(name)
    assert (len(agent.states), agent.rule_count) == (states, rules)
    n = 3 if name.startswith("add") else 5
    top = agent.task.digits[-1]
    lengths = {len(agent.trace(agent.task.write((a * n, b * n)))) for a in "01" + top for b in "01" + top}
    assert max(lengths) <= longest


@pytest.mark.parametrize(("name", "formula"), [("add10", lambda n: 2 * n * n + 13 * n + 12)])
def test_growth_of_addition(name, formula):
    for n in (1, 5, 40):
        assert expert(name).run("9" * n + "+" + "9" * n).steps <= formula(n)


def test_names_are_listed_and_found():
    for name in expert_names():
        assert expert(name).name == name


@pytest.mark.parametrize("radix", [2, 7, 10, 36])
def test_integers_of_any_length_survive_the_trip(radix):
    value = radix**5000 - 12345
    assert to_int(to_digits(value, radix), radix) == value
    assert to_digits(0, radix) == "0"
