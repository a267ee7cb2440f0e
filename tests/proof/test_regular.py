"""Proofs on the inputs of a regular language: machines without a task, and models of them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dfst
from dfst.errors import InputError
from dfst.experts import expert
from dfst.languages import parse
from dfst.machines import HALT, MISSING, Agent
from dfst.machines.formats import parse_machine
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof import Rejected
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check
from dfst.proof.closure import close
from dfst.proof.inputs import RegularInputs
from dfst.proof.language import regular_language, task_language
from dfst.proof.levels import precisions, symbol_classes
from dfst.proof.question import in_alphabet_of
from dfst.proof.stacks import Unbounded
from dfst.world.grid import L, R

THREE_LENGTHS = """
blank: '_'
start state: mark
table:
  mark:
    a: {write: x, R: to b}
    y: {R: rest}
  to b:
    [a, y]: R
    b: {write: y, R: to c}
  to c:
    [b, z]: R
    c: {write: z, L: back}
  back:
    [a, b, y, z]: L
    x: {R: mark}
  rest:
    [y, z]: R
    _: {R: done}
  done:
"""
"""Halts on aⁿbⁿcⁿ, and stops for lack of a rule on everything else."""


def machine(name="three lengths"):
    return parse_machine(THREE_LENGTHS, "turingmachine.io", name)


def with_rule(agent, state, symbol, write, motion, target):
    """The machine with one rule more, or another."""
    q, k = agent.states.index(state), agent.alphabet.index(symbol)
    tables = [part.copy() for part in (agent.write, agent.motion, agent.next)]
    for part, value in zip(tables, (agent.alphabet.index(write), motion, target), strict=True):
        part[q, k] = value
    return replace(agent, name="other", write=tables[0], motion=tables[1], next=tables[2])


def test_rules_beyond_the_language_make_no_difference_on_it():
    one = machine()
    two = with_rule(one, "rest", "a", "a", R, HALT)
    verdict = dfst.prove(two, one, "a+b+c+")
    assert verdict.strength == "proved"
    assert "on every input that matches a+b+c+" in verdict.sentence()
    assert check(to_bytes(verdict.proof))["configurations"] > 100
    assert dfst.prove(two, one, "[abc]*").strength == "refuted"
    assert dfst.prove(two, one).strength == "refuted"  # on every input, y among them


def test_a_difference_on_the_language_is_found_and_shortest():
    one = machine()
    two = with_rule(one, "to b", "y", "z", R, one.states.index("to b"))
    verdict = dfst.prove(two, one, "a+b+c+")
    assert verdict.strength == "refuted"
    assert verdict.counterexample.input == "aabc"
    assert verdict.counterexample.shortest
    assert dfst.prove(two, one, "ab+c+").strength == "proved"


def test_to_stop_for_lack_of_a_rule_is_to_differ_from_going_on():
    one = machine()
    two = with_rule(one, "to b", "c", "c", R, one.states.index("to b"))
    verdict = dfst.prove(two, one, "a*b*c*")
    assert verdict.strength == "refuted"
    assert "no rule" in verdict.checked


@pytest.mark.parametrize("pattern", ["a+b+c+", "a{3}b{3}c{3}", "(abc|aabbcc)?"])
def test_a_model_of_an_own_machine_is_proved_against_it(pattern):
    agent = machine()
    total = replace(agent, next=np.where(agent.next == MISSING, HALT, agent.next).astype(np.int32))
    weights = compile_agent(total)
    verdict = dfst.prove(weights, total, pattern)
    assert verdict.strength == "proved"
    shown = check(to_bytes(verdict.proof), weights_to_bytes(weights))
    assert shown["start"] == "first"


def test_part_of_a_task():
    agent = expert("add2")
    verdict = dfst.prove(agent, agent, "[01]+\\+1")
    assert verdict.strength == "proved"
    whole = RegularInputs(parse("[01]+\\+[01]+", agent.alphabet, agent.blank), agent).language
    assert whole == task_language(agent.task)
    with pytest.raises(InputError, match="the operator once"):
        regular_language(parse("[01]+(\\+[01])*", agent.alphabet, agent.blank), agent)


def test_alphabets_in_another_order_are_brought_in_line():
    one = machine()
    order = [3, 0, 6, 2, 1, 5, 4]
    back = np.argsort(order).astype(np.uint8)
    names = [one.alphabet[k] for k in order]
    names[back[one.blank]] = "λ"
    two = Agent(
        "shuffled", tuple(names), one.states, back[one.write][:, order], one.motion[:, order],
        one.next[:, order], int(back[one.blank]),
    )  # fmt: skip
    again = in_alphabet_of(one, two)
    assert again.same_table(one)
    assert dfst.prove(two, one, "a+b+c+").strength == "proved"
    with pytest.raises(InputError, match="alphabets"):
        in_alphabet_of(one, expert("add2"))


def test_symbols_that_repeat_in_other_places_are_told_apart():
    agent = machine()

    def classes(pattern):
        language = regular_language(parse(pattern, agent.alphabet, agent.blank), agent)
        return {
            frozenset(agent.alphabet[k] for k in range(len(agent.alphabet)) if c >> k & 1)
            for c in symbol_classes(agent, language)
            if c.bit_count() > 1
        }

    assert classes("a+b+c+") == set()
    assert classes("[ab]+c+") == {frozenset("ab")}
    assert classes("a[abc]*") == {frozenset("abc")}


def random_machine(rng, layout):
    symbols = 4
    shape = (int(rng.integers(1, 5)), symbols)
    following = rng.integers(0, shape[0], size=shape).astype(np.int32)
    fate = rng.random(shape)
    following[fate < 0.1] = MISSING
    following[(fate >= 0.1) & (fate < 0.15)] = HALT
    return Agent(
        "random", tuple("λabc"), tuple(f"s{i}" for i in range(shape[0])),
        rng.integers(0, symbols, size=shape).astype(np.uint8),
        rng.choice([L, R], size=shape).astype(np.uint8), following, 0, layout=layout,
    )  # fmt: skip


def observed(agent, word, steps):
    """The (state, symbol) pairs of a real run."""
    symbols, start = agent.encode(word)
    tape = dict(enumerate(symbols.tolist(), -start))
    at, state, pairs = 0, 0, set()
    for _ in range(steps):
        read = tape.get(at, agent.blank)
        pairs.add((state, read))
        if agent.next[state, read] < 0:
            break
        tape[at] = int(agent.write[state, read])
        at += 1 if agent.motion[state, read] == R else -1
        state = int(agent.next[state, read])
    return pairs


PATTERNS = ["a+b+c+", "(ab)*", "a?b{2,3}", "[ab]*c", "", "(a|bc)+", "_a*", ".*"]


@given(
    seed=st.integers(0, 2**32 - 1),
    pattern=st.sampled_from(PATTERNS),
    layout=st.sampled_from(["first", "last"]),
)
def test_whatever_a_real_run_meets_the_closure_meets(seed, pattern, layout):
    rng = np.random.default_rng(seed)
    agent = random_machine(rng, layout)
    inputs = RegularInputs(parse(pattern, agent.alphabet, agent.blank), agent)
    words = [*inputs.shortest(40), *inputs.random(rng, 10, 12)]
    reached = set().union(*(observed(agent, word, 200) for word in words))
    for precision in precisions(agent, inputs.language):
        try:
            closure = close(agent, inputs.language, precision, limit=10_000, stop_at=10**9)
        except Unbounded:
            continue
        assert reached <= closure.visited | set(closure.open_pairs)


@pytest.fixture(scope="module")
def honest():
    one = machine()
    two = with_rule(one, "rest", "a", "a", R, HALT)
    proof = to_bytes(dfst.prove(two, one, "a+b+c+").proof)
    check(proof)
    return proof


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("head", lambda edges: edges.append([0, 1 << 1, 2])),
        ("after", lambda edges: edges.append([1, 1 << 2, 1])),
        ("after", lambda edges: edges.append([2, 1 << 1, 3])),
        ("accepting", lambda states: states.append(2)),
        ("before", lambda edges: edges.append([0, 1 << 1, 0])),
        ("head", lambda edges: edges.clear()),
    ],
)
def test_a_proof_about_other_inputs_is_refused(honest, part, change):
    from dfst.proof.reading import digest

    proof = json.loads(honest)
    change(proof["inputs"][part])
    proof["digest"] = digest(proof)
    with pytest.raises(Rejected):
        check(to_bytes(proof))


def test_every_word_is_a_path_with_the_head_where_the_agent_starts():
    """The automaton of the inputs against the language, word by word."""
    for layout, pattern in product(("first", "last"), PATTERNS):
        agent = random_machine(np.random.default_rng(0), layout)
        words = parse(pattern, agent.alphabet, agent.blank)
        inputs = regular_language(words, agent)
        for word in islice(words.words(), 60):
            at = 0 if layout == "first" else max(len(word) - 1, 0)
            left, head, right = word[:at], word[at : at + 1] or (agent.blank,), word[at + 1 :]
            states = {0}
            for edges, symbols in ((inputs.before, left), (inputs.head, head), (inputs.after, right)):
                for symbol in symbols:
                    states = {q for p, cell, q in edges if p in states and cell >> symbol & 1}
            assert states & set(inputs.accepting), (layout, pattern, word)


@pytest.mark.parametrize("pattern", ["(abc)*", "([ab]c|b)*", "(a+b+c)*"])
def test_a_model_of_a_one_way_machine_is_proved_where_its_inputs_alternate(pattern):
    """It was given up once: "more than 12 runs of columns on one side". Beyond its inputs it is silent."""
    rng, states = np.random.default_rng(5), 8
    following = rng.integers(0, states, size=(states, 4)).astype(np.int32)
    following[:, 0] = HALT
    motion = np.full((states, 4), R, dtype=np.uint8)
    written = rng.integers(1, 4, size=(states, 4)).astype(np.uint8)
    agent = Agent(
        "one-way", tuple("λabc"), tuple(f"s{i}" for i in range(states)), written, motion, following, 0
    )
    language = parse(pattern, agent.alphabet, agent.blank)
    met, todo = {(0, 0)}, [(0, 0)]
    for state, place in todo:
        for symbol, target in enumerate(language.table[place]):
            pair = (int(following[state, symbol]), target)
            if symbol and target >= 0 and pair not in met:
                met.add(pair)
                todo.append(pair)
    shown = following.copy()
    for state, symbol in np.ndindex(states, 4):
        places = [place for q, place in met if q == state]
        goes_on = any(language.table[place][symbol] >= 0 for place in places)
        ends = symbol == 0 and any(place in language.accepting for place in places)
        if not goes_on and not ends:
            shown[state, symbol] = MISSING
    weights = compile_agent(replace(agent, next=shown))
    verdict = dfst.prove(weights, agent, pattern)
    assert verdict.strength == "proved", verdict.path
