"""Mutated proofs about machines, digests fitting: what the checker still accepts is run, and must be right.

The machine in the file is mutated, too; so a proof that is accepted is about another machine, and true of it.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from forging import at, forged
from test_mutations import ARRAYS, mutate_array, mutate_json
from test_never_halts import MACHINES

from dfst.errors import MissingRule
from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.machines.formats import parse_machine
from dfst.proof import Rejected, prove
from dfst.proof.certificate import agent_hash
from dfst.proof.checker import check
from dfst.proof.language import task_language
from dfst.proof.never_halts import blank_tape, prove_never_halts, steps_to_halt
from dfst.states.explore import random_inputs
from dfst.world.grid import Limits

OF_ONE = [keys for keys in ARRAYS if keys[0] in ("subject", "invariant", "left", "right")]
OF_TWO = [*OF_ONE, ("pairs",)]


def accepted(proof, arrays, rng):
    """(what is shown, the proof) after one or two mutations, or None."""
    proof = copy.deepcopy(proof)
    arrays = [keys for keys in arrays if proof[keys[0]] is not None]
    for _ in range(1 + (rng.random() < 0.3)):
        if rng.random() < 0.7:
            mutate_array(proof, rng, arrays)
        else:
            mutate_json(proof, rng)
    try:
        return check(forged(proof)), proof
    except Rejected:
        return None


def listed(proof, machine):
    """The machine that this proof is about."""
    write, motion, following = (at(proof, "subject", "table", part) for part in ("write", "motion", "next"))
    return replace(machine, write=write.astype(np.uint8), motion=motion.astype(np.uint8), next=following)


@cache
def endless(text):
    machine = parse_machine(text, name=text)
    return machine, prove_never_halts(machine).proof


def halting_mutations(count, seed):
    """How many mutated proofs that a machine never halts are accepted; each of these machines is run."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(count):
        machine, proof = endless(MACHINES[15 * int(rng.integers(6))])
        found = accepted(proof, OF_ONE, rng)
        if found is None or found[0]["inputs"] != blank_tape(machine).as_json():
            continue
        if not found[0]["never_halts"] or found[1]["blank"] != machine.blank:
            continue  # about something else, as `verify_never_halts` would say
        assert steps_to_halt(listed(found[1], machine), 3_000) is None, found
        held += 1
    return held


@cache
def two_machines(name):
    agent = expert(name)
    total = replace(agent, next=np.where(agent.next == MISSING, HALT, agent.next).astype(np.int32))
    return agent, prove(total, agent).proof


def ending(machine, text):
    try:
        run = machine.run(text, Limits(steps=2_000))
    except MissingRule as error:
        return "stuck", error.step
    return run.halted, run.steps, run.answer if run.halted else None


def paired_mutations(count, seed):
    """The same of proofs that one machine acts as another does."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(count):
        agent, proof = two_machines(("sort2", "add2", "increment2")[rng.integers(3)])
        found = accepted(proof, OF_TWO, rng)
        if found is None or found[0]["inputs"] != task_language(agent.task).as_json():
            continue
        if found[0]["reference_sha256"] != agent_hash(agent):
            continue
        machine = listed(found[1], agent)
        for text in random_inputs(agent.task, np.random.default_rng(7), 40, 6):
            assert ending(machine, text) == ending(agent, text), (found, text)
        held += 1
    return held


def test_what_is_still_accepted_is_right():
    assert halting_mutations(15, seed=0) > 0
    assert paired_mutations(15, seed=0) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_what_is_still_accepted_of_ten_thousand_is_right(seed):
    assert halting_mutations(1_000, seed) > 20
    assert paired_mutations(1_000, seed) > 20
