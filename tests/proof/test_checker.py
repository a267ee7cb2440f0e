"""The checker: accepts what was proved, and refuses every forgery, damage and mix-up it is fed."""

from __future__ import annotations

import ast
import copy
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from machine_zoo import rebased, with_memory

import dfst.proof.checker as checker_module
from dfst.agents import HALT, MISSING, expert
from dfst.model import compile_agent, save_weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, prove, save_proof, verify
from dfst.proof.certificate import digest, to_bytes
from dfst.proof.checker import _Patterns, check
from dfst.proof.language import language_of
from dfst.proof.packing import packed

CHECKER = Path(checker_module.__file__)


def test_it_is_short_and_imports_no_prover():
    source = CHECKER.read_text()
    assert len(source.splitlines()) < 300
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    assert imported <= set(sys.stdlib_module_names) | {"numpy"}


@pytest.fixture(scope="module")
def subjects():
    """name → (proof, weights): a machine, a model exact to the bit, a model with a tolerance."""
    agent = expert("add2")
    one_hot = compile_agent(agent)
    turned = rebased(one_hot, np.random.default_rng(0))
    return {
        "machine": (prove(agent, agent).proof, None),
        "bits": (prove(one_hot, agent).proof, weights_bytes(one_hot)),
        "tolerance": (prove(turned, agent).proof, weights_bytes(turned)),
    }


@pytest.mark.parametrize("kind", ["machine", "bits", "tolerance"])
def test_accepts(subjects, kind):
    proof, weights = subjects[kind]
    shown = verify(to_bytes(proof), expert("add2"), language_of(expert("add2")), weights)
    assert shown["configurations"] > 1_000


@pytest.mark.parametrize("name", ["mult2", "mult3", "sort10", "increment10", "compare3"])
def test_accepts_other_tasks(name):
    agent = expert(name)
    verify(to_bytes(prove(agent, agent).proof), agent, language_of(agent))


def unpacked(proof, *keys):
    for key in keys:
        proof = proof[key]
    return checker_module._array(proof, proof["dtype"], len(proof["shape"])).copy()


def altered(array, index, value):
    array = array.copy()
    array[index] = value
    return packed(array)


def drop_row(key, index):
    def forge(proof):
        proof[key] = packed(np.delete(unpacked(proof, key), index, axis=0))

    return forge


def set_cell(keys, index, value):
    def forge(proof):
        inner = proof
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = altered(unpacked(proof, *keys), index, value)

    return forge


def used_pair(proof):
    """A (pair, symbol) with a rule."""
    return tuple(int(v[-1]) for v in np.nonzero(unpacked(proof, "machine", "next") >= 0))


def missing_rule(proof):
    proof["machine"]["next"] = altered(unpacked(proof, "machine", "next"), used_pair(proof), MISSING)


def wrong_write(proof):
    pair = used_pair(proof)
    table = unpacked(proof, "machine", "write")
    proof["machine"]["write"] = altered(table, pair, (table[pair] + 1) % 3)


def wrong_write_in_both(proof):
    """Machine and reference altered alike: consistent, but then the invariant or the weights object."""
    wrong_write(proof)
    p, x = used_pair(proof)
    q = int(unpacked(proof, "states")[p])
    table = unpacked(proof, "machine", "write")
    proof["reference"]["write"] = altered(unpacked(proof, "reference", "write"), (q, x), table[p, x])


def halting_where_it_goes_on(proof):
    proof["machine"]["next"] = altered(unpacked(proof, "machine", "next"), used_pair(proof), HALT)


def patterns_shrunk(proof):
    for stack in proof["left"]:
        for item in stack:
            item[2] = False


def pushes_turned(proof):
    pushes = unpacked(proof, "pushes")
    pushes[:, 4] = np.roll(pushes[:, 4], 1)
    proof["pushes"] = packed(pushes)


def columns_shrunk(proof):
    column = max(range(len(proof["columns"])), key=lambda i: sum(c.bit_count() for c in proof["columns"][i]))
    proof["columns"][column] = [cell & -cell for cell in proof["columns"][column]]


def empty_operands_too(proof):
    proof["inputs"]["head"].append([0, *proof["inputs"]["head"][0][1:]])


def other_heads_too(proof):
    proof["inputs"]["head"][0][1] |= 1


def operands_of_anything(proof):
    proof["inputs"]["before"][1][1] |= 1 << proof["blank"]


def operands_that_end_anywhere(proof):
    proof["inputs"]["accepting"].append(2)


def no_inputs(proof):
    proof["inputs"]["head"] = []


def fewer_rows(proof):
    proof["rows"] = [0, 0]


