"""From a bound on steps to one on the length of inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from forging import at, drop_row, forged, put, set_cell
from machine_zoo import rebased

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, Unreadable, prove
from dfst.proof.certificate import packed_closure, to_bytes
from dfst.proof.checker import STOPS, _check_invariant, check
from dfst.proof.closure import close
from dfst.proof.language import task_language
from dfst.proof.levels import precisions
from dfst.proof.reading import MISSING, PATIENT, Work
from dfst.proof.room import MOST_ROOM, one_way, room
from dfst.states.explore import random_inputs


@pytest.mark.parametrize("task", ["divisible3", "cycle"])
def test_a_bound_on_steps_is_one_on_symbols_where_each_is_read_once(task):
    agent = expert(task)
    weights = rebased(compile_agent(agent), np.random.default_rng(3)).astype(np.float32)
    verdict = prove(weights, agent)
    assert (verdict.strength, verdict.length) == ("bounded", verdict.steps - 1)
    assert verdict.as_json()["length"] == verdict.length > 1_000


@pytest.fixture(scope="module")
def blurred():
    """A model of cycle that does not repeat to the bit, its proof and the length that it shows."""
    agent = expert("cycle")
    weights = rebased(compile_agent(agent), np.random.default_rng(3)).astype(np.float32)
    verdict = prove(weights, agent)
    return verdict.proof, weights, verdict.length


def without_a_rule(proof):
    q, x = np.argwhere(at(proof, "subject", "table", "next") >= 0)[3]
    set_cell(("subject", "table", "next"), (q, x), MISSING)(proof)


FORGERIES = {
    "a configuration left out": drop_row("invariant", 4),
    "a rule left out": without_a_rule,
    "a learnt state that moved": set_cell(("weights", "hidden"), (0, 1), 9.0),
    "errors that count for nothing": lambda p: put(p, ("weights", "measure", "to"), np.zeros((5, 5))),
    "to the bit, they say": lambda p: p["weights"].update(measure=None),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_refuses_forgeries(blurred, forgery):
    proof, weights, _ = blurred
    with pytest.raises(Rejected):
        check(forged(proof, FORGERIES[forgery]), weights_bytes(weights))


def test_a_length_that_a_proof_claims_is_not_read(blurred):
    proof, weights, length = blurred
    says = lambda p: p["weights"].update(length=10**9, steps=10**9)  # noqa: E731
    assert check(forged(proof, says), weights_bytes(weights))["length"] == length


@pytest.mark.parametrize("tensor", ["A", "B", "C", "h0"])
def test_other_weights_are_not_proved_to_that_length(blurred, tensor):
    proof, weights, length = blurred
    changed = getattr(weights, tensor).copy()
    changed.flat[np.argmax(np.abs(changed))] *= 1 + 1e-3
    other = replace(weights, **{tensor: changed})
    with pytest.raises(Unreadable, match="not the weights"):
        check(to_bytes(proof), weights_bytes(other))
    try:
        shown = check(forged(proof, weights=other), weights_bytes(other))
    except Rejected:
        return
    # scores that are a thousandth off still lead, and so may a run that begins a thousandth off; what is
    # carried on at every step may not be
    assert (shown["length"] or 0) < length / 10 if tensor == "A" else shown["length"] <= length * 1.01


def test_runs_as_long_as_proved_are_right(blurred):
    _, weights, length = blurred
    agent = expert("cycle")
    for text in random_inputs(agent.task, np.random.default_rng(100), 3, min(length, 2_000)):
        run = Rollout(weights).run(text, against=agent)
        assert run.difference is None


def test_where_the_head_turns_around_nothing_is_said_of_symbols(subjects):
    proof, weights = subjects["bounded"]
    assert check(to_bytes(proof), weights)["length"] is None


HERE, BLANK, ONE = (0, 0), (1,), (2,)  # blank is symbol 0
RIGHT = [[(0, 3, 0), (1, 3, 0)]]


@pytest.mark.parametrize(
    ("steps", "more"),
    [
        ([(HERE, 0, 2, ONE, ONE, [HERE])], 0),  # over the input
        ([(HERE, 0, 1, BLANK, BLANK, [HERE])], None),  # over blanks for ever
        ([(HERE, 0, 1, BLANK, ONE, [HERE])], None),  # writing for ever
        ([(HERE, 0, 1, BLANK, ONE, [])], 2),  # one more, once: a blank that is passed, and filled
        ([(HERE, 0, 3, (3,), ONE, [HERE])], None),  # perhaps a blank
        ([((i,), 0, 1, BLANK, BLANK, [(i + 1,)]) for i in range(5)], 5),
        ([((i,), 0, 1, BLANK, BLANK, [(i + 1,)]) for i in range(MOST_ROOM + 1)], None),
    ],
)
def test_what_runs_add_to_their_tape_is_counted(steps, more):
    assert room(steps, RIGHT, [3], 0, Work(PATIENT)) == more


def test_steps_in_a_row_go_one_way():
    assert one_way(RIGHT, [3])
    assert not one_way([[(0, 2, 0), (1, 3, 0)]], [3])  # left and right
    assert one_way([[(0, 2, 0), (1, 3, 0)]], [1])  # over one symbol alone
    assert not one_way([[(0, 4, 0), (1, 3, 0)]], [3])  # it may stay
    assert not one_way([[(0, 3, 1)], [(0, 2, 0)]], [1, 1])  # there and back


def test_a_sweep_of_an_adder_is_not_much_longer_than_its_input():
    """What a proof of add2 over whole sweeps will need: asked of its loops, not of all steps."""
    agent = expert("add2")
    language = task_language(agent.task)
    fine = next(p for p in precisions(agent, language) if p.name == "outermost column")
    states = zip(*(part.tolist() for part in (agent.write, agent.motion, agent.next)), strict=True)
    rules = [list(zip(*state, strict=True)) for state in states]
    rules = [[(x, 4, STOPS) if r[2] == MISSING else r for x, r in enumerate(row)] for row in rules]
    steps, work, invariant = [], Work(PATIENT), packed_closure(close(agent, language, fine))
    _check_invariant(invariant, language.as_json(), rules, agent.blank, work, steps)
    loops = [
        sum(1 << x for x, (_, motion, t) in enumerate(row) if t == q and motion in (2, 3))
        for q, row in enumerate(rules)
    ]
    more = room(steps, rules, loops, agent.blank, work)
    assert more == 2
    for text in random_inputs(agent.task, np.random.default_rng(100), 20, 12):
        state, passed = 0, 0
        for x in agent.trace(text).x.tolist():
            passed = passed + 1 if loops[state] >> x & 1 else 0
            assert passed <= len(text) + more
            state = int(agent.next[state, x])
