"""Every task about words: its expert against plain Python, what it refuses, what its training set shows."""

import pickle
from dataclasses import replace
from itertools import islice, permutations, product

import numpy as np
import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.states.fewest import fewest_states
from dfst.tasks.word_tasks import GROUPS, WORD_TASKS
from dfst.traces.replay import rule_coverage
from dfst.traces.sample import WORD_SAMPLING, sample_inputs, sample_traces
from dfst.world.grid import S

EXAMPLES = [
    ("parity", "0110", "0"),
    ("parity", "1", "1"),
    ("even_pairs", "abba", "1"),
    ("even_pairs", "aab", "0"),
    ("cycle", "++-0", "1"),
    ("cycle", "--", "3"),
    ("modular", "1+2*4-3", "1"),
    ("modular", "0-4*4", "4"),
    ("divisible3", "110", "1"),
    ("divisible3", "100", "0"),
    ("s3", "aab", "312"),
    ("s3", "ab", "321"),
    ("d4", "a", "4123"),
    ("d4", "b", "3214"),
    ("a5", "a", "51234"),
    ("a5", "ab", "25134"),
    ("s5", "ab", "52134"),
    ("reverse", "abcdef", "fedcba"),
    ("duplicate", "abb", "abbabb"),
    ("odds_first", "abcdef", "acebdf"),
    ("odds_first", "abcde", "acebd"),
    ("missing_duplicate", "ab_aab", "b"),
    ("missing_duplicate", "aba_ba", "a"),
    ("stack", "abb-a-", "ab"),
    ("stack", "a---b", "b"),
    ("stack", "a-", "-"),
    ("modular_brackets", "(1+2)*4-3", "4"),
    ("modular_brackets", "2*(3-(4+4)*2)", "4"),
    ("solve", "2*x+3=1", "4"),
    ("solve", "x=0", "0"),
    ("sort", "3141", "1134"),
]

REFUSED = [
    ("parity", "", "parity takes a word, found nothing; try 0110"),
    ("parity", "012", "parity takes the symbols 0 1, found '2' in '012'; try 0110"),
    (
        "modular",
        "1++2",
        "modular takes numbers 0 to 4 joined by + - *, found none in '1++2'; try 1+2*4-3",
    ),
    (
        "missing_duplicate",
        "abaab",
        "missing_duplicate takes an even number of a and b, one of them missing: _, found none in 'abaab'; "
        "try ab_aab",
    ),
    ("stack", "ab+", "stack takes the symbols a b -, found '+' in 'ab+'; try abb-a-"),
    (
        "modular_brackets",
        "(1+2",
        "modular_brackets takes numbers 0 to 4 joined by + - * and brackets, "
        "found brackets that do not match in '(1+2'; try (1+2)*4-3",
    ),
    (
        "modular_brackets",
        "()",
        "modular_brackets takes numbers 0 to 4 joined by + - * and brackets, "
        "found none in '()'; try (1+2)*4-3",
    ),
    (
        "solve",
        "0*x=1",
        "solve takes an equation with one x and one solution, found none in '0*x=1'; try 2*x+3=1",
    ),
    ("a5", "abc", "a5 takes the symbols a b, found 'c' in 'abc'; try abba"),
]


def check(agent, word):
    trace, run = agent.trace(word), agent.run(word)
    assert np.flatnonzero(trace.m == S).tolist() == [len(trace) - 1], f"{word}: S must come last, only there"
    assert run.halted
    assert run.answer == agent.task.solve((word,)), word


@pytest.mark.parametrize(("name", "word", "answer"), EXAMPLES)
def test_examples(name, word, answer):
    assert WORD_TASKS[name].solve((word,)) == answer
    assert expert(name).run(word).answer == answer


@pytest.mark.parametrize(("name", "word", "words"), REFUSED)
def test_what_is_refused(name, word, words):
    with pytest.raises(InputError) as refused:
        expert(name).run(word)
    assert str(refused.value) == words


@pytest.mark.parametrize("name", WORD_TASKS)
def test_every_rule_is_well_formed(name):
    agent = expert(name)
    given = agent.next != MISSING
    assert (agent.motion[agent.next == HALT] == S).all()
    assert (agent.motion[given & (agent.next != HALT)] != S).all()
    assert agent.alphabet == agent.task.alphabet