FORGERIES = {
    "first configuration dropped": drop_row("invariant", 0),
    "last configuration dropped": drop_row("invariant", -1),
    "a configuration in the middle dropped": drop_row("invariant", 600),
    "no configuration at all": drop_row("invariant", slice(None)),
    "a push dropped": drop_row("pushes", 3),
    "pushes turned": pushes_turned,
    "a pair stands for another state": set_cell(("states",), -1, 0),
    "the start stands for another state": set_cell(("states",), 0, 1),
    "a pair stands for no state": set_cell(("states",), -1, 99),
    "a rule removed": missing_rule,
    "a rule altered": wrong_write,
    "a rule halts": halting_where_it_goes_on,
    "patterns without 'or more'": patterns_shrunk,
    "a column with fewer symbols": columns_shrunk,
    "more inputs than were looked at": empty_operands_too,
    "more starts than were looked at": other_heads_too,
    "inputs of other symbols": operands_of_anything,
    "inputs that end sooner": operands_that_end_anywhere,
    "no inputs at all": no_inputs,
    "rows left out": fewer_rows,
    "a negative index": set_cell(("invariant",), (0, 0), -1),
    "an index too large": set_cell(("invariant",), (0, 3), 10**6),
    "an array of another type": lambda p: p.update(
        invariant=packed(unpacked(p, "invariant").astype(np.int64))
    ),
    "another format": lambda p: p.update(format="dfst-proof/0"),
    "no columns": lambda p: p.update(columns=[]),
    "a field missing": lambda p: p.pop("pushes"),
    "a field of another kind": lambda p: p.update(machine=7),
}


@pytest.mark.parametrize("kind", ["machine", "bits"])
@pytest.mark.parametrize("forgery", FORGERIES)
def test_refuses_forgeries_with_a_fitting_digest(subjects, kind, forgery):
    proof, weights = subjects[kind]
    forged = copy.deepcopy(proof)
    FORGERIES[forgery](forged)
    forged["digest"] = digest(forged)
    with pytest.raises(Rejected):
        check(to_bytes(forged), weights)


def test_each_single_configuration_is_needed(subjects):
    proof, _ = subjects["machine"]
    invariant = unpacked(proof, "invariant")
    for index in np.random.default_rng(0).choice(len(invariant), 60, replace=False):
        forged = copy.deepcopy(proof)
        forged["invariant"] = packed(np.delete(invariant, index, axis=0))
        forged["digest"] = digest(forged)
        with pytest.raises(Rejected):
            check(to_bytes(forged))


def test_refuses_another_reference_and_other_inputs(subjects):
    agent = expert("add2")
    proof, weights = subjects["bits"]
    forged = copy.deepcopy(proof)
    wrong_write_in_both(forged)
    forged["digest"] = digest(forged)
    with pytest.raises(Rejected):
        check(to_bytes(forged), weights)
    with pytest.raises(Rejected, match="another machine"):
        verify(to_bytes(proof), expert("sub2"), language_of(agent), weights)
    narrow = replace(language_of(agent), head=((1, 1, 2),))
    with pytest.raises(Rejected, match="other inputs"):
        verify(to_bytes(proof), agent, narrow, weights)


WEIGHT_FORGERIES = {
    "another fingerprint": lambda w: w.update(fingerprint="0" * 64),
    "a larger margin claimed": lambda w: w.update(margin=w["margin"] * 2 + 1),
    "no margin": lambda w: w.update(margin=0.0),
    "a smaller radius claimed": lambda w: w.update(radius=w["radius"] / 1e6),
    "another hidden state": lambda w: w.update(hidden=altered(unpacked(w, "hidden"), (3, 0), 0.5)),
    "pairs at other hidden states": lambda w: w.update(contexts=packed(np.roll(unpacked(w, "contexts"), 1))),
    "to the bit, they say": lambda w: w.update(arithmetic="bits"),
    "not about weights": None,
}


@pytest.mark.parametrize("forgery", WEIGHT_FORGERIES)
def test_refuses_forged_numbers(subjects, forgery):
    proof, weights = subjects["tolerance"]
    forged = copy.deepcopy(proof)
    if WEIGHT_FORGERIES[forgery]:
        WEIGHT_FORGERIES[forgery](forged["weights"])
    else:
        forged["weights"] = None
    forged["digest"] = digest(forged)
    with pytest.raises(Rejected):
        check(to_bytes(forged), weights)


