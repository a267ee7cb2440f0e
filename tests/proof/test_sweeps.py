"""add2 as descent left it, proved up to a length: errors add up along sweeps, and shrink between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from forging import at, drop_row, forged, put, set_cell

from dfst.experts import expert
from dfst.model.rollout.transducer import in_order
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, Unreadable
from dfst.proof.certificate import recheck, to_bytes
from dfst.proof.checker import check, sentence, strength
from dfst.proof.reading import MISSING, PATIENT, Work, read
from dfst.states.explore import random_inputs
from dfst.subjects import WEIGHTS, shipped

NAME = "add2.descent"
MEASURE = ("weights", "measure")


@pytest.fixture(scope="module")
def stored():
    """The shipped proof, and the weights that it is about."""
    return read((WEIGHTS / f"{NAME}.proof.json").read_bytes(), Work(PATIENT)), shipped(NAME)


def test_descents_own_weights_are_proved_up_to_a_length(stored):
    proof, weights = stored
    shown = check(to_bytes(proof), weights_bytes(weights))
    assert strength(shown) == "bounded"
    assert shown["length"] == proof["weights"]["measure"]["longest"] - 1 >= 499
    assert f"on every input of up to {shown['length']:,} symbols, in float32 as it runs" in sentence(shown)
    assert recheck(WEIGHTS / f"{NAME}.proof.json", weights, expert("add2"))["length"] == shown["length"]


def scaled(factor, *keys):
    return lambda proof: put(proof, keys, factor * at(proof, *keys))


def shrunk(node, column=0, factor=0.5):
    """The set of one node made smaller, all else as it is."""

    def forge(proof):
        bounds = at(proof, *MEASURE, "bounds")
        bounds[at(proof, *MEASURE, "owners")[:, 0] == node, column] *= factor
        put(proof, (*MEASURE, "bounds"), bounds)

    return forge


def without_a_node(proof):
    nodes = at(proof, *MEASURE, "nodes")
    put(proof, (*MEASURE, "nodes"), np.concatenate([nodes[:1], nodes[:1], nodes[2:]]))


def without_a_rule(proof):
    q, x = np.argwhere(at(proof, "subject", "table", "next") >= 0)[5]
    set_cell(("subject", "table", "next"), (q, x), MISSING)(proof)


def another_rule(proof):
    write = at(proof, "subject", "table", "write")
    q, x = np.argwhere(at(proof, "subject", "table", "next") >= 0)[9]
    set_cell(("subject", "table", "write"), (q, x), (write[q, x] + 1) % 4)(proof)


FORGERIES = {
    "a longer sweep": lambda p: p["weights"]["measure"].update(longest=3_000),
    "a sweep without end": lambda p: p["weights"]["measure"].update(longest=10**9),
    "a set made smaller": shrunk(2),
    "a set that does not grow along a sweep": shrunk(2, column=1, factor=0.0),
    "sets that are larger than decisions allow": scaled(20.0, *MEASURE, "bounds"),
    "sets that are points": scaled(0.0, *MEASURE, "bounds"),
    "a negative bound": scaled(-1.0, *MEASURE, "bounds"),
    "a bound that is no number": set_cell((*MEASURE, "bounds"), (3, 0), np.nan),
    "rows that are all zero": scaled(0.0, *MEASURE, "rows"),
    "rows that see little of errors": scaled(1e-3, *MEASURE, "rows"),
    "a row that is no number": set_cell((*MEASURE, "rows"), (3, 3), np.inf),
    "rows of other nodes": lambda p: put(
        p, (*MEASURE, "rows"), np.roll(at(p, *MEASURE, "rows"), 500, axis=0)
    ),
    "a basis of no row": set_cell((*MEASURE, "bases"), (0, 0), 10**6),
    "a basis counted from the end": set_cell((*MEASURE, "bases"), (0, 0), -1),
    "a basis of one row": lambda p: put(p, (*MEASURE, "bases"), 0 * at(p, *MEASURE, "bases")),
    "bases too few": drop_row("weights.measure.bases", slice(0, 40)),
    "a node twice, one left out": without_a_node,
    "a node of no state": set_cell((*MEASURE, "nodes"), (1, 0), 99),
    "a start that is not h0": set_cell(("weights", "hidden"), (0, 0), 0.5),
    "a centre that moved": set_cell(("weights", "hidden"), (4, 1), 0.3),
    "a rule left out": without_a_rule,
    "a rule that writes something else": another_rule,
    "a configuration left out": drop_row("invariant", 40),
    "no configurations at all": lambda p: p.update(rows=None),
    "to the bit, they say": lambda p: p["weights"].update(measure=None),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_refuses_forgeries(stored, forgery):
    proof, weights = stored
    with pytest.raises(Rejected):
        check(forged(proof, FORGERIES[forgery]), weights_bytes(weights))


def test_a_length_that_a_proof_claims_is_not_read(stored):
    proof, weights = stored
    says = lambda p: p["weights"].update(steps=10**9, length=10**9)  # noqa: E731
    assert check(forged(proof, says), weights_bytes(weights)) == check(
        to_bytes(proof), weights_bytes(weights)
    )


@pytest.mark.parametrize("tensor", ["A", "B", "C", "h0"])
def test_refuses_other_weights_even_with_their_fingerprint(stored, tensor):
    proof, weights = stored
    changed = getattr(weights, tensor).copy()
    changed[0] *= -1
    other = replace(weights, **{tensor: changed})
    with pytest.raises(Unreadable, match="not the weights"):
        check(to_bytes(proof), weights_bytes(other))
    with pytest.raises(Rejected):
        check(forged(proof, weights=other), weights_bytes(other))


@pytest.mark.parametrize("x", [0, 1, 2, 3])
def test_refuses_a_weight_that_is_a_little_off(stored, x):
    """A sweep multiplies by A hundreds of times; a step between sweeps may be off by more."""
    proof, weights = stored
    changed = weights.A.copy()
    changed[x] *= np.float32(1) + np.float32(0.03) * np.sign(changed[x, ::-1])
    other = replace(weights, A=changed)
    with pytest.raises(Rejected):
        check(forged(proof, weights=other), weights_bytes(other))


def test_runs_stay_within_the_certified_sets(stored):
    """In float32, on inputs as long as proved: h divided as the checker divides it, at every node."""
    proof, weights = stored
    nodes, owners, rows, bounds = (
        at(proof, *MEASURE, part) for part in ("nodes", "owners", "rows", "bounds")
    )
    sets = {int(q): (rows[owners[:, 0] == i], bounds[owners[:, 0] == i]) for i, q in enumerate(nodes[:, 0])}
    hidden, following = at(proof, "weights", "hidden"), at(proof, "subject", "table", "next")
    agent, d, met = expert("add2"), len(weights.h0), 0
    for text in random_inputs(agent.task, np.random.default_rng(100), 3, 24):
        state, h, scale, sweep = 0, weights.h0, 1.0, 0
        for x in agent.trace(text).x.tolist():
            if state in sets:
                error = np.abs(sets[state][0] @ (h.astype(np.float64) / scale - hidden[state]))
                assert (error <= sets[state][1][:, 0] + sweep * sets[state][1][:, 1]).all()
                met += 1
            v, before = hidden[state], state
            grows = float(v @ weights.A[x].astype(np.float64) @ v) / float(v @ v)
            h, state = in_order(weights.stacked[x], h)[:d], int(following[state, x])
            sweep = sweep + 1 if state == before else 0
            if state == before:
                scale *= grows
            elif state in sets:
                v = hidden[state]
                scale = float(v @ h.astype(np.float64)) / float(v @ v)
    assert met > 300
