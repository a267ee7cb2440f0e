"""dfst run, trace, evaluate, list: what they answer, where, and with which exit status."""

from __future__ import annotations

from functools import partial

import pytest

from dfst.evaluation import evaluate as evaluating
from dfst.evaluation.report import Measurement, Report
from dfst.traces.traceset import load_traces

RUN_KEYS = [
    "subject", "input", "answer", "steps", "halted", "ended_in", "accepted", "ending", "nonblank", "seconds",
]  # fmt: skip
EVALUATE_KEYS = ["subject", "digits", "plg", "rlg", "inputs", "steps", "seconds", "failures"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["expert:add10", "999+1"], "1000"),
        (["expert:mult10", "12*34"], "408"),
        (["expert:mult10", "12x34"], "408"),
        (["compiled:add16", "ff+1"], "100"),
        (["add2", "111+1"], "1000"),
        (["1RB1LB_1LA1RZ"], "1111"),
        (["turmite3"], "halted after 21,790 steps with 2,793 cells not blank"),
        (
            ["bb5"],
            f"halted after 47,176,870 steps with 4,098 cells not blank:\n1_{'1__' * 12} … {'1__' * 12}11",
        ),
    ],
)
def test_the_answer_stands_alone_on_standard_output(dfst, words, answer):
    done = dfst("run", *words)
    assert (done.status, done.out, done.err) == (0, answer + "\n", "")


def test_run_json(dfst):
    done = dfst("run", "expert:add10", "999+1", "--json")
    (record,) = done.objects
    assert list(record) == RUN_KEYS
    steps = record["steps"]
    assert record["subject"] == "expert:add10"
    assert (record["answer"], record["halted"], record["nonblank"]) == ("1000", True, 4)
    assert dfst("run", "expert:add10", "999+1", "--max-steps", steps).status == 0
    assert dfst("run", "expert:add10", "999+1", "--max-steps", steps - 1).status == 1


DOUBLE = """blank: ' '
start state: right
input: '101'
table:
  right:
    [0, 1]: R
    ' ': {write: 0, L: done}
  done:
"""


def test_a_machine_file_brings_its_own_input(dfst, tmp_path):
    file = tmp_path / "double.yaml"
    file.write_text(DOUBLE)
    done = dfst("run", file)
    assert (done.status, done.out) == (0, "1010\n")
    assert done.err == f"dfst: the input is the one in {file}: 101\ndfst: halted in state done\n"
    assert dfst("run", file, "11").out == "110\n"
    assert dfst("run", file, "").out == "0\n"
    (record,) = dfst("trace", file, "--json").objects
    assert (record["input"], record["written"]) == ("101", ["1", "0", "1", "0"])


def test_json_names_the_state_that_halted(dfst):
    (record,) = dfst("run", "bb4", "--json").objects
    assert record["ended_in"] == "C"
    (record,) = dfst("run", "compiled:add2", "1+1", "--json").objects
    assert record["ended_in"] is None


DECIDER = """blank: ' '
start state: even
table:
  even:
    a: {R: odd}
    b: {R: even}
    ' ': {N: accept}
  odd:
    a: {R: even}
    ' ': {N: reject}
  accept:
  reject:
"""


@pytest.mark.parametrize(
    ("text", "status", "out", "accepted"),
    [
        ("aa", 0, "aa\naccepted in state accept\n", True),
        ("aba", 1, "rejected: no rule for state 'odd' reading 'b'\n", False),
        ("a", 1, "a\nrejected in state reject\n", False),
        ("", 0, "halted after 1 step with 0 cells not blank\naccepted in state accept\n", True),
    ],
)
def test_a_machine_that_accepts_or_rejects_says_so(dfst, tmp_path, text, status, out, accepted):
    file = tmp_path / "even.yaml"
    file.write_text(DECIDER)
    done = dfst("run", file, text)
    assert (done.status, done.out, done.err) == (status, out, "")
    (record,) = dfst("run", file, text, "--json").objects
    assert record["accepted"] is accepted
    assert record["ending"] == out.splitlines()[-1]
    watched = dfst("run", file, text, "--watch")
    assert (watched.status, watched.out) == (status, out)
    # A model only acts: what was compiled from the machine halts, and says no more.
    (record,) = dfst("run", f"compiled:{file}", "aa", "--json").objects
    assert (record["halted"], record["accepted"], record["ending"]) == (True, None, "halted")