def test_refuses_more_steps_than_are_covered(subjects):
    proof, weights = subjects["tolerance"]
    agent = expert("add2")
    steps = verify(to_bytes(proof), agent, language_of(agent), weights)["steps"]
    assert steps == proof["weights"]["steps"]
    forged = copy.deepcopy(proof)
    forged["weights"]["steps"]["float32"] += 1
    forged["digest"] = digest(forged)
    with pytest.raises(Rejected, match="steps in float32"):
        verify(to_bytes(forged), agent, language_of(agent), weights)


@pytest.mark.parametrize("tensor", ["A", "B", "C", "h0"])
@pytest.mark.parametrize("kind", ["bits", "tolerance"])
def test_refuses_altered_weights_even_with_their_fingerprint(subjects, kind, tensor):
    agent = expert("add2")
    weights = (
        compile_agent(agent) if kind == "bits" else rebased(compile_agent(agent), np.random.default_rng(0))
    )
    changed = getattr(weights, tensor).copy()
    changed.flat[np.argmax(np.abs(changed))] *= -1
    weights = replace(weights, **{tensor: changed})
    proof = copy.deepcopy(subjects[kind][0])
    with pytest.raises(Rejected, match="not the weights"):
        check(to_bytes(proof), weights_bytes(weights))
    proof["weights"]["fingerprint"] = weights.fingerprint()
    proof["digest"] = digest(proof)
    with pytest.raises(Rejected):
        check(to_bytes(proof), weights_bytes(weights))


def test_refuses_damaged_files(subjects):
    proof, weights = subjects["bits"]
    data = to_bytes(proof)
    rng = np.random.default_rng(1)
    for cut in [0, 1, 100, len(data) // 2, len(data) - 1]:
        with pytest.raises(Rejected):
            check(data[:cut], weights)
    for _ in range(100):
        at = int(rng.integers(len(data)))
        with pytest.raises(Rejected):
            check(data[:at] + bytes([data[at] ^ (1 << int(rng.integers(7)))]) + data[at + 1 :], weights)
    for cut in [0, 7, 200, len(weights) - 1]:
        with pytest.raises(Rejected):
            check(data, weights[:cut])
    with pytest.raises(Rejected):
        check(data)
    with pytest.raises(Rejected):
        check(to_bytes(subjects["machine"][0]), weights)


def test_runs_as_a_program(subjects, tmp_path):
    agent = expert("add2")
    weights = compile_agent(agent)
    save_weights(weights, tmp_path / "w.safetensors")
    save_proof(subjects["bits"][0], tmp_path / "p.json")
    program = [sys.executable, str(CHECKER)]
    accepted = subprocess.run(
        [*program, tmp_path / "p.json", tmp_path / "w.safetensors"], capture_output=True, text=True
    )
    assert accepted.returncode == 0, accepted.stderr
    assert json.loads(accepted.stdout)["accepted"]
    assert subprocess.run([*program, tmp_path / "p.json"], capture_output=True).returncode == 1
    assert subprocess.run([*program, tmp_path / "none.json"], capture_output=True).returncode == 2
    assert subprocess.run(program, capture_output=True).returncode == 2


def as_regex(columns, items):
    """A pattern over one row as a regular expression; beyond it all is blank (symbol 0)."""
    cells = ["[" + "".join(str(s) for s in range(3) if columns[c][0] >> s & 1) + "]" for c, _, _ in items]
    ends = [f"{{{count},}}" if more else f"{{{count}}}" for _, count, more in items]
    return re.compile("".join(cell + end for cell, end in zip(cells, ends, strict=True)) + "0*")


def test_within_never_says_yes_where_contents_are_lost():
    rng = np.random.default_rng(2)
    columns = [(1,), (2,), (4,), (6,), (3,), (7,)]
    patterns = _Patterns([], columns, (1,))
    contents = ["".join(word) + "0" * 12 for n in range(7) for word in product("012", repeat=n)]
    yes = 0
    for _ in range(600):
        small, large = (
            tuple(
                (int(rng.integers(6)), int(rng.integers(1, 3)), bool(rng.integers(2))) for _ in range(length)
            )
            for length in rng.integers(0, 4, size=2)
        )
        if patterns.within(small, large):
            yes += 1
            one, two = as_regex(columns, small), as_regex(columns, large)
            assert all(two.fullmatch(word) for word in contents if one.fullmatch(word))
    assert yes > 30


def test_a_machine_with_memory(subjects):
    agent = expert("add2")
    machine = with_memory(agent, ["1+1", "11+11", "0+0", "00+10", "10+1", "111+1", "1+111"], 1)
    verdict = prove(machine, agent)
    assert verdict.strength in ("refuted", "tested")  # seven runs do not show all it needs
    assert verdict.proof is None
