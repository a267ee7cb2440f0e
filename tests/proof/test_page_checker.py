"""The checker on the page says of every proof what the one in Python says, and refuses every forgery."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from forging import forged
from test_answers import FORGERIES as ANSWER_FORGERIES
from test_answers import _mutated, accepts, mutations, table
from test_forgeries import FORGERIES, WEIGHT_FORGERIES

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import from_bytes
from dfst.proof.answers import explained_answer
from dfst.proof.checker import check
from dfst.viewer.payload import describe

TESTS = Path(__file__).parents[1]
SHIPPED = TESTS.parent / "src" / "dfst" / "weights"
QUICK = ["add2", "d4", "flood", "missing_duplicate", "parity", "stack", "sum10"]
PROVED = sorted(path.name.removesuffix(".proof.json") for path in SHIPPED.glob("*.proof.json"))


def on_the_page(cases, subjects):
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed; the checker on the page was not tested")
    keys = ("text", "subject", "expert")
    cases = [case if isinstance(case, dict) else dict(zip(keys, case, strict=True)) for case in cases]
    done = subprocess.run(
        [node, str(TESTS / "viewer" / "checker.mjs")],
        input=json.dumps({"cases": cases, "subjects": subjects}),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "names", [pytest.param(QUICK, id="some"), pytest.param(PROVED, id="all", marks=pytest.mark.slow)]
)
def test_it_says_what_python_says(names):
    cases, subjects, expected = [], {}, []
    for name in names:
        proof = (SHIPPED / f"{name}.proof.json").read_bytes()
        weights = (SHIPPED / f"{name}.safetensors").read_bytes()
        subjects |= {name: describe(from_bytes(weights, name)), f"expert:{name}": describe(expert(name))}
        cases.append((proof.decode(), name, f"expert:{name}"))
        expected.append(check(proof, weights))
    for shown, by_python in zip(on_the_page(cases, subjects), expected, strict=True):
        for key in ("reference", "states", "configurations", "answer", "arithmetic"):
            assert shown[key] == by_python[key]
        assert shown["stops"] == len(by_python["stops"])


def test_it_refuses_forgeries(subjects):
    proof = subjects["bits"][0]
    models = {"model": describe(compile_agent(expert("add2"))), "expert": describe(expert("add2"))}
    [true] = on_the_page([(forged(proof).decode(), "model", "expert")], models)
    assert "refused" not in true
    forgeries = {**FORGERIES, **WEIGHT_FORGERIES}
    cases = [(forged(proof, forge).decode(), "model", None) for forge in forgeries.values()]
    answers = on_the_page(cases, models)
    assert [name for name, shown in zip(forgeries, answers, strict=True) if "refused" not in shown] == []


def test_it_refuses_other_weights_experts_and_damage(subjects):
    weights = compile_agent(expert("add2"))
    changed = weights.A.copy()
    changed.flat[np.argmax(np.abs(changed))] *= -1
    changed = replace(weights, A=changed)
    models = {"model": describe(weights), "changed": describe(changed), "expert": describe(expert("mult2"))}
    proof = subjects["bits"][0]
    text = forged(proof).decode()
    cases = [
        (text, "changed", None),
        (forged(proof, weights=changed).decode(), "changed", None),
        (text, "model", "expert"),
        (forged(subjects["bounded"][0]).decode(), "model", None),
        (text.replace('"blank": 2', '"blank": 2.0'), "model", None),
        (text[:-9], "model", None),
    ]
    reasons = [shown["refused"] for shown in on_the_page(cases, models)]
    assert reasons[:3] == [
        "these are not the weights the proof is about",
        "the next hidden state is another at learnt state 0, symbol 0",
        "it is about another expert",
    ]


def test_of_a_board_it_refuses_a_proof_about_more_than_the_experts_rules():
    proof, weights = ((SHIPPED / f"flood.{kind}").read_bytes() for kind in ("proof.json", "safetensors"))
    agent = expert("flood")
    at = agent.states.index("clean"), agent.alphabet.index("#")
    models = {"model": describe(from_bytes(weights, "flood")), "expert": describe(agent)}
    for part, other in (("write", 1), ("motion", 0), ("next", 0)):
        changed = getattr(agent, part).copy()
        changed[at] = other
        models[part] = describe(replace(agent, **{part: changed}))
    cases = [(proof.decode(), "model", name) for name in ("expert", "write", "motion", "next")]
    true, *wrong = on_the_page(cases, models)
    assert "refused" not in true
    assert [shown["refused"] for shown in wrong] == ["it is about another expert"] * 3


def test_it_judges_answers_as_python_does():
    """What experts compute; claims that were forged or changed by chance; machines that are no expert."""
    cases, expected, rng = [], [], np.random.default_rng(0)
    for name in ("add2", "sub2", "compare2", "increment10"):
        agent = expert(name)
        claim = explained_answer(agent)
        tried = [(claim, table(agent))]
        if name in ("add2", "sub2"):
            for forge in ANSWER_FORGERIES.values():
                forge(changed := copy.deepcopy(claim))
                tried.append((changed, table(agent)))
            tried += [(_mutated(claim, rng), table(agent)) for _ in range(10)]
            tried += [(claim, rules) for rules in mutations(agent, rng, 6)]
        for held, rules in tried:
            by_state = np.stack(rules, axis=-1).tolist()
            cases.append({"claim": held, "rules": by_state, "alphabet": agent.alphabet, "blank": agent.blank})
            expected.append(accepts(held, agent, rules))
    found = ["refused" not in shown for shown in on_the_page(cases, {})]
    assert found == expected
    assert 4 <= sum(expected) < len(expected) / 2
