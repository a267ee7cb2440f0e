"""One check for every expert: it halts, S comes last, the alphabet holds, the answer is Python's."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert, expert_names
from dfst.experts.registry import BUILDERS, TABLES
from dfst.machines import HALT, MISSING
from dfst.paper import TASKS
from dfst.states.fewest import fewest_states
from dfst.tasks.numbers import FAMILIES, to_digits, to_int
from dfst.tasks.registry import NAMED
from dfst.traces.replay import rule_coverage
from dfst.traces.sample import NUMBER_SAMPLING, PAPER_SAMPLING, sample_traces
from dfst.world.grid import S

RADICES = (2, 3, 10, 16, 36)
ALL = [f"{family}{radix}" for family in FAMILIES for radix in RADICES if family != "sqrt" or radix % 2 == 0]
NAMES = [name for name in ALL if expert(name).task.radix < 10] + ["add10", "mult10", "sqrt16", "sort36"]
NAMES += slow(*(name for name in ALL if name not in NAMES))


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
    for pair in product(operands, repeat=min(2, agent.task.operand_count)):
        check(agent, pair)


@pytest.mark.parametrize("name", NAMES)
def test_random_long_operands_of_different_lengths(name):
    agent, rng = expert(name), np.random.default_rng(5)
    digits = np.array(list(agent.task.digits))
    for longest in (6, 20, 60):
        for _ in range(3):
            lengths = rng.integers(1, longest + 1, size=agent.task.operand_count)
            check(agent, tuple("".join(rng.choice(digits, size=n)) for n in lengths))


@pytest.mark.parametrize("name", NAMES)
def test_zeros_leading_zeros_repeated_digits_and_carry_chains(name):
    agent = expert(name)
    top = agent.task.digits[-1]
    special = ["0", "000", "001", "1", "100", "1" * 9, top, top * 9, "0" + top * 4, top + "0" * 4]
    for operands in product(special, repeat=min(2, agent.task.operand_count)):
        check(agent, operands)


@pytest.mark.parametrize(
    ("name", "rules", "longest"),
    [("add2", 40, 81), ("add10", 224, 81), ("mult2", 86, 456), ("mult10", 1030, 456)],
)
def test_as_many_states_as_in_the_paper_and_none_too_many(name, rules, longest):
    agent, paper = expert(name), TASKS[name]
    assert (len(agent.states), agent.rule_count) == (paper.hidden_size, rules)
    assert fewest_states(agent) == (paper.hidden_size, paper.hidden_size)
    digits, n = agent.task.digits, paper.max_digits
    repeated = [digit * n for digit in (*digits[:2], digits[-1])]
    assert max(len(agent.trace(agent.task.write(pair))) for pair in product(repeated, repeat=2)) == longest


@pytest.mark.parametrize("name", ["add2", "add10", "mult2", "mult10"])
def test_the_smallest_examples_show_every_rule(name):
    """Those that every draw of the data holds; multipliers need some of the random ones as well."""
    agent, paper = expert(name), PAPER_SAMPLING[name]
    samples = 2 * agent.task.radix**2 if name.startswith("add") else min(paper.samples, 2_000)
    for seed in range(3):
        shown = rule_coverage(agent, sample_traces(agent, replace(paper, samples=samples, data_seed=seed)))
        assert not shown.unseen, shown.sentence()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["add2", "add10", "mult2", "mult10"])
def test_every_draw_of_the_data_shows_every_rule(name):
    agent = expert(name)
    for seed in range(100):
        traces = sample_traces(agent, replace(PAPER_SAMPLING[name], data_seed=seed))
        assert not rule_coverage(agent, traces).unseen, seed


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("sum10", "12+34+5", "51"),
        ("sum2", "1+1+1+1+1", "101"),
        ("div10", "100/7", "14"),
        ("div10", "7/100", "0"),
        ("div10", "5/000", "?"),
        ("mod10", "100%7", "2"),
        ("mod2", "1%0", "?"),
        ("gcd10", "12,18", "6"),
        ("gcd10", "0,0", "0"),
        ("gcd2", "0,110", "110"),
        ("sqrt10", "99", "9"),
        ("sqrt2", "0", "0"),
    ],
)
def test_examples(name, text, answer):
    agent = expert(name)
    assert agent.run(text).answer == answer == agent.task.solve(agent.task.parse(text))


@pytest.mark.parametrize("name", NUMBER_SAMPLING)
def test_small_training_sets_of_the_board(name):
    agent, sampling = expert(name), NUMBER_SAMPLING[name]
    assert sampling.samples <= 1_000
    assert sampling.max_digits <= 4
    shown = rule_coverage(agent, sample_traces(agent, sampling))
    assert not shown.unseen, shown.sentence()


@pytest.mark.parametrize("radix", [2, 8, 10, 36])
def test_roots_of_squares_and_of_their_neighbours(radix):
    agent, rng = expert(f"sqrt{radix}"), np.random.default_rng(8)
    for digits in (1, 2, 3, 7, 20):
        root = to_int(agent.task.random_operand(rng, digits), radix) + 1
        for square in (root**2 - 1, root**2, root**2 + 1):
            check(agent, (to_digits(square, radix),))


@pytest.mark.parametrize("radix", RADICES)
def test_sums_of_many_numbers(radix):
    agent, rng = expert(f"sum{radix}"), np.random.default_rng(9)
    assert fewest_states(agent) == (radix + 10, radix + 10) == (len(agent.states),) * 2
    for count in (2, 3, 5, 12, 30):
        check(agent, tuple(agent.task.sampled_operand(rng, n) for n in rng.integers(1, 9, size=count)))
        check(agent, (agent.task.digits[-1],) * count)
        check(agent, ("0",) * count)


@pytest.mark.parametrize("digit", "09")
def test_growth(digit):
    for n in (1, 2, 5, 40):
        added = expert("add10").run(f"{digit * n}+{digit * n}").steps
        assert added == (2 * n * n + 15 * n + 18 if digit == "9" else 2 * n * n + 14 * n + 17)
        assert expert("mult10").run(f"{digit * n}×{digit * n}").steps == 13 * n * n + 24 * n + 10 + (
            digit == "0"
        )


def test_names_are_listed_and_found():
    for name in expert_names():
        assert expert(name).name == name


@pytest.mark.parametrize("radix", [2, 7, 10, 36])
def test_integers_of_any_length_survive_the_trip(radix):
    value = radix**5000 - 12345
    assert to_int(to_digits(value, radix), radix) == value
    assert to_digits(0, radix) == "0"


def test_an_expert_is_a_table_or_made_by_a_builder_never_both():
    tables = {file.stem for file in TABLES.iterdir()}
    assert tables | set(BUILDERS) == {*NAMED, *FAMILIES}
    assert not tables & set(BUILDERS)
