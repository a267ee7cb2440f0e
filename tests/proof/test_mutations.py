"""Mutated proofs and weights, digests fitting: whatever the checker still accepts is run, and must be right.

A mutation changes one thing somewhere: a number of an array, a number, a truth value or a name of the JSON, a
row too many or too few, two arrays for each other, or a weight. Most are refused. Those that are accepted say
something, for so many steps; 300 inputs are run to see whether it is so.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from forging import at, forged, put
from machine_zoo import rebased

from dfst.errors import InputError
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import from_bytes
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, prove
from dfst.proof.certificate import agent_hash
from dfst.proof.checker import check
from dfst.proof.language import task_language
from dfst.states.explore import random_inputs
from dfst.world.grid import Limits

INPUTS, STEPS = 300, 20_000
KINDS = ("bits", "whole", "bounded", "float32")
ARRAYS = [
    *[(part, "table", name) for part in ("subject", "reference") for name in ("write", "motion", "next")],
    ("pairs",), ("invariant",), ("weights", "hidden"),
    *[(side, part) for side in ("left", "right") for part in ("edges", "inside", "laid")],
]  # fmt: skip
MEASURE = [("weights", "measure", "to"), ("weights", "measure", "back")]
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, 1e308, 5e-324, 1e-9, 2.0**24)


@cache
def subject(kind, name):
    """(weights, proof) of one kind of model."""
    agent = expert(name)
    weights = compile_agent(agent, dtype=np.float32 if kind == "float32" else np.float64)
    if kind == "bits":  # exact to the bit, but not in whole numbers
        weights = replace(weights, h0=weights.h0 * 0.75, B=weights.B / 3)
    elif kind == "bounded":
        weights = rebased(weights, np.random.default_rng(0))
    return weights, prove(weights, agent).proof


def mutate_array(proof, rng, arrays=None):
    keys = arrays or (*ARRAYS, *(MEASURE if proof["weights"]["measure"] else ()))
    keys = keys[rng.integers(len(arrays or ARRAYS))]
    array = at(proof, *keys)
    if not array.size:
        return
    place = tuple(int(rng.integers(n)) for n in array.shape)
    kind = rng.integers(6)
    if kind == 0:
        array = np.delete(array, place[0], axis=0)
    elif kind == 1:
        array = np.concatenate([array, array[place[0]][None]])
    elif kind == 2:
        other = int(rng.integers(len(array)))
        array[[place[0], other]] = array[[other, place[0]]]
    elif array.dtype.kind == "f":
        array[place] = rng.choice(FLOATS) if kind < 5 else array[place] * (1 + 10.0 ** -rng.uniform(0, 16))
    else:
        array[place] = rng.integers(-3, 14) if kind < 5 else array[place] + rng.choice([-1, 1])
    put(proof, keys, array)


def leaves(value, path=()):
    """Every place of a JSON value that is no array of ours."""
    if isinstance(value, dict) and "data" not in value:
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        yield path
        for i in range(len(value)):
            yield from leaves(value[i], (*path, i))
    elif not isinstance(value, dict):
        yield path


def mutate_json(proof, rng):
    places = [p for p in leaves(proof) if p not in ((), ("format",), ("digest",), ("weights", "sha256"))]
    # Columns and shapes are most of the leaves; the few others are as interesting.
    few = [p for p in places if p[0] not in ("answer", "columns")]
    path = (few if rng.random() < 0.5 else places)[int(rng.integers(len(few)))]
    inner = proof
    for key in path[:-1]:
        inner = inner[key]
    old = inner[path[-1]]
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int):
        new = [old + 1, old - 1, 0, 1, 15, -1, 3, True, str(old)][rng.integers(9)]
    elif isinstance(old, str):
        new = ["first", "last", "operator", "λ", "+", "1", "", 7][rng.integers(8)]
    elif isinstance(old, list) and old:
        new = [old[::-1], old[1:], [*old, old[0]], []][rng.integers(4)]
    else:
        new = [0, [], None, {}][rng.integers(4)]
    inner[path[-1]] = new


def mutated_weights(weights, rng):
    """One weight, or a row, or the meaning of the rows, or all in another format or scale."""
    name = ("A", "B", "C", "h0")[rng.integers(4)]
    tensor = getattr(weights, name).copy()
    place = tuple(int(rng.integers(n)) for n in tensor.shape)
    kind = rng.integers(8)
    if kind <= 2:
        finite = [v for v in FLOATS if np.isfinite(v)]
        tensor[place] = np.clip(rng.choice(finite), -3e38, 3e38)
    elif kind == 3:
        tensor[place] *= 1 + 10.0 ** -rng.uniform(0, 16)
    elif kind == 4:
        tensor = tensor[::-1].copy()
    elif kind == 5:
        return replace(weights, motions=tuple(rng.permutation(weights.motions).tolist()))
    elif kind == 6:
        return weights.astype(np.float32 if weights.dtype == np.float64 else np.float64)
    else:
        tensor *= rng.choice([-1.0, 0.5, 2.0, 3.0, 1e-30])
    return replace(weights, **{name: tensor})


def run_is_right(weights, agent, steps):
    """Whether the steps that the checker vouched for are the expert's, on 300 inputs."""
    limit = STEPS if steps is None else min(steps, STEPS)
    rollout = Rollout(weights)
    for text in random_inputs(agent.task, np.random.default_rng(7), INPUTS, 8):
        run = rollout.run(text, Limits(steps=limit), against=agent)
        if run.difference is not None and run.difference.step < limit:
            return False
        if not run.halted and run.steps < limit and run.difference is None:
            return False  # it overflowed
    return True


def mutations(count, seed):
    """How many mutations were accepted; each of them is run."""
    rng = np.random.default_rng(seed)
    accepted = 0
    for _ in range(count):
        name = "sort2" if rng.random() < 0.8 else "add2"
        agent = expert(name)
        kind = KINDS[rng.integers(len(KINDS))]
        weights, proof = subject(kind, name)
        proof = copy.deepcopy(proof)
        for _ in range(1 + (rng.random() < 0.2)):
            what = rng.integers(3)
            if what == 0:
                weights = mutated_weights(weights, rng)
            else:
                (mutate_array, mutate_json)[what - 1](proof, rng)
        data = weights_bytes(weights)
        try:
            shown = check(forged(proof, weights=weights), data)
        except Rejected:
            continue
        if (
            shown["reference_sha256"] != agent_hash(agent)
            or shown["inputs"] != task_language(agent.task).as_json()
        ):
            continue  # a true statement about something else, as `verify` would say
        try:
            model = from_bytes(data, "mutated")
        except InputError:
            continue  # it cannot be run at all
        assert run_is_right(model, agent, shown["steps"]), (kind, name, shown)
        accepted += 1
    return accepted


def test_what_is_still_accepted_is_right():
    assert 1 < mutations(60, seed=0) < 55


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_what_is_still_accepted_of_ten_thousand_is_right(seed):
    assert mutations(1_000, seed) > 40
