"""Logs with errors and holes, from the example to the report."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from dfst.problems import find_problem

EXAMPLES = Path(__file__).parents[2] / "examples"
MADE = runpy.run_path(str(EXAMPLES / "noisy_log.py"))


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("noisy") / "noisy.jsonl"
    lines, _ = MADE["noisy_log"]()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_contradictions_are_refused_with_the_option_named(dfst, noisy):
    done = dfst("learn", noisy)
    assert done.status == 2
    assert "contradict earlier ones); correct them, or learn with --allow-errors" in done.err
    assert done.err.count("\n") == 1


def test_an_expert_makes_no_errors(dfst):
    done = dfst("learn", "add2", "--allow-errors")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "allow_errors is for recorded traces" in done.err


def test_what_is_unknown_is_told(noisy):
    problem = find_problem(str(noisy), allow_errors=True)
    assert problem.may_err
    assert problem.training_set().chosen.endswith("actions unknown")
    assert problem.place(0).startswith("line ")


@pytest.mark.slow
def test_a_noisy_log_is_learnt_and_its_errors_are_named(dfst, noisy, tmp_path):
    short = ("--seeds", 2, "--steps", 4000, "--device", "cpu")
    done = dfst("learn", noisy, "--allow-errors", *short, "--out", tmp_path / "run")
    assert done.status == 0, done.err
    assert "the others it holds for errors" in done.out
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    events = [json.loads(line)["read"][:-1] for line in noisy.read_text("utf-8").splitlines()[1:]]
    for said in report["disbelieved"]:
        line, step = int(said.split()[1].strip(",")), int(said.split()[3])
        right = MADE["turnstile"](events[line - 2])[step]
        assert said.endswith(f"{right} R held for right")
    assert len(report["disbelieved"]) > 20
    first = report["disbelieved_steps"][0]
    assert report["disbelieved"][0].startswith(
        f"{first['place']}, step {first['step']} reading {first['read']}"
    )
    assert not report["exact"]
    again = dfst("learn", "--resume", tmp_path / "run", "--device", "cpu")
    assert again.out == done.out
