"""dfst learn machine.yaml and file.py:function, and what can be asked of the run folder afterwards."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import dfst as package
from dfst.train.runfolder import RunFolder

pytest.importorskip("torch")
SHORT = ["--seeds", "2", "--steps", "3000", "--device", "cpu"]
EVEN = """
input: '11'
blank: ' '
start state: even
table:
  even:
    1: {R: odd}
    0: R
    ' ': {R: accept}
  odd:
    1: {R: even}
    0: R
  accept:
"""
"""Accepts an even number of ones; an odd number leaves it without a rule."""
INCREMENT = """
import dfst

@dfst.teacher("01")
def increment(pen):
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() == "1":
        pen.write("0")
        pen.move("L")
    pen.write("1")
"""
EVERY_THIRD = """
import dfst

@dfst.teacher("01")
def every_third(pen):
    while pen.read() != " ":
        for _ in range(2):
            if pen.read() == " ":
                return
            pen.move("R")
        if pen.read() != " ":
            pen.write("1" if pen.read() == "0" else "0")
            pen.move("R")
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("machine") / "even.yaml"
    path.write_text(EVEN, "utf-8")
    return path


@pytest.fixture(scope="module")
def folder(machine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Learnt with no more said than the file."""
    out = tmp_path_factory.mktemp("run") / "run"
    learnt = package.learn(str(machine), out=out, seeds=2, steps=3000, device="cpu")
    assert learnt.exact
    return out


def test_it_is_judged_on_inputs_that_were_held_out(folder):
    report = json.loads((folder / "report.json").read_text("utf-8"))
    [judged] = report["evaluation"]
    assert judged["language"] == "[10]*"
    assert judged["inputs"] >= 200
    assert (judged["unshown"], judged["unmet"], judged["failures"]) == ([], [], [])
    assert report["statement"].startswith("proved: even does exactly what its machine")
    assert "(learnt from " in report["statement"]
    assert report["strength"] == "proved"


def test_what_it_rejects_it_rejects(folder, machine):
    model = package.load(folder)
    assert [run.steps for run in model.run_each(["11", "1"])] == [3, 3]
    trace = model.trace("1")
    assert [package.load(folder).motions[m] for m in trace.m] == ["R", "N", "S"]


def test_evaluate_and_prove_know_machine_and_language(dfst, folder, machine, tmp_path):
    done = dfst("evaluate", folder)
    assert (done.status, "([10]*)" in done.out) == (0, True)
    done = dfst("evaluate", folder, "--language", "1(00)*", "--json")
    assert done.status == 0
    assert done.objects[0]["language"] == "1(00)*"
    done = dfst("prove", folder, "--out", tmp_path / "proof.json")
    assert (done.status, "every input that matches [10]*" in done.out) == (0, True)
    assert dfst("prove", folder, "--check", tmp_path / "proof.json").status == 0
    assert dfst("prove", folder, "--check", folder / "proof.json").status == 0
    done = dfst("prove", folder, "--against", machine, "--language", "(11)*")
    assert (done.status, str(machine) in done.out) == (0, True)


def test_the_machine_that_it_became_is_taken_out_without_being_told_inputs(dfst, folder, machine, tmp_path):
    assert dfst("extract", folder, "-o", tmp_path / "became.json").status == 0
    became = package.read(tmp_path / "became.json")
    assert [became.run(text).steps for text in ("11", "1")] == [3, 3]


def test_a_weights_file_alone_is_held_against_a_machine(dfst, folder, machine):
    """Of its lesson nothing is known, so nothing is said of rules that were never shown."""
    model = folder / "model.safetensors"
    done = dfst("evaluate", model, "--against", machine, "--language", "[10]*")
    assert (done.status, "of up to 200 symbols ([10]*)" in done.out) == (0, True)
    assert "--against SUBJECT" in dfst("evaluate", model, "--language", "[10]*").err
    assert "--against SUBJECT" in dfst("evaluate", machine, "--language", "[10]*").err


def test_another_machine_is_told_apart(dfst, folder, machine, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(EVEN.replace("    1: {R: even}", "    1: {R: odd}"), "utf-8")
    for command in ("evaluate", "prove"):
        done = dfst(command, folder, "--against", other)
        assert done.status == 1
    assert "the shortest counterexample is 11" in done.out
    assert f"dfst run {other} 11 --watch" in done.out


def test_the_machine_of_a_run_is_not_taken_for_whatever_it_is_called(dfst, folder, tmp_path):
    """It may have the name of an expert; and nobody can replay it by its name."""
    run = tmp_path / "run"
    shutil.copytree(folder, run)
    config = RunFolder(run).read_config()
    problem = config["problem"]
    machine = {**json.loads(problem["machine"]), "name": "expert:add2"}
    config["problem"] = {**problem, "machine": json.dumps(machine)}
    RunFolder(run).write_config(config)
    for words in ([], ["--check", run / "proof.json"]):
        done = dfst("prove", run, *words)
        assert (done.status, "does exactly what its machine does" in done.out) == (0, True)
        assert "expert" not in done.out


def test_a_lesson_that_leaves_rules_out_is_not_called_right(dfst, machine, tmp_path):
    done = dfst("learn", machine, *SHORT, "--inputs", "", "00", "--out", tmp_path / "run")
    assert done.status == 1
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    assert ["(even, 1)", "1"] in report["evaluation"][0]["unshown"]
    assert dfst("evaluate", tmp_path / "run").status == 1


def test_a_counterexample_of_the_prover_counts(machine, tmp_path, monkeypatch):
    """Also where every input that was held out agrees."""
    from dfst.train import choose

    honest = choose.prove_problem
    monkeypatch.setattr(choose, "prove_problem", lambda *a: replace(honest(*a), strength="refuted"))
    learnt = package.learn(str(machine), out=tmp_path / "run", seeds=2, steps=3000, device="cpu")
    assert learnt.report.right
    assert not learnt.exact


def test_inputs_in_a_file_and_resuming(dfst, machine, tmp_path):
    (tmp_path / "inputs.txt").write_text("\n1\n11\n0110\n1\n", "utf-8")
    run = tmp_path / "run"
    done = dfst(
        "learn", machine, *SHORT, "--inputs", tmp_path / "inputs.txt", "--language", "[01]*", "--out", run
    )
    config = json.loads((run / "config.json").read_text("utf-8"))
    problem = config["problem"]
    assert (problem["inputs"], problem["language"]) == (["", "1", "11", "0110"], "[01]*")
    assert dfst("learn", "--resume", run, "--device", "cpu").out == done.out


def test_a_function_is_learnt_and_its_file_is_not_needed_again(dfst, tmp_path, monkeypatch):
    file, run = tmp_path / "mine.py", tmp_path / "run"
    file.write_text(INCREMENT, "utf-8")
    assert dfst("run", f"{file}:increment", "1011").out == "1100\n"
    done = dfst("learn", f"{file}:increment", *SHORT, "--language", "1[01]*", "--out", run)
    assert done.status == 0
    assert done.out.startswith("proved: increment does exactly what increment() does on every input")
    file.write_text("raise SystemExit('was run')\n", "utf-8")
    assert dfst("learn", "--resume", run, "--device", "cpu").out == done.out
    assert dfst("run", run, "1" * 40).out == "1" + "0" * 40 + "\n"


def test_a_function_with_a_for_loop_is_written_as_a_machine(dfst, tmp_path):
    file, table = tmp_path / "mine.py", tmp_path / "table.json"
    file.write_text(EVERY_THIRD, "utf-8")
    assert "3 states, 9 rules" in dfst("extract", f"{file}:every_third", "-o", table).out
    assert dfst("run", table, "0000000").out == "0010010\n"
    assert dfst("prove", f"{file}:every_third", "--against", table).status == 0


def test_a_function_has_traces(dfst, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(INCREMENT, "utf-8")
    assert dfst("trace", f"{file}:increment", "1", "0", "-o", tmp_path / "x.jsonl").status == 0
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
    assert rows[1] == {"input": "1", "read": "1λ1λ", "wrote": "1λ01", "moved": "RLLS"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("learn add2 --language 1+1", "add2 is a task and knows its inputs; leave out --language"),
        (
            "evaluate add2 --language 1+1",
            "add2 has a task, which knows its inputs; give --digits instead of --language",
        ),
        (
            "learn MACHINE --language 2*",
            "the pattern '2*' has, at character 1, the unknown symbol '2'; the symbols are λ 1 0",
        ),
        ("learn MACHINE --inputs 2", "even does not know the symbol '2'; its alphabet is λ 1 0"),
        ("learn MACHINE --inputs EMPTY", "EMPTY: expected inputs, each on its line, found none"),
        ("evaluate RUN --digits 3", "even has no inputs of a size; leave out --digits"),
        ("run none.py:f 1", "cannot read none.py: no such file; give FILE.py:NAME"),
    ],
)
def test_bad_input_is_one_line(dfst, machine, folder, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    empty = tmp_path / "empty.txt"
    empty.write_text("", "utf-8")
    stand_for = {"MACHINE": str(machine), "RUN": str(folder), "EMPTY": str(empty)}
    done = dfst(*(stand_for.get(word, word) for word in words.split()))
    assert done.status == 2
    assert done.err == f"dfst: {said.replace('EMPTY', str(empty))}\n"
    assert not Path("runs").exists()
