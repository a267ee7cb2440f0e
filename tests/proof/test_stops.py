"""Where the reference of a model has no rule: what is said then, and what a proof of its answer adds."""

import json
from importlib import resources

import numpy as np
import pytest

from dfst.experts import expert
from dfst.machines import MISSING
from dfst.proof import Rejected, verify
from dfst.proof.checker import check, sentence
from dfst.proof.language import task_language
from dfst.proof.reading import Work, array, digest
from dfst.proof.sides import packed

FOLDER = resources.files("dfst") / "weights"
WEIGHTS = (FOLDER / "mult2.safetensors").read_bytes()


def stored():
    return json.loads((FOLDER / "mult2.proof.json").read_bytes())


def sealed(proof):
    return json.dumps({**proof, "digest": digest(proof)}, ensure_ascii=False).encode()


def with_a_state_without_rules():
    proof = stored()
    following = array(proof["reference"]["table"]["next"], "int32", Work()).copy()
    following[5] = MISSING
    proof["reference"]["table"]["next"] = packed(following.astype(np.int32))
    return proof


def test_without_its_answer_a_proof_says_as_long_as():
    proof = stored()
    proof["answer"] = None
    shown = check(sealed(proof), WEIGHTS)
    agent = expert("mult2")
    assert {agent.states[q] for q, _ in shown["stops"]} >= {"(take,1)"}
    assert "as long as that has a rule" in sentence(shown)


def test_rules_taken_from_the_reference_are_listed_and_it_is_another_machine():
    agent, proof = expert("mult2"), {**with_a_state_without_rules(), "answer": None}
    assert len(check(sealed(proof), WEIGHTS)["stops"]) > len(
        check(sealed({**stored(), "answer": None}), WEIGHTS)["stops"]
    )
    with pytest.raises(Rejected, match="another machine"):
        verify(sealed(proof), agent, task_language(agent.task), WEIGHTS)


def test_an_answer_is_of_its_own_machine():
    other = stored()
    other["answer"] = json.loads((FOLDER / "add2.proof.json").read_bytes())["answer"]
    for proof in (with_a_state_without_rules(), other):
        with pytest.raises(Rejected):
            check(sealed(proof), WEIGHTS)
