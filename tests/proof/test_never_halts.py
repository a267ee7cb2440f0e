"""Machines that never halt are proved so; those that halt never are, whatever the file says."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dfst.proof.never_halts_checker import Rejected, check

from dfst.errors import InputError
from dfst.formats import parse_machine
from dfst.formats.published import PUBLISHED, published
from dfst.proof import never_halts_checker as checker
from dfst.proof.never_halts import methods, prove_never_halts, rules_of, verify_never_halts

LISTED = Path(__file__).with_name("never_halts.txt").read_text().splitlines()
MACHINES = [line for line in LISTED if not line.startswith("#")]
SAMPLE = MACHINES[::15]


def walk(rules, blank, steps):
    """The (state, symbol) pairs of a real run from the blank tape, and whether it halts."""
    tape, at, state, pairs = {}, 0, 0, set()
    for _ in range(steps):
        read = tape.get(at, blank)
        pairs.add((state, read))
        rule = rules[state][read]
        if rule is None:
            return pairs, True
        tape[at], step, state = rule
        at += step
    return pairs, False


def accepts(rules, blank, method, limit=300):
    try:
        return checker.close(rules, blank, method, limit) > 0
    except Rejected:
        return False


def random_rules(rng):
    """A machine with one or two halting rules, and its blank."""
    states, symbols = int(rng.integers(2, 6)), int(rng.integers(2, 4))

    def rule():
        return [int(rng.integers(symbols)), int(rng.choice([-1, 1, -1, 1, 0])), int(rng.integers(states))]

    rules = [[rule() for _ in range(symbols)] for _ in range(states)]
    for _ in range(rng.integers(1, 3)):
        rules[rng.integers(states)][rng.integers(symbols)] = None
    return rules, int(rng.integers(symbols))


@pytest.mark.parametrize("text", SAMPLE)
def test_published_machines_are_decided(text):
    machine = parse_machine(text)
    verdict = prove_never_halts(machine)
    assert verdict.never_halts
    shown = verify_never_halts(json.dumps(verdict.proof).encode(), machine)
    assert shown["configurations"] > 0
    # every rule that the run really uses is needed: with a halt in its place, the same way of seeing fails
    rules = rules_of(machine)
    pairs, halted = walk(rules, 0, 5_000)
    assert not halted
    for state, symbol in pairs:
        cut = copy.deepcopy(rules)
        cut[state][symbol] = None
        assert not accepts(cut, 0, verdict.proof["method"], checker.MOST)


@pytest.mark.slow
def test_nine_in_ten_of_the_list_are_decided():
    assert len(MACHINES) == 300
    decided = 0
    for text in MACHINES:
        machine = parse_machine(text)
        verdict = prove_never_halts(machine)
        if verdict.never_halts:
            verify_never_halts(json.dumps(verdict.proof).encode(), machine)
            decided += 1
    assert decided >= 270


@pytest.mark.parametrize("name", ["bb2", "bb3", "bb4", "bb2x3"])
def test_champions_halt(name):
    machine = published(name)
    verdict = prove_never_halts(machine)
    assert verdict.never_halts is False
    assert verdict.steps == PUBLISHED[name].steps
    assert verdict.proof is None
    for method in methods():
        assert not accepts(rules_of(machine), machine.blank, method, 20_000)


@pytest.mark.parametrize("name", ["bb5", "box3x3", "bb3x3"])
def test_no_way_of_seeing_takes_a_slow_champion_for_endless(name):
    machine = published(name)
    assert not any(accepts(rules_of(machine), machine.blank, method, 1_000) for method in methods())


@pytest.mark.parametrize(
    ("machines", "steps"), [(2_000, 2_000), pytest.param(20_000, 10_000, marks=pytest.mark.slow)]
)
def test_no_random_machine_that_halts_is_ever_proved(machines, steps):
    rng = np.random.default_rng(0)
    tried = list(methods())
    halting = late = endless = 0
    for _ in range(machines):
        rules, blank = random_rules(rng)
        pairs, halted = walk(rules, blank, 200)
        some = [tried[i] for i in rng.choice(len(tried), size=8, replace=False)]
        if any(accepts(rules, blank, method, limit=100) for method in some):
            assert not walk(rules, blank, steps)[1]
            endless += 1
        halting += halted
        late += halted and len(pairs) > 4
    assert min(halting, endless) > machines / 5
    assert late > machines / 50


def test_a_run_covers_what_the_closure_forgets():
    """Whatever rule a real run uses, the closure uses: cutting it off is always noticed."""
    rng = np.random.default_rng(1)
    tried, cuts = list(methods()), 0
    for _ in range(400):
        rules, blank = random_rules(rng)
        pairs, halted = walk(rules, blank, 2_000)
        method = tried[rng.integers(len(tried))]
        if halted or not accepts(rules, blank, method):
            continue
        for state, symbol in pairs:
            cut = copy.deepcopy(rules)
            cut[state][symbol] = None
            assert not accepts(cut, blank, method)
            cuts += 1
    assert cuts > 300


def mutated(proof, rng):
    """A proof file with one value changed."""
    proof = copy.deepcopy(proof)
    which = rng.integers(6)
    row = proof["rules"][rng.integers(len(proof["rules"]))]
    at = int(rng.integers(len(row)))
    if which == 0:
        row[at] = None
    elif which == 1 and row[at]:
        row[at][int(rng.integers(3))] += int(rng.choice([-1, 1]))
    elif which == 2:
        sizes = [name for name in proof["method"] if name != "name"]
        proof["method"][sizes[rng.integers(len(sizes))]] += int(rng.choice([-1, 1]))
    elif which == 3:
        proof["configurations"] += int(rng.choice([-1, 1]))
    elif which == 4:
        proof["blank"] = 1 - proof["blank"]
    else:
        row[at] = [int(rng.integers(2)), int(rng.choice([-1, 1])), int(rng.integers(len(proof["rules"])))]
    return proof


def test_altered_proofs_are_refused_or_still_true():
    rng = np.random.default_rng(2)
    proofs = [prove_never_halts(parse_machine(text)).proof for text in SAMPLE[::4]]
    accepted = 0
    for _ in range(1_000):
        proof = mutated(proofs[rng.integers(len(proofs))], rng)
        try:
            # the count of configurations is put right, so that the closure alone decides
            proof["configurations"] = checker.close(proof["rules"], proof["blank"], proof["method"], 2_000)
            shown = check(json.dumps(proof).encode())
        except (Rejected, IndexError, TypeError):
            continue
        assert not walk(shown["rules"], shown["blank"], 2_000)[1]
        accepted += 1
    assert accepted > 50


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "dfst-proof/1"}, "format"),
        ({"configurations": 2}, "configurations"),
        ({"blank": 2}, "blank"),
        ({"blank": True}, "blank"),
        ({"rules": []}, "damaged"),
        ({"rules": [[[0, 1, 0]], [[0, 1, 0], None]]}, "too few or too many"),
        ({"rules": [[[0, 1, 1], None]]}, "is no rule"),
        ({"rules": [[[0, 2, 0], None]]}, "is no rule"),
        ({"rules": [[[0, 1], None]]}, "damaged"),
        ({"rules": [[None, [0, 1, 0]]]}, "halts there"),
        ({"method": {"name": "faith"}}, "no such method"),
        ({"method": {"name": "words", "length": 0, "threshold": 2}}, "not from 1 to 64"),
        ({"method": {"name": "words", "length": 2}}, "damaged"),
        ({"method": {"name": "windows", "size": 65}}, "not from 1 to 64"),
        ({"method": {"name": "windows", "size": 2.0}}, "not from 1 to 64"),
    ],
)
def test_what_the_checker_refuses(change, why):
    proof = {
        "format": "dfst-never-halts/1",
        "subject": "right for ever",
        "blank": 0,
        "rules": [[[0, 1, 0], None]],
        "method": {"name": "words", "length": 1, "threshold": 2},
        "configurations": 1,
    }
    assert check(json.dumps(proof).encode())["configurations"] == 1
    changed = json.dumps({**proof, **change}).encode()
    with pytest.raises(Rejected, match=why):
        check(changed)


def test_a_proof_is_about_one_machine():
    one, two = (parse_machine(text) for text in SAMPLE[:2])
    proof = json.dumps(prove_never_halts(one).proof).encode()
    verify_never_halts(proof, one)
    with pytest.raises(Rejected, match="another machine"):
        verify_never_halts(proof, two)


def test_a_machine_that_moves_up_is_refused():
    with pytest.raises(InputError, match="one row"):
        prove_never_halts(published("langton"))


def test_the_checker_stands_alone(tmp_path):
    """It imports the standard library only, and runs without the package."""
    source = Path(checker.__file__)
    names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert names <= sys.stdlib_module_names
    proof = prove_never_halts(parse_machine(SAMPLE[0])).proof
    file = tmp_path / "proof.json"

    def run():
        return subprocess.run([sys.executable, "-I", source, file], capture_output=True, text=True)

    file.write_text(json.dumps(proof))
    done = run()
    assert done.returncode == 0
    assert json.loads(done.stdout)["accepted"]
    file.write_text(json.dumps({**proof, "configurations": 1}))
    assert run().returncode == 1
    file.unlink()
    assert run().returncode == 2
