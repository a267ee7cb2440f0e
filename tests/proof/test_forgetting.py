"""Weights that descent left are proved for every length, where what they are told fades."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from forging import at, forged, put

import dfst
from dfst.cli import execute
from dfst.model.rollout.transducer import in_order, rescaled
from dfst.model.weights import load_weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.problems import find_problem
from dfst.proof import Rejected
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check, sentence, strength
from dfst.proof.forgetting import forgetting
from dfst.proof.reading import HALT, PATIENT, Work, read
from dfst.states.extract import extract_bits
from dfst.subjects import shipped

ROOT = Path(__file__).parents[2]
PROOF = ROOT / "examples" / "every-length" / "bit_shift.proof.json"
WEIGHTS = PROOF.with_name("bit_shift.safetensors")
MACHINE = ROOT / "examples" / "unseen" / "bit_shift.yaml"
MEASURE = ("weights", "measure")


@pytest.fixture(scope="module")
def stored():
    return read(PROOF.read_bytes(), Work(PATIENT)), load_weights(WEIGHTS)


def test_it_is_proved_on_inputs_of_every_length(stored):
    proof, weights = stored
    shown = check(to_bytes(proof), weights_bytes(weights))
    assert strength(shown) == "proved"
    assert (shown["steps"], shown["length"]) == (None, None)
    assert "up to" not in sentence(shown, "every input that matches [01]*")


def test_the_command_line_accepts_it(capsys):
    asked = ["prove", str(WEIGHTS), "--against", str(MACHINE), "--language", "[01]*", "--check", str(PROOF)]
    assert execute(asked) == 0
    assert "on every input that matches [01]*, in float32 as it runs" in " ".join(
        capsys.readouterr().out.split()
    )


def test_runs_stay_within_the_sets(stored):
    """In float32, h divided as the checker divides it."""
    proof, weights = stored
    owners, rows, bounds = (at(proof, *MEASURE, part) for part in ("owners", "rows", "bounds"))
    nodes = at(proof, *MEASURE, "nodes")[:, 0].tolist()
    hidden, following = at(proof, "weights", "hidden"), at(proof, "subject", "table", "next")
    agent = find_problem(str(MACHINE), language="[01]*").agent
    rng, d = np.random.default_rng(100), len(weights.h0)
    most = 0.0
    for length in (1, 2, 5, 300, 3_000):
        h, state = weights.h0, 0
        for x in agent.trace_compiled("".join(rng.choice(["0", "1"], length))).x.tolist():
            h, state = rescaled(in_order(weights.stacked[x], h)[:d]), int(following[state, x])
            if state == HALT:
                break
            v, mine = hidden[state], owners[:, 0] == nodes.index(state)
            error = h.astype(np.float64) * ((v @ v) / (v @ h)) - v
            most = max(most, float((np.abs(rows[mine] @ error) / bounds[mine, 0]).max()))
    assert 0 < most <= 1


def keeping(x, by):
    """A direction that answers nothing is kept, or nearly, and nothing says how far it was off."""

    def changed(A):
        A[x, [1, 3], [1, 3]] = by
        return A

    return changed


@pytest.mark.parametrize("by", [1.0, -1.0, 0.999, 1.5])
@pytest.mark.parametrize("x", [1, 2])
def test_a_direction_that_is_kept_is_refused(stored, x, by):
    proof, weights = stored
    other = replace(weights, A=keeping(x, by)(weights.A.copy()))
    with pytest.raises(Rejected, match="leaves the set"):
        check(forged(proof, weights=other), weights_bytes(other))


@pytest.mark.parametrize("factor", [0.0, 0.3, 0.9, 1e6])
def test_other_sets_are_refused(stored, factor):
    proof, weights = stored
    smaller = lambda p: put(p, (*MEASURE, "bounds"), at(p, *MEASURE, "bounds") * factor)  # noqa: E731
    with pytest.raises(Rejected):
        check(forged(proof, smaller), weights_bytes(weights))


def test_what_grows_a_little_is_a_sweep_and_held_to_that(stored):
    proof, weights = stored

    def grow(p):
        bounds = at(p, *MEASURE, "bounds").copy()
        bounds[0, 1] = 1e-30
        put(p, (*MEASURE, "bounds"), bounds)

    with pytest.raises(Rejected, match="a sweep leaves the set"):
        check(forged(proof, grow), weights_bytes(weights))


def test_the_prover_finds_it(stored):
    agent = find_problem(str(MACHINE), language="[01]*").agent
    verdict = dfst.prove(stored[1], agent, "[01]*")
    assert verdict.strength == "proved"
    assert verdict.proof["weights"]["measure"]["longest"] == 1


def test_what_keeps_a_direction_is_not_tried():
    """The learnt states of the automaton itself, which keeps them for ever."""
    assert forgetting(extract_bits(shipped("parity"), ["0110", "1"], max_states=9).graph) is None
