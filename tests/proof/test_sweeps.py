"""add2 as descent left it, proved up to a length: errors add up along sweeps, and shrink between them."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from evidence import slow
from forging import at, drop_row, forged, put, set_cell

from dfst.experts import expert
from dfst.model.rollout.transducer import in_order
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, Unreadable
from dfst.proof.certificate import recheck, to_bytes
from dfst.proof.checker import check, sentence, strength
from dfst.proof.floats import Model
from dfst.proof.reading import HALT, MISSING, PATIENT, Work, read
from dfst.proof.sweeps import Path, Sweeps
from dfst.states.explore import random_inputs
from dfst.subjects import WEIGHTS, shipped
from dfst.world.grid import MOTION_NAMES, MOTIONS

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
    "no set grows along a sweep": lambda p: put(
        p, (*MEASURE, "bounds"), at(p, *MEASURE, "bounds") * [1.0, 0.0]
    ),
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


@pytest.fixture(scope="module")
def share(stored):
    """Of a text: how much of the sets a run takes up at most, h divided as the checker divides it."""
    proof, weights = stored
    nodes, owners, rows, bounds = (
        at(proof, *MEASURE, part) for part in ("nodes", "owners", "rows", "bounds")
    )
    sets = {int(q): (rows[owners[:, 0] == i], bounds[owners[:, 0] == i]) for i, q in enumerate(nodes[:, 0])}
    hidden, following = at(proof, "weights", "hidden"), at(proof, "subject", "table", "next")
    agent, d, W = expert("add2"), len(weights.h0), weights.stacked.astype(np.float64)

    def share(text):
        state, h, scale, sweep, met = 0, weights.h0, 1.0, 0, {q: [] for q in sets}
        for x in agent.trace(text).x.tolist():
            if state in sets:
                met[state].append((sweep, h / scale - hidden[state]))
            before, h, state = state, in_order(weights.stacked[x], h)[:d], int(following[state, x])
            v, sweep = hidden[state], sweep + 1 if state == before else 0
            if sweep:
                scale *= float(v @ W[x, :d] @ v) / float(v @ v)
            elif state in sets:
                scale = float(v @ h) / float(v @ v)
        assert state == HALT
        most, longest = [], 0
        for q, (l, bound) in sets.items():
            if met[q]:
                sweeps, errors = (np.array(part) for part in zip(*met[q], strict=True))
                allowed = bound[:, 0] + sweeps[:, None] * bound[:, 1]
                most.append(float((np.abs(errors @ l.T) / allowed).max()))
                longest = max(longest, int(sweeps.max()))
        return max(most), longest

    return share


def test_runs_stay_within_the_certified_sets(share):
    for text in random_inputs(expert("add2").task, np.random.default_rng(100), 3, 24):
        assert share(text)[0] <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [f"{'1' * 249}+{'1' * 249}", f"{'10' * 124}1+{'01' * 124}0", f"1+{'1' * 497}", f"{'1' * 497}+1"]
)
def test_runs_as_long_as_proved_stay_within_the_certified_sets(share, text):
    """In float32; no sweep is longer than `room` says either."""
    most, longest = share(text)
    assert len(text) == 499
    assert most <= 1
    assert longest <= 500


def one_rule(dtype):
    """It goes to the right for 4,096 steps, whatever it reads; then s, which grows by 2^-53 a step, makes it
    turn around."""
    s, grows = 2.0**-40, np.array([[1, 0], [2.0**-51, 1]])
    B, C = np.zeros((3, 3, 2)), np.full((3, 5, 2), [-1.0, 0])
    B[range(3), range(3), 0] = 1
    C[:2, MOTIONS.index("R")], C[:2, MOTIONS.index("L")], C[2, 4] = [6 * s, 0], [0, 1], [1, 0]
    parts = {"A": np.tile(grows, (3, 1, 1)), "B": B, "C": C, "h0": np.array([0.25, s])}
    return replace(shipped("parity"), **{name: part.astype(dtype) for name, part in parts.items()})


def with_one_rule(least):
    """A proof that it always does; errors of s are measured by a row so small, and said to be zero."""

    def forge(proof):
        put(proof, ("pairs",), np.zeros((1, 2), np.int32))
        for side in ("subject", "reference"):
            for part, row in {"write": [0, 1, 2], "motion": [3, 3, 4], "next": [0, 0, HALT]}.items():
                put(proof, (side, "table", part), np.array([row], np.int32))
        proof.update(answer=None, alone=None)
        proof["weights"]["measure"] = {"longest": 100_000}
        arrays = {
            "nodes": np.zeros((1, 1), np.int32),
            "owners": np.zeros((2, 1), np.int32),
            "rows": np.array([[1.0, 0], [0, least]]),
            "bounds": np.array([[0, 2.0**-24], [0, 0]]),
            "bases": np.tile(np.array([[0, 1]], np.int32), (24, 1)),
        }
        put(proof, ("weights", "hidden"), np.array([[0.25, 2.0**-40]]))
        for name, array in arrays.items():
            put(proof, (*MEASURE, name), array)

    return forge


def test_what_such_a_proof_would_claim_is_false():
    weights = one_rule(np.float32)
    moves = [weights.step(0)[1] for _ in range(4_097)]
    assert moves == [MOTION_NAMES.index("R")] * 4_096 + [MOTION_NAMES.index("L")]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("least", [2.0**-1023, 2.0**-1000, 2.0**-41, 1.0])
def test_refuses_rows_whose_losses_underflow(dtype, least):
    """With the first of them, what s grows by was rounded to zero where it was bounded, and believed."""
    weights = one_rule(dtype)
    proof = read((WEIGHTS / "parity.proof.json").read_bytes(), Work(PATIENT))
    with pytest.raises(Rejected, match="a row sees nothing" if least < 2.0**-40 else "a sweep leaves"):
        check(forged(proof, with_one_rule(least), weights), weights_bytes(weights))


def test_refuses_a_path_on_which_runs_may_be_rescaled_out_of_their_bounds(stored):
    """h beside a node may not be so small that the runs' powers of two are not accounted for."""
    proof, weights = stored
    path = Path(at(proof, "weights", "hidden")[0], np.zeros(len(weights.h0)))
    A = weights.A[0].astype(np.float64)
    assert path.step(A, 2.0**-20).least > 2.0**-20 > path.step(A * 2.0**-24, 2.0**-20).least


@pytest.mark.parametrize("halting", [250, *slow(1)])
def test_paths_without_a_node_are_refused_within_five_seconds(halting):
    """Two symbols lead on to the next state, 15 times: 2^15 paths of large matrices, and many that halt."""
    d, symbols, none = 200, 2 + halting, np.zeros((0, 200))
    stacked = np.zeros((symbols, d + symbols + 5, d), np.float32)
    stacked[:, range(d), range(d)] = 1
    stacked[:2, [d, d + symbols + 3], 0] = stacked[2:, [d, d + symbols + 4], 0] = 1
    model = Model(stacked, np.eye(d, dtype=np.float32)[0], ["x"] * symbols, list(MOTIONS), "first", "")
    following = np.full((16, symbols), HALT)
    following[:15, :2] = np.arange(1, 16)[:, None]
    table = (np.zeros((16, symbols), int), np.full((16, symbols), 3), following)
    bases, hidden = np.zeros((0, d), int), np.repeat(model.h0[None], 16, 0).astype(np.float64)
    begun = time.process_time()
    with pytest.raises(Unreadable, match="more than some seconds"):
        Sweeps(model, hidden, table, 9, [], none[:, 0], none, none[:, :2], bases, Work()).check()
    assert time.process_time() - begun < 5
