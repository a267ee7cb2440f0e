"""What users ran into, by letter of the review, each with a test; those that stand elsewhere are named here.

U1   recordings of any size without --hidden-size: train/test_hidden_size.py; why not polished: below
U2   functions are machines, proved: machines/test_from_function.py, problems/test_function.py
U3   wrong and missing steps: cli/test_imperfect.py, train/test_jury.py, states/test_likeliest.py
U4   inputs of several rows: world/test_several_lines.py
U5   tasks, baselines, formats of one's own: cli/test_plugins.py
U7   a deleted rule: below; what is accepted: proof/test_accepting_alike.py
U8   as many examples as asked for: traces/test_inputs.py; the one size of --teaches and learn: below
U9   one-way machines: proof/test_regular.py
U10  logs: below; gzip, contradictions counted: traces/test_recording.py; step: test_api.py
U11  Python: below; test_public_names.py; a loop and a baseline of one's own: test_api.py, cli/test_plugins.py
U12  --json: cli/test_plugins.py; one language: below; JFLAP, dot: machines/formats
U13  fields: traces/test_recording.py; states: machines/formats; forgotten rules: below
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dfst
from dfst.cli import execute
from dfst.machines.formats import parse_machine
from dfst.problems import find_problem
from dfst.train.learnt import Outcome
from dfst.train.settings import configure

ROOT = Path(__file__).parents[1]
EVEN = """
blank: ' '
start state: even
table:
  even: {a: {R: odd}, ' ': {R: accept}}
  odd: {a: {R: even}, ' ': {R: reject}}
  accept:
  reject:
"""


def test_u1_why_a_seed_is_not_polished_and_what_to_do():
    add2 = dfst.load("add2")
    said = Outcome(0, add2, add2, 0.1).sentence()
    assert (
        "not polished: its hidden states do not come back to a few points; try more steps or examples" in said
    )


def test_u6_learning_installs_nothing_but_the_package():
    text = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^learn: \$\(CORE\)", text, re.MULTILINE)
    assert re.search(r"^\$\(CORE\):.*\n\t\$\(PYTHON\) \$\(PIP\) -e \.\n", text, re.MULTILINE)


@pytest.mark.parametrize("language", [None, "a*"])
def test_u7_a_deleted_rule_is_a_difference(language):
    whole = parse_machine(EVEN, name="whole")
    lacking = parse_machine(EVEN.replace(", ' ': {R: accept}", ""), name="lacking")
    for one, other in ((whole, lacking), (lacking, whole)):
        verdict = dfst.prove(one, other, language)
        assert verdict.strength == "refuted"
        assert verdict.counterexample.input == ""


def test_u12_two_automata_of_one_language_are_the_same():
    by_state = parse_machine(EVEN, name="by_state")
    by_no_rule = parse_machine(
        EVEN.replace(", ' ': {R: reject}", "").replace("  reject:\n", ""), name="lacks"
    )
    verdict = dfst.prove(by_state, by_no_rule)
    assert verdict.strength == "proved"
    assert any("which inputs they accept" in said for said in verdict.assumptions)
    assert "which inputs they accept" in verdict.sentence(), "no caveat is left out"


def test_u10_a_log_that_goes_on_where_nothing_was_shown_is_stopped(tmp_path, capsys):
    header = {"format": "dfst-traces/2", "name": "log", "alphabet": ["a", "b", "λ"], "blank": "λ"}
    words = ["a" * n for n in range(8)]
    rows = [
        {"input": w, "read": f"{w}λ", "wrote": f"{w}λ", "moved": f"{'R' * len(w)}S"} for w in (*words, "aab")
    ]
    log, run = tmp_path / "log.jsonl", tmp_path / "run"
    log.write_text("".join(f"{json.dumps(row)}\n" for row in (header, *rows)), "utf-8")
    options = ("--steps", "300", "--seeds", "1", "--device", "cpu", "--quiet")
    execute(["learn", str(log), *options, "--out", str(run)])
    capsys.readouterr()
    assert execute(["run", str(run), "aa"]) == 0
    assert execute(["run", str(run), "ab"]) == 1
    said = capsys.readouterr().err
    assert "guessed: in step 1 its best actions scored alike" in said
    assert "did not halt within 100,000 steps" in said
    with pytest.raises(
        dfst.InputError, match="did not halt on 'ab' within 100,000 steps, and guesses: at step"
    ):
        dfst.load(run).run("ab")


def test_u10_a_symbol_that_only_held_out_traces_read_is_named(tmp_path):
    header = {"format": "dfst-traces/2", "name": "log", "alphabet": ["a", "b", "λ"], "blank": "λ"}
    words = [*("a" * n for n in range(8)), "b" * 9]  # the longest is held out
    rows = [{"read": f"{w}λ", "wrote": f"{w}λ", "moved": f"{'R' * len(w)}S"} for w in words]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(row)}\n" for row in (header, *rows)), "utf-8")
    said = find_problem(str(log)).training_set().chosen
    assert said == "recorded; held-out traces alone read b, of which nothing is learnt"


def test_u11_one_number_one_input_one_line():
    assert dfst.evaluate("add2", digits=5).right
    assert configure("add2", inputs="0+1").problem.training_set().traces.inputs == ("0+1",)
    assert repr(dfst.load("add2")).count("\n") == 0
    assert len(repr(dfst.load("mult2"))) < 200


def test_u11_learning_tells_how_it_goes_unless_it_is_to_be_quiet(tmp_path, capsys):
    learnt = dfst.learn("add2", steps=2, seeds=1, device="cpu", digits=3, out=tmp_path / "told")
    assert "training 1 seed with hidden size 12 for 2 steps" in capsys.readouterr().err
    assert repr(learnt).startswith("<Learnt add2, learnt from 20 examples, is not exact")
    dfst.learn("add2", steps=2, seeds=1, device="cpu", digits=3, out=tmp_path / "quiet", quiet=True)
    assert capsys.readouterr() == ("", "")


def test_u13_a_forgotten_rule_is_told(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(EVEN.replace("a: {R: even}, ", ""), "utf-8")
    said = find_problem(str(file), language="a*").training_set().chosen
    assert "of them end where it has no rule, such as (odd, a) on 'aa'" in said
    file.write_text(EVEN, "utf-8")
    assert "no rule" not in find_problem(str(file), language="a*").training_set().chosen


def test_u13_whether_the_machine_is_right_is_not_claimed(capsys):
    assert execute(["prove", "--help"]) == 0
    assert "right to imitate the reference is no part of them" in " ".join(capsys.readouterr().out.split())


def test_u8_one_hidden_size(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    file.write_text(EVEN, "utf-8")
    execute(["trace", str(file), "--teaches"])
    said = re.search(r"hidden size (\d+)", capsys.readouterr().out)
    options = ("--steps", "1", "--seeds", "1", "--device", "cpu", "--quiet")
    execute(["learn", str(file), *options, "--out", str(tmp_path / "run")])
    assert said is not None
    assert dfst.load(tmp_path / "run").shape.d == int(said[1])
