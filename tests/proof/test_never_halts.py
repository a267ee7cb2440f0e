"""Machines that never halt are proved so; those that halt never are, whatever the file says."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from evidence import slow
from forging import at, forged, put, set_cell

from dfst.errors import InputError
from dfst.machines import Agent
from dfst.machines.formats import parse_machine
from dfst.machines.formats.published import PUBLISHED, published
from dfst.proof import Rejected, reading, save_proof
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check, sentence
from dfst.proof.never_halts import certificate, methods, prove_never_halts, rules_of, verify_never_halts
from dfst.proof.tapes import Halts, TooMany, close
from dfst.world.grid import L, R, S

LISTED = Path(__file__).with_name("never_halts.txt").read_text().splitlines()
MACHINES = [line for line in LISTED if not line.startswith("#")]
SAMPLE = MACHINES[::40]


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
    """Whether the machine is proved endless in this way; what is found, the checker must accept."""
    try:
        seen = close(rules, blank, method, limit)
    except (Halts, TooMany):
        return False
    return check(to_bytes(certificate(machine_of(rules, blank), seen)))["never_halts"]


def machine_of(rules, blank):
    """The rules as an agent."""
    given = [[rule or (0, 0, -2) for rule in row] for row in rules]
    write, step, following = (np.array([[rule[i] for rule in row] for row in given]) for i in range(3))
    motion = np.choose(step + 1, [L, S, R]).astype(np.uint8)
    alphabet, states = (
        tuple(f"{name}{i}" for i in range(n)) for name, n in zip("xs", write.T.shape, strict=True)
    )
    return Agent("some", alphabet, states, write.astype(np.uint8), motion, following.astype(np.int32), blank)


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
    shown = verify_never_halts(to_bytes(verdict.proof), machine)
    assert sentence(shown, "the blank tape") == f"{machine.name} never halts on the blank tape"
    assert shown["configurations"] > 0
    # every rule that the run really uses is needed: with a halt in its place, the same way of seeing fails
    rules = rules_of(machine)
    pairs, halted = walk(rules, 0, 5_000)
    assert not halted
    for state, symbol in pairs:
        cut = copy.deepcopy(rules)
        cut[state][symbol] = None
        assert not accepts(cut, 0, verdict.method, 100_000)


@pytest.mark.slow
def test_nine_in_ten_of_the_list_are_decided():
    assert len(MACHINES) == 300
    decided = 0
    for text in MACHINES:
        machine = parse_machine(text)
        verdict = prove_never_halts(machine)
        if verdict.never_halts:
            verify_never_halts(to_bytes(verdict.proof), machine)
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


@pytest.mark.parametrize("name", ["bb5", *slow("box3x3", "bb3x3")])
def test_no_way_of_seeing_takes_a_slow_champion_for_endless(name):
    machine = published(name)
    assert not any(accepts(rules_of(machine), machine.blank, method, 1_000) for method in methods())


@pytest.mark.parametrize(("machines", "steps"), [(200, 2_000), *slow((20_000, 10_000))])
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


@pytest.mark.parametrize("machines", [150, *slow(1_000)])
def test_a_run_covers_what_the_closure_forgets(machines):
    """Whatever rule a real run uses, the closure uses: cutting it off is always noticed."""
    rng = np.random.default_rng(1)
    tried, cuts = list(methods()), 0
    for _ in range(machines):
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
    assert cuts > machines / 2


def mutated(proof, rng):
    """A proof with one number of one array changed, a row dropped, or two rows for each other."""
    rules = [("subject", "table", part) for part in ("write", "motion", "next")]
    sides = [(side, part) for side in ("left", "right") for part in ("edges", "laid")]
    keys = [*rules, *sides, ("invariant",)][rng.integers(8)]
    array = at(proof, *keys)
    place = tuple(int(rng.integers(n)) for n in array.shape)
    if rng.random() < 0.2:
        array = np.delete(array, place[0], axis=0)
    else:
        array[place] = rng.choice([array[place] + 1, array[place] - 1, 0, -2, rng.integers(5)])
    put(proof, keys, array)


@pytest.mark.parametrize("changes", [150, *slow(2_000)])
def test_altered_proofs_are_refused_or_still_true(changes):
    rng = np.random.default_rng(2)
    machines = [parse_machine(text) for text in SAMPLE[:5]]
    proofs = [prove_never_halts(machine).proof for machine in machines]
    accepted = 0
    for _ in range(changes):
        proof = copy.deepcopy(proofs[rng.integers(len(proofs))])
        mutated(proof, rng)
        try:
            shown = check(forged(proof))
        except Rejected:
            continue
        assert shown["never_halts"]
        table = [at(proof, "subject", "table", part) for part in ("write", "motion", "next")]
        agent = Agent("altered", tuple(proof["alphabet"]), tuple("ABCDE"), table[0].astype(np.uint8),
                      table[1].astype(np.uint8), table[2], proof["blank"])  # fmt: skip
        assert not walk(rules_of(agent), proof["blank"], 2_000)[1]
        accepted += 1
    assert accepted > changes / 50


FORGERIES = {
    "an old file": lambda p: p.update(format="dfst-never-halts/1"),
    "another blank": lambda p: p.update(blank=1),
    "a rule halts": set_cell(("subject", "table", "next"), (0, 0), -1),
    "a rule is missing": set_cell(("subject", "table", "next"), (0, 0), -2),
    "nothing is met": lambda p: put(p, ["invariant"], at(p, "invariant")[:0]),
    "it starts elsewhere": lambda p: put(p, ["invariant"], at(p, "invariant")[1:]),
    "the blank is not blank": set_cell(("left", "edges"), (0, 2), 1),
    "no input": lambda p: p["inputs"]["head"].clear(),
    "a reference that is none": lambda p: p.update(reference={}),
    "about weights": lambda p: p.update(weights={}),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_the_checker_refuses(forgery):
    proof = prove_never_halts(parse_machine(SAMPLE[0])).proof
    check(to_bytes(proof))
    with pytest.raises(Rejected):
        check(forged(proof, FORGERIES[forgery]))


def test_a_proof_is_about_one_machine():
    one, two = (parse_machine(text) for text in SAMPLE[:2])
    proof = to_bytes(prove_never_halts(one).proof)
    verify_never_halts(proof, one)
    with pytest.raises(Rejected, match="another machine"):
        verify_never_halts(proof, two)


def test_a_machine_that_moves_up_is_refused():
    with pytest.raises(InputError, match="one row"):
        prove_never_halts(published("langton"))


def test_the_checker_stands_alone(tmp_path):
    proof = prove_never_halts(parse_machine(SAMPLE[0])).proof
    checker, file = Path(reading.__file__).with_name("checker.py"), tmp_path / "proof.json"

    def run():
        return subprocess.run([sys.executable, "-I", checker, file], capture_output=True, text=True)

    save_proof(proof, file)
    done = run()
    assert done.returncode == 0
    assert json.loads(done.stdout)["claim"].endswith("never halts on every input that `reads` lists")
    file.write_bytes(forged(proof, FORGERIES["nothing is met"]))
    assert run().returncode == 1
    file.unlink()
    assert run().returncode == 2