def test_out_of_steps_is_a_negative_answer(dfst):
    done = dfst("run", "langton", "--max-steps", 500)
    assert (done.status, done.out) == (1, "")
    assert "did not halt within 500 steps" in done.err
    (record,) = dfst("run", "langton", "--max-steps", 500, "--json").objects
    assert (record["answer"], record["halted"], record["steps"]) == (None, False, 500)


def test_watching_without_a_terminal_tells_one_line_a_step(dfst):
    done = dfst("run", "expert:add2", "1+1", "--watch")
    (record,) = dfst("run", "expert:add2", "1+1", "--json").objects
    assert (done.status, done.out) == (0, "10\n")
    assert done.err.splitlines() == dfst("trace", "expert:add2", "1+1").out.splitlines()
    assert len(done.err.splitlines()) == record["steps"] + 1


def test_a_replay_is_one_small_file(dfst, tmp_path):
    file = tmp_path / "run.html"
    done = dfst("run", "add2", "111+1", "--html", file)
    assert (done.status, done.out) == (0, "1000\n")
    assert str(file) in done.err
    page = file.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "add2 111+1" in page
    assert len(page) < 1_000_000


def test_trace(dfst, tmp_path):
    (record,) = dfst("trace", "expert:add2", "1+1", "--json").objects
    assert list(record) == ["subject", "input", "read", "written", "motion"]
    assert record["read"][0] == "+"
    assert record["motion"][-1] == "S"
    lines = dfst("trace", "expert:add2", "1+1").out.splitlines()
    assert len(lines) == 1 + len(record["read"])
    file = tmp_path / "traces.safetensors"
    done = dfst("trace", "expert:add2", "1+1", "-o", file)
    assert (done.status, done.out) == (0, "")
    assert load_traces(file).tokens == len(record["read"])


def test_a_model_leaves_the_trace_of_its_expert(dfst):
    traces = [dfst("trace", name, "101+11", "--json").objects[0] for name in ("add2", "expert:add2")]
    assert all(traces[0][key] == traces[1][key] for key in ("read", "written", "motion"))


def test_evaluate(dfst):
    done = dfst("evaluate", "compiled:add2", "--digits", 3, 20, "--json")
    assert done.status == 0
    assert [record["digits"] for record in done.objects] == [3, 20]
    for record in done.objects:
        assert set(record) == {*EVALUATE_KEYS, "margin", "relative_margin", "hard_failures"}
        assert (record["plg"], record["rlg"], record["failures"]) == (True, True, [])
    table = dfst("evaluate", "compiled:add2", "--digits", 3)
    assert table.status == 0
    assert "right" in table.out


def test_a_failure_is_a_negative_answer(dfst):
    done = dfst("evaluate", "compiled:add2", "--digits", 2, "--against", "expert:mult2", "--json")
    assert done.status == 2  # another alphabet
    done = dfst("evaluate", "compiled:sub10", "--digits", 2, "--against", "expert:compare10", "--json")
    (record,) = done.objects
    assert (done.status, record["rlg"]) == (1, False)
    assert set(record["failures"][0]) == {"kind", "input", "reason", "step"}


def test_a_hard_case_that_goes_wrong_is_one_as_well(dfst, monkeypatch):
    """PLG and RLG do not count it; the exit status does."""
    found = Measurement(3, True, True, 25, 100, 0.1, 1.0, hard_failures=1)
    monkeypatch.setattr(evaluating, "evaluate", lambda *_, **__: Report("add2", "digits", (found,)))
    done = dfst("evaluate", "compiled:add2", "--digits", 3)
    assert (done.status, "1 wrong" in done.out) == (1, True)


def test_answers_reach_a_file_while_progress_is_shown_in_a_terminal(dfst, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    done = dfst("evaluate", "compiled:increment2", "--digits", 3, 4, "--json")
    assert [record["digits"] for record in done.objects] == [3, 4]
    assert "4 digits: " in done.err


def test_search(dfst, monkeypatch):
    monkeypatch.setattr(evaluating, "search", partial(evaluating.search, limit=20))
    done = dfst("evaluate", "compiled:increment2", "--search", "--seconds", 600, "--json")
    (record,) = done.objects
    assert done.status == 0
    assert (record["rlg"], record["stopped_by"]) == (20, "limit")


def test_list(dfst):
    rows = dfst("list", "--json").objects
    subjects = {row["subject"] for row in rows}
    assert {"add2", "expert:add10", "expert:mult2", "bb5", "langton"} <= subjects
    assert all(set(row) == {"subject", "kind", "size", "does", "known"} for row in rows)
    assert "langton" in dfst("list").out