@pytest.mark.parametrize("name", WORD_TASKS)
def test_against_python_on_small_inputs_and_random_longer_ones(name):
    agent, rng = expert(name), np.random.default_rng(5)
    task = agent.task
    small = list(islice(task.by_length(), 400))
    assert [len(word) for (word,) in small] == sorted(len(word) for (word,) in small)
    assert len(set(small)) == 400
    draws = (task.random_operand, task.uneven_operand, task.sampled_operand)
    longer = [draw(rng, int(n)) for draw in draws for n in rng.integers(1, 60, size=15)]
    special = [*task.repeated(40), *task.repeated(3), *task.hard(41).values()]
    for word in [*(word for (word,) in small), *longer, *(word for (word,) in special)]:
        assert task.parse(word) == (word,)
        check(agent, word)


@pytest.mark.parametrize("name", WORD_TASKS)
def test_lengths_are_kept(name):
    task, rng = WORD_TASKS[name], np.random.default_rng(1)
    for length in (1, 2, 7, 40):
        drawn = [len(task.random_operand(rng, length)) for _ in range(20)]
        assert max(drawn) <= max(length + 1, len(next(task.by_length())[0]))
    assert all(len(word) <= 41 for (word,) in (*task.repeated(40), *task.hard(40).values()))
    assert task.repeated(40) or task.hard(40)


@pytest.mark.parametrize("name", WORD_TASKS)
def test_smaller_inputs_are_inputs(name):
    task = WORD_TASKS[name]
    found = list(task.smaller(task.parse(task.example)))
    assert found
    for (word,) in found:
        assert len(word) < len(task.example)
        assert task.parse(word) == (word,)


@pytest.mark.parametrize("name", WORD_SAMPLING)
def test_small_training_sets_show_every_rule_on_most_draws(name):
    agent, sampling = expert(name), WORD_SAMPLING[name]
    assert sampling.samples <= 1_000
    assert sampling.max_digits <= 40
    inputs = sample_inputs(agent.task, sampling)
    assert len(inputs) == sampling.samples
    assert max(len(word) for (word,) in inputs) <= 40
    complete = [
        not rule_coverage(agent, sample_traces(agent, replace(sampling, data_seed=seed))).unseen
        for seed in range(4)
    ]
    assert complete[0]
    assert sum(complete) >= 3


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("parity", 2),
        ("divisible3", 3),
        ("cycle", 5),
        ("even_pairs", 5),
        ("s3", 11),
        ("d4", 14),
        ("stack", 7),
        ("sort", 20),
    ],
)
def test_no_two_states_could_be_taken_for_one(name, states):
    agent = expert(name)
    assert len(agent.states) == states
    assert fewest_states(agent) == (states, states)


@pytest.mark.parametrize(("name", "order"), [("s3", 6), ("d4", 8), ("a5", 60), ("s5", 120)])
def test_groups_are_what_they_are_called(name, order):
    group = GROUPS[name]
    assert len(group.members) == order
    everything = set(permutations(group.first))
    assert set(group.members) <= everything
    if name in ("s3", "s5"):
        assert set(group.members) == everything
    if name == "a5":
        assert all(_even(member) for member in group.members)
    if name == "d4":  # corners that were neighbours stay neighbours
        for member in group.members:
            assert all((a - b) % 4 in (1, 3) for a, b in zip(member, (*member[1:], member[0]), strict=True))


def _even(arrangement):
    return sum(a > b for i, a in enumerate(arrangement) for b in arrangement[i + 1 :]) % 2 == 0


@pytest.mark.parametrize("name", ["modular", "modular_brackets"])
def test_modular_against_python(name):
    task = WORD_TASKS[name]
    for digits in product("0134", repeat=3):
        for one, two in product("+-*", repeat=2):
            text = digits[0] + one + digits[1] + two + digits[2]
            assert task.solve((text,)) == str(eval(text) % 5)
    if name == "modular_brackets":
        rng = np.random.default_rng(3)
        for length in range(1, 40):
            text = task.random_operand(rng, length)
            assert task.solve((text,)) == str(eval(text) % 5)


def test_a_task_is_sent_to_another_process_by_its_name() -> None:
    assert all(pickle.loads(pickle.dumps(task)) is task for task in WORD_TASKS.values())
    other = replace(WORD_TASKS["parity"], meaning="another of the same name", answer=str.upper)
    again = pickle.loads(pickle.dumps(other))
    assert (again.meaning, again.answer("a")) == (other.meaning, "A")
