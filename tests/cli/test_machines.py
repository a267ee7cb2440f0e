"""dfst convert, extract, prove: machines in, machines out, and what can be said about them."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert
from dfst.machines.agent import HALT
from dfst.machines.formats import parse_machine, read_machine, write_machine
from dfst.machines.formats.published import published
from dfst.model import compile_agent
from dfst.model.weights import save_weights, weights_from_flat
from dfst.proof import prove, save_proof
from dfst.proof.reading import digest
from dfst.subjects import shipped

PROVE_KEYS = [
    "subject", "against", "equivalent", "strength", "states", "checked", "assumptions", "counterexample",
]  # fmt: skip


def test_convert_by_the_endings_of_names(dfst, tmp_path):
    for ending in ("yaml", "jff", "tm", "json"):
        file = tmp_path / f"bb3.{ending}"
        done = dfst("convert", "bb3", file)
        assert (done.status, done.out, done.err) == (0, "", "")
        assert read_machine(file).run().steps == 21
    done = dfst("convert", tmp_path / "bb3.yaml", tmp_path / "again.bb")
    assert done.status == 0
    assert (tmp_path / "again.bb").read_text().strip() == "1RB1RZ_1LB0RC_1LC1LA"


def test_convert_by_named_formats(dfst, tmp_path):
    done = dfst("convert", "bb2", "-", "--to", "morphett")
    assert parse_machine(done.out, "morphett").run().steps == 6
    notes = tmp_path / "notes.txt"
    notes.write_text(done.out)
    target = tmp_path / "bb2"
    assert dfst("convert", notes, target, "--from", "morphett", "--to", "json").status == 0
    assert json.loads(target.read_text())
    assert parse_machine(target.read_text(), "json").run().steps == 6


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bb2", "-"], "--to"),
        (["bb2", "bb2.txt"], "cannot tell the format"),
        (["expert:add2", "adder.bb"], "bbchallenge"),
        (["add2", "adder.json"], "dfst extract add2"),
        (["bb2", "bb2.json", "--to", "jsn"], "did you mean json"),
        (["missing.tm", "out.json"], "no such file"),
    ],
)
def test_what_cannot_be_converted_is_refused_in_one_line(dfst, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    done = dfst("convert", *words)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert expected in done.err
    assert not list(tmp_path.iterdir())


def test_extract(dfst, tmp_path):
    file = tmp_path / "adder.json"
    done = dfst("extract", "compiled:sort2", "-o", file)
    assert done.status == 0
    for word in ("learnt states", "gap", "told apart at", "last new edge", str(file)):
        assert word in done.out
    assert read_machine(file).run("1010").answer == "0011"
    (record,) = dfst("extract", "compiled:sort2", "--json").objects
    assert record["states"] == len(read_machine(file).states)
    assert record["gap"] is None  # infinite: its hidden states repeat to the bit
    assert record["last_new_edge"]["run"] <= record["runs"]
    assert dfst("prove", file).status == 0


def test_extract_from_a_model_without_a_task(dfst, tmp_path):
    file = tmp_path / "bb3.bb"
    assert dfst("extract", "compiled:bb3", "-o", file).status == 2
    assert dfst("extract", "compiled:bb3", "--inputs", "", "-o", tmp_path / "bb3.json").status == 0
    assert read_machine(tmp_path / "bb3.json").run().steps == 21
    assert dfst("extract", "compiled:plane3-steps", "--inputs", "", "-o", tmp_path / "plane.json").status == 0
    (record,) = dfst("prove", tmp_path / "plane.json", "--against", "plane3-steps", "--json").objects
    assert record["equivalent"] is True


@pytest.mark.slow
def test_a_model_that_drifts_is_refused_with_the_reason(dfst, tmp_path):
    exact = compile_agent(expert("add2"))
    flat = exact.flat()
    flat[: exact.A.size] *= 1.01
    save_weights(weights_from_flat(flat, exact), tmp_path / "drifting.safetensors")
    inputs = ["1+1", "11+1", "1011+110"]
    done = dfst("extract", tmp_path / "drifting.safetensors", "--inputs", *inputs, "-o", tmp_path / "m.json")
    assert (done.status, done.out) == (1, "")
    assert "drift" in done.err
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("subject", ["add2", "expert:add10", *slow("compiled:mult2")])
def test_prove_and_check(dfst, tmp_path, subject):
    file = tmp_path / "proof.json"
    done = dfst("prove", subject, "--out", file, "--json")
    (record,) = done.objects
    assert set(record) == {
        *PROVE_KEYS,
        "claim",
        "condition",
        "arithmetic",
        "steps",
        "length",
        "answer",
        "ends",
        "examples",
    }
    assert list(record)[: len(PROVE_KEYS)] == PROVE_KEYS
    assert (done.status, record["subject"], record["strength"]) == (0, subject, "proved")
    assert record["equivalent"] is True
    assert record["counterexample"] is None
    operator = "×" if "mult" in subject else "+"
    assert (record["steps"], record["answer"], record["ends"]) == (None, f"a{operator}b", True)
    accepted = dfst("prove", subject, "--check", file)
    assert accepted.status == 0
    assert accepted.out.startswith("accepted: ")
    (checked,) = dfst("prove", subject, "--check", file, "--json").objects
    assert (checked["accepted"], checked["subject"]) == (True, subject)
    assert checked["arithmetic"] == record["arithmetic"]
    assert checked["claim"] in accepted.out
    assert checked["assumptions"] == record["assumptions"]
    assert [*accepted.out.splitlines()[1:]] == [f"  assumed: {line}" for line in record["assumptions"]]


def test_the_sentence_of_the_shipped_adder(dfst):
    says = (
        "add2 does exactly what its expert does on every input of any length, "
        "in float32 and float64 as it runs, to the bit; "
        "for all a and b (leading zeros allowed): it ends, and writes a+b"
    )
    assert dfst("prove", "add2").out.startswith(f"proved: {says} (")
    (record,) = dfst("prove", "add2", "--json").objects
    assert record["claim"] == says


@pytest.fixture(scope="module")
def proof_of_add2(tmp_path_factory):
    """A file that `dfst prove add2 --out` would write."""
    file = tmp_path_factory.mktemp("proof") / "proof.json"
    save_proof(prove(shipped("add2"), expert("add2")).proof, file)
    return file


def test_a_proof_is_about_one_subject(dfst, tmp_path, proof_of_add2):
    proofs = {"add2": proof_of_add2, "expert:add2": tmp_path / "expert.json"}
    assert dfst("prove", "add2", "--check", proof_of_add2).status == 0
    assert dfst("prove", "expert:add2", "--out", proofs["expert:add2"]).status == 0
    assert dfst("extract", "add2", "-o", tmp_path / "adder.json").status == 0
    pairs = [("compiled:add2", "add2"), ("expert:add2", "add2"), ("add2", "expert:add2")]
    for subject, about in [*pairs, (tmp_path / "adder.json", "expert:add2")]:
        done = dfst("prove", subject, "--check", proofs[about])
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), (subject, about)
        assert "is not a proof about" in done.err


def test_a_file_that_is_no_proof_is_bad_input(dfst, tmp_path, proof_of_add2):
    file = tmp_path / "proof.json"
    text = proof_of_add2.read_text()
    changed = {
        "cut": text[: len(text) // 2],
        "altered": text.replace('"blank": 2', '"blank": 1'),
        "NaN": text.replace('"blank": 2', '"blank": NaN'),
        "old": '{"format": "dfst-proof/1"}',
        "empty": "",
    }
    for (damage, damaged), extra in product(changed.items(), ([], ["--json"])):
        file.write_text(damaged)
        done = dfst("prove", "add2", "--check", file, *extra)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), damage
    assert dfst("prove", "add2", "--check", tmp_path / "missing.json").status == 2


def test_a_proof_that_does_not_hold_is_rejected(dfst, tmp_path, proof_of_add2):
    file = tmp_path / "proof.json"
    proof = json.loads(proof_of_add2.read_text())
    proof["rows"] = [0, 0]
    proof["digest"] = digest(proof)
    file.write_text(json.dumps(proof, ensure_ascii=False))
    done = dfst("prove", "add2", "--check", file, "--json")
    (record,) = done.objects
    assert (done.status, record["accepted"]) == (1, False)
    assert record["reason"]
    assert dfst("prove", "add2", "--check", file).out.startswith("rejected: ")


def test_a_counterexample_comes_with_the_line_that_replays_it(dfst, tmp_path):
    file = tmp_path / "proof.json"
    done = dfst("prove", "expert:sub10", "--against", "expert:compare10", "--out", file)
    assert done.status == 1
    assert done.out.startswith("refuted: ")
    assert not file.exists()
    lines = [line.split("dfst ")[1] for line in done.out.splitlines() if "dfst run" in line]
    assert [dfst(*shlex.split(line)).status for line in lines] == [0, 0]
    traces = [dfst("trace", *shlex.split(line)[1:3]).out for line in lines]
    assert traces[0] != traces[1]
    (record,) = dfst("prove", "expert:sub10", "--against", "expert:compare10", "--json").objects
    assert record["equivalent"] is False
    assert record["counterexample"]["input"] in lines[0]


def test_a_counterexample_to_a_function_is_replayed_from_its_file(dfst, tmp_path):
    """Its run cannot be watched, so the line does not say --watch."""
    file, head = tmp_path / "two.py", '@dfst.teacher("a")\ndef'
    file.write_text(f"import dfst\n{head} a(pen): pen.write('a')\n{head} b(pen): pen.move('R')\n", "utf-8")
    done = dfst("prove", f"{file}:a", "--against", f"{file}:b")
    assert done.out.startswith("refuted: ")
    lines = [line.split("dfst ")[1] for line in done.out.splitlines() if "dfst run" in line]
    assert [shlex.split(line)[1] for line in lines] == [f"{file}:a", f"{file}:b"]
    assert [dfst(*shlex.split(line)).status for line in lines] == [0, 0]


def test_machines_without_a_task_are_compared_as_mealy_machines(dfst, tmp_path):
    dfst("convert", "bb3", tmp_path / "same.tm")
    same = dfst("prove", tmp_path / "same.tm", "--against", "bb3", "--json")
    assert (same.status, same.objects[0]["strength"]) == (0, "proved")
    other = dfst("prove", "bb2", "--against", "bb3", "--json")
    (record,) = other.objects
    assert (other.status, record["strength"], record["equivalent"]) == (1, "refuted", False)
    text = record["counterexample"]["input"]
    traces = [published(name).trace(text) for name in ("bb2", "bb3")]
    assert not traces[0].same_as(traces[1])
    assert "--against SUBJECT" in dfst("prove", "bb2").err


def test_what_counts_as_success_can_be_weakened(dfst, tmp_path):
    """A model that does not repeat to the bit is right for so many steps, and no more is said."""
    exact = compile_agent(expert("parity"), dtype=np.float64)
    noise = np.random.default_rng(0).normal(scale=1e-11, size=exact.shape.size)
    file = tmp_path / "blurred.safetensors"
    save_weights(weights_from_flat(exact.flat() + noise, exact), file)
    done = dfst("prove", file, "--json")
    assert (done.status, done.objects[0]["strength"]) == (1, "bounded")
    assert done.objects[0]["equivalent"] is None
    assert done.objects[0]["steps"] > 1e6
    proof = tmp_path / "proof.json"
    written = dfst("prove", file, "--at-least", "bounded", "--out", proof)
    assert written.status == 0
    assert f"--at-least bounded --check {proof}" in written.err
    assert dfst("prove", file, "--at-least", "bounded", "--check", proof).status == 0
    checked = dfst("prove", file, "--check", proof, "--json")
    assert (checked.status, checked.objects[0]["strength"]) == (1, "bounded")


def test_a_length_can_be_asked_for(dfst, tmp_path):
    """Where each symbol is read once, so many steps are so many symbols."""
    exact = compile_agent(expert("divisible3"), dtype=np.float64)
    noise = np.random.default_rng(0).normal(scale=1e-7, size=exact.shape.size)
    file, proof = tmp_path / "blurred.safetensors", tmp_path / "proof.json"
    save_weights(weights_from_flat(exact.flat() + noise, exact), file)
    done = dfst("prove", file, "--up-to", "1000", "--out", proof)
    assert done.status == 0
    assert done.out.startswith("bounded: ")
    assert " on every input of up to " in done.out
    assert "--up-to 1000 --check" in done.err
    assert dfst("prove", file, "--up-to", "1000", "--check", proof).status == 0
    assert dfst("prove", file, "--up-to", "1000000000", "--check", proof).status == 1
    assert dfst("prove", file, "--check", proof).status == 1


def test_a_machine_without_a_task_is_not_checked_against_itself(dfst, tmp_path):
    """A proof that it acts as itself was once told as one that it acts as the expert whose name it has."""
    right = expert("parity")
    ends = np.where(right.next == HALT, 1 - right.write, right.write).astype(np.uint8)
    wrong = replace(right, write=ends, task=None)
    file, proof = tmp_path / "parity.json", tmp_path / "proof.json"
    write_machine(wrong, file)
    save_proof(prove(wrong, wrong).proof, proof)
    done = dfst("prove", file, "--check", proof)
    assert (done.status, done.out) == (2, "")
    assert "parity has no task, so there is no expert to compare it with; name a reference" in done.err
    assert dfst("prove", file, "--against", "expert:parity", "--check", proof).status == 2
