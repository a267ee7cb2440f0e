"""The abstraction: sound on random machines, precise enough for the experts."""

from __future__ import annotations

import numpy as np
import pytest
from evidence import slow
from hypothesis import given
from hypothesis import strategies as st
from machine_zoo import knowing_its_first, random_machine, with_memory

from dfst.errors import MissingRule
from dfst.experts import expert
from dfst.languages import parse
from dfst.machines import MISSING
from dfst.machines.rulebook import RuleBook
from dfst.proof import prove
from dfst.proof.closure import close, open_path
from dfst.proof.language import InputLanguage, regular_language, task_language
from dfst.proof.levels import closures, precisions, zeros_apart
from dfst.proof.stacks import Unbounded
from dfst.states.explore import random_inputs
from dfst.world.grid import Limits

EXPERTS = ["add2", "add3", "compare2", "increment2", "increment10", "sort2", "sort3", "sub2"]
LARGER = ["add10", "add16", "compare3", "compare10", "compare16", "increment3", "sort10", "sub3"]
"""Without mult: that a sum never outgrows its columns is arithmetic, no pattern (test_answers.py)."""


def first_proof(machine):
    outcomes = closures(machine, task_language(machine.task), 1_000_000)
    return next(c for c in outcomes if not isinstance(c, str) and not c.open_pairs)


@pytest.mark.parametrize("name", [*EXPERTS, *slow(*LARGER)])
def test_no_run_of_an_expert_meets_a_missing_rule(name):
    agent = expert(name)
    closure = first_proof(agent)
    assert len(closure.visited) == agent.rule_count  # the experts carry no rule that could never fire
    assert closure.rows == {"add": (-1, 1), "sub": (-1, 0), "compare": (-1, 0)}.get(
        agent.task.family.name, (0, 0)
    )


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("add2", 1),
        ("add2", 2),
        ("compare2", 1),
        *slow(("add10", 1)),
    ],
)
def test_states_that_remember_symbols_are_proved_too(name, length):
    agent = expert(name)
    inputs = random_inputs(agent.task, np.random.default_rng(0), 4_000 if agent.task.radix > 2 else 400, 6)
    machine = with_memory(agent, inputs, length)
    assert len(machine.states) > len(agent.states)
    assert first_proof(machine).parents


@pytest.mark.parametrize("name", ["sqrt4", *slow("sqrt6", "sqrt10")])
def test_a_state_that_sees_nothing_but_beginnings_needs_no_other_rules(name):
    """Half a number begins with less than half the radix; learnt models have a state that meets no more."""
    agent = expert(name)
    inputs = random_inputs(agent.task, np.random.default_rng(0), 1_000, 4)
    machine = knowing_its_first(agent, inputs, "more")
    assert len(machine.states) > len(agent.states)
    assert prove(machine, agent).strength == "proved"


def test_zeros_below_the_first_number_are_told_from_the_second():
    digits, rules = "012", RuleBook("012,λ")
    rules.rows(
        f"""
        lay      {digits} D zero       , λR down
        zero     λ 0U laid
        laid     {digits} R lay
        down     {digits} λD (put,$)   λ L back
        (put,&)  λ &U put
        put      λ R down
        back     λ L                   {digits} L home
        home     {digits} L            λ R first
        first    {digits} D below
        below    0 S
        """,
        each=digits,
    )
    machine = rules.agent("first digits over zeros")
    language = regular_language(parse("[012]+,[012]+", machine.alphabet, "λ"), machine)
    _, outermost, *_ = precisions(machine, language)
    assert close(machine, language, outermost).open_pairs
    assert not close(machine, language, zeros_apart(outermost)).open_pairs


def test_a_rule_taken_away_is_found_open_with_a_path():
    agent = expert("add2")
    state = agent.states.index("carry")
    following = agent.next.copy()
    following[state, agent.blank] = MISSING
    broken = type(agent)(
        "broken", agent.alphabet, agent.states, agent.write, agent.motion, following, agent.blank, agent.task
    )
    with pytest.raises(MissingRule):
        broken.run("1+1")
    closed = [c for c in closures(broken, task_language(broken.task), 5_000) if not isinstance(c, str)]
    assert all((state, agent.blank) in closure.open_pairs for closure in closed)
    path = open_path(broken, closed[-1])
    assert path[-1] == "no rule for (carry, λ)"
    assert len(path) > 3


def test_an_unbounded_climb_is_refused():
    agent = expert("increment2")
    motion = np.zeros_like(agent.motion)  # U for ever
    following = np.zeros_like(agent.next)
    climber = type(agent)(
        "climber",
        agent.alphabet,
        agent.states,
        agent.write,
        motion,
        following,
        agent.blank,
        agent.task,
        "last",
    )
    language = task_language(climber.task)
    with pytest.raises(Unbounded, match="rows"):
        close(climber, language, next(precisions(climber, language)))


def observed(machine, text, steps):
    """The (state, symbol) pairs of a real run."""
    pairs, grid, cell, state = set(), {}, (0, 0), 0
    symbols, start = text
    for i, s in enumerate(symbols):
        grid[i - start, 0] = s
    for _ in range(steps):
        read = grid.get(cell, machine.blank)
        pairs.add((state, read))
        if machine.next[state, read] < 0:
            break
        grid[cell] = int(machine.write[state, read])
        dx, dy = ((0, 1), (0, -1), (-1, 0), (1, 0))[machine.motion[state, read]]
        cell, state = (cell[0] + dx, cell[1] + dy), int(machine.next[state, read])
    return pairs


@given(seed=st.integers(0, 2**32 - 1), states=st.integers(1, 4), symbols=st.integers(2, 4))
def test_whatever_a_real_run_meets_the_closure_meets(seed, states, symbols):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, states, symbols)
    digits = (1 << symbols) - 2
    language = InputLanguage(((0, digits, 1), (1, digits, 1)), ((1, digits, 2),), ((2, digits, 2),), (2,))
    runs = []
    for _ in range(8):
        left, right = rng.integers(1, 6), rng.integers(0, 6)
        runs.append(
            observed(machine, (rng.integers(1, symbols, size=left + 1 + right).tolist(), int(left)), 300)
        )
    reached = set().union(*runs)
    for precision in precisions(machine, language):
        try:
            closure = close(machine, language, precision, limit=20_000, stop_at=10**9)
        except Unbounded:
            continue
        assert reached <= closure.visited | set(closure.open_pairs)


def test_inputs_run_as_promised():
    task = expert("add2").task
    for text in random_inputs(task, np.random.default_rng(1), 50, 5):
        assert expert("add2").run(text, Limits(steps=10_000)).answer == task.solve(task.parse(text))
