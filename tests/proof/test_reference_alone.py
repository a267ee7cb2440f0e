"""That the reference never lacks a rule is shown by an invariant of its own, and cannot be forged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from forging import at, forged, put

from dfst.experts import expert
from dfst.machines import MISSING
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, prove
from dfst.proof.certificate import packed_closure
from dfst.proof.checker import check, strength
from dfst.proof.closure import close
from dfst.proof.language import task_language
from dfst.proof.levels import never_lacks_a_rule, precisions, window_precisions
from dfst.proof.sides import packed
from dfst.states.explore import random_inputs


@pytest.fixture(scope="module")
def stack():
    """The proof of a model of stack, and the model."""
    weights = compile_agent(expert("stack"))
    verdict = prove(weights, expert("stack"))
    assert verdict.strength == "proved"
    return verdict.proof, weights_bytes(weights)


def test_without_it_the_proof_is_conditional(stack):
    proof, weights = stack
    shown = check(forged(proof, lambda p: p.update(alone=None)), weights)
    assert strength(shown) == "conditional"
    assert strength(check(forged(proof), weights)) == "proved"


def of_the_reference_as_it_stops(proof):
    """A closure that is left where the reference lacks a rule."""
    agent = expert("stack")
    coarse = next(precisions(agent, task_language(agent.task)))
    proof["alone"] = packed_closure(close(agent, task_language(agent.task), coarse))


def of_another_machine(proof):
    agent = expert("duplicate")
    proof["alone"] = packed_closure(never_lacks_a_rule(agent, task_language(agent.task)))


def of_fewer_inputs(proof):
    for side in ("left", "right"):
        proof["alone"][side]["laid"] = packed(at(proof, "alone", side, "laid")[:1])


def without_a_configuration(proof):
    put(proof, ("alone", "invariant"), at(proof, "alone", "invariant")[1:])


def of_nothing(proof):
    put(proof, ("alone", "invariant"), at(proof, "alone", "invariant")[:0])


def by_pairs_of_states(proof):
    proof["alone"]["rows"] = None


def of_a_reference_with_fewer_rules(proof):
    following = at(proof, "reference", "table", "next")
    q, x = np.argwhere(following >= 0)[3]
    following[q, x] = MISSING
    put(proof, ("reference", "table", "next"), following)


@pytest.mark.parametrize(
    "forge",
    [
        of_the_reference_as_it_stops, of_another_machine, of_fewer_inputs, without_a_configuration,
        of_nothing, by_pairs_of_states, of_a_reference_with_fewer_rules,
    ],
)  # fmt: skip
def test_a_forged_one_is_refused(stack, forge):
    proof, weights = stack
    with pytest.raises(Rejected):
        check(forged(proof, forge), weights)


def test_pairs_of_states_must_have_a_rule_for_everything():
    agent = expert("parity")
    model, total = weights_bytes(compile_agent(agent)), prove(compile_agent(agent), agent).proof
    assert total["rows"] is None
    assert check(forged(total), model)["stops"] == []

    def fewer_pairs(p):
        put(p, ["pairs"], at(p, "pairs")[:1])

    def fewer_rules(p):
        table = at(p, "subject", "table", "next")
        table[1, 0] = MISSING
        put(p, ("subject", "table", "next"), table)

    def another_answer(p):
        table = at(p, "subject", "table", "write")
        table[0, agent.blank] = 1 - table[0, agent.blank]
        put(p, ("subject", "table", "write"), table)

    for forge in (fewer_pairs, fewer_rules, another_answer):
        with pytest.raises(Rejected):
            check(forged(total, forge), model)


@pytest.mark.parametrize("name", ["stack", "modular", "sum2", "duplicate"])
def test_windows_hold_every_configuration_of_real_runs(name):
    """What the closure of windows says is met: all that random runs meet, and more."""
    agent = expert(name)
    precision = next(window_precisions(agent))
    closure = close(agent, task_language(agent.task), precision, limit=200_000)
    for text in random_inputs(agent.task, np.random.default_rng(0), 60, 9):
        state, met = 0, set()
        for x in agent.trace(text).x.tolist():
            met.add((state, x))
            state = int(agent.next[state, x])
        assert met <= closure.visited


def test_a_reference_that_does_get_stuck_has_none():
    agent = expert("stack")
    following = agent.next.copy()
    following[agent.states.index("read"), agent.alphabet.index("#")] = MISSING
    stuck = replace(agent, next=following)
    assert never_lacks_a_rule(agent, task_language(agent.task)) is not None
    assert never_lacks_a_rule(stuck, task_language(agent.task)) is None
