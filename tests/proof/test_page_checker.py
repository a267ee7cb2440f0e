"""The checker on the page says of every proof what the one in Python says, and refuses every forgery."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from forging import forged
from test_forgeries import FORGERIES, WEIGHT_FORGERIES

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import from_bytes
from dfst.proof.checker import check
from dfst.viewer.payload import describe

TESTS = Path(__file__).parents[1]
SHIPPED = TESTS.parent / "src" / "dfst" / "weights"
QUICK = ["add2", "d4", "missing_duplicate", "parity", "stack", "sum10"]
PROVED = sorted(path.name.removesuffix(".proof.json") for path in SHIPPED.glob("*.proof.json"))


def on_the_page(cases, subjects):
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed; the checker on the page was not tested")
    cases = [dict(zip(("text", "subject", "expert"), case, strict=True)) for case in cases]
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
        # What ends with its answer never lacks a rule, but that part is checked by Python alone.
        assert shown["answer"] or shown["stops"] == len(by_python["stops"])


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
