"""dfst prove --never-halts, as a person types it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dfst.proof.certificate import save_proof, sealed
from dfst.proof.sides import packed

ENDLESS = "0RB---_0LC1RA_1LD1LD_1RE0LB_1RC1RD"


def test_prove_and_check(dfst, tmp_path):
    file = tmp_path / "proof.json"
    done = dfst("prove", ENDLESS, "--never-halts", "-o", file)
    assert done.status == 0
    assert done.out.startswith(f"proved: {ENDLESS} never halts on the blank tape")
    assert "configurations each" in done.err
    accepted = dfst("prove", ENDLESS, "--never-halts", "--check", file)
    assert (accepted.status, accepted.out.split(":")[0]) == (0, "accepted")
    (record,) = dfst("prove", ENDLESS, "--never-halts", "--check", file, "--json").objects
    assert record["accepted"] is True
    other = dfst("prove", "bb4", "--never-halts", "--check", file)
    assert (other.status, other.out) == (2, "")
    assert "it is about another machine than bb4" in other.err
    nothing = {**json.loads(file.read_text()), "invariant": packed(np.zeros((0, 5), dtype=np.int32))}
    save_proof(sealed(nothing), file)
    (record,) = dfst("prove", ENDLESS, "--never-halts", "--check", file, "--json").objects
    assert (record["accepted"], record["reason"]) == (False, "an input is not included")
    file.write_text(file.read_text()[:50])
    assert dfst("prove", ENDLESS, "--never-halts", "--check", file).status == 2


def test_json(dfst):
    (record,) = dfst("prove", ENDLESS, "--never-halts", "--json").objects
    assert list(record) == ["subject", "never_halts", "strength", "checked", "steps", "method"]
    assert (record["never_halts"], record["strength"], record["steps"]) == (True, "proved", None)
    assert record["method"] == {"name": "windows", "size": 4}


def test_a_machine_that_halts_says_after_how_many_steps(dfst, tmp_path):
    done = dfst("prove", "bb4", "--never-halts", "-o", tmp_path / "proof.json")
    assert done.status == 1
    assert done.out.startswith("refuted: bb4 halts on the blank tape after 107 steps")
    assert not (tmp_path / "proof.json").exists()


def test_what_is_not_decided_says_what_was_tried(dfst, monkeypatch):
    monkeypatch.setattr("dfst.proof.never_halts.ROUNDS", ((10, 10_000),))
    done = dfst("prove", "bb5", "--never-halts")
    assert done.status == 1
    assert done.out.startswith("tested: bb5 did not halt, and it is not known whether it ever does")
    assert "run for 10,000 steps" in done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["langton"], "one row"),
        (["add2"], "takes a machine, found the model add2"),
        (["bb4", "--against", "bb3"], "leave out --against"),
        (["bb4", "--language", "1+"], "leave out --language"),
        (["bb4", "--check", "missing.json"], "cannot read missing.json"),
    ],
)
def test_bad_input(dfst, words, says):
    done = dfst("prove", *words, "--never-halts")
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1
