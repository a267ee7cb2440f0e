"""Wrong machines and models before the prover with its refuter taken away: what it can still prove is true.

A forger who has the source can use the prover itself: it finds invariants for whatever is right, and would
for what is wrong if checker or abstraction had a hole. One rule of a right machine is changed at random;
where a certificate can be made that the checker accepts, the changed rule must make no difference to any run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, verify
from dfst.proof.certificate import certificate, learnt_states, to_bytes
from dfst.proof.closure import Closure
from dfst.proof.language import task_language
from dfst.proof.levels import never_lacks_a_rule
from dfst.proof.prove import _complete
from dfst.proof.refute import differs
from dfst.states.explore import random_inputs
from dfst.states.extract import extract_bits
from dfst.world.grid import S


def one_rule_changed(agent, rng):
    """The agent with another symbol, motion or state in one of its rules."""
    write, motion, following = agent.write.copy(), agent.motion.copy(), agent.next.copy()
    q, x = rng.choice(np.argwhere(following != MISSING))
    kind = rng.integers(4)
    if kind == 0:
        write[q, x] = rng.integers(len(agent.alphabet))
    elif kind == 1 and following[q, x] != HALT:
        motion[q, x] = rng.integers(4)
    elif kind == 2 and following[q, x] != HALT:
        following[q, x] = rng.integers(len(agent.states))
    else:
        following[q, x], motion[q, x] = HALT, S
    return replace(agent, name="changed", write=write, motion=motion, next=following)


@pytest.mark.parametrize(("name", "changes"), [("add2", 6), ("increment3", 30), *slow(("add2", 60))])
def test_what_can_be_proved_of_a_changed_machine_is_true(name, changes, monkeypatch):
    prover = sys.modules[_complete.__module__]
    monkeypatch.setattr(prover, "MAX_COMPLETIONS", 5)
    agent, rng = expert(name), np.random.default_rng(0)
    language = task_language(agent.task)
    inputs = random_inputs(agent.task, np.random.default_rng(1), 300, 7)
    alone = cache(partial(never_lacks_a_rule, agent, language))
    refused = 0
    for _ in range(changes):
        changed = one_rule_changed(agent, rng)
        if changed.same_table(agent):
            continue
        weights = compile_agent(changed)
        right = all(differs(weights, agent, 20_000)(text) is None for text in inputs)
        graph = extract_bits(weights, inputs[:100], max_steps=2_000).graph
        graph, pairing, outcome = _complete(graph, agent, language, lambda: alone() is not None, most=3_000)
        if not isinstance(outcome, Closure):
            refused += 1
            continue
        proof = certificate(
            graph.machine("changed"), agent, language, agent.task.layout, pairing, outcome,
            learnt_states(graph),
        )  # fmt: skip
        try:
            verify(to_bytes(proof), agent, language, weights_bytes(weights))
        except Rejected:
            refused += 1
            continue
        assert right
    assert refused >= changes // 3
