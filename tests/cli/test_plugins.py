"""Problems and machine formats of a user's own, by file and by entry point: the examples of the docs."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import dfst as package
from dfst import plugins
from dfst.errors import InputError
from dfst.machines import formats
from dfst.machines.formats.published import published
from dfst.paper import TASKS
from dfst.problems import find, find_problem
from dfst.train.runfolder import RunFolder

EXAMPLES = Path(__file__).parents[2] / "examples"
THIRDS, NEGATIVE = f"{EXAMPLES}/own_problem.py:thirds", f"{EXAMPLES}/own_board.py:Negative"
SHORT = ["--seeds", "1", "--device", "cpu", "--quiet"]


def test_a_task_about_words_is_learnt_proved_and_measured(dfst, tmp_path):
    quick = ["--steps", 8000, "--set", "learning_rate=0.01"]
    done = dfst("learn", THIRDS, *SHORT, *quick, "--out", tmp_path / "run")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("proved: thirds does exactly what its expert does")
    again = dfst("evaluate", tmp_path / "run", "--against", THIRDS, "--digits", 50, "--json")
    assert (again.status, again.objects[0]["rlg"]) == (0, True)
    proved = dfst("prove", tmp_path / "run", "--against", THIRDS, "--json")
    assert (proved.status, proved.objects[0]["strength"]) == (0, "proved")
    for words in (["evaluate", tmp_path / "run", "--digits", 50], ["prove", tmp_path / "run"]):
        assert f"name it as well: --against {THIRDS}" in dfst(*words).err
    assert dfst("learn", THIRDS, "--resume", tmp_path / "run", "--quiet").out == done.out


def test_baselines_learn_it_too(dfst, tmp_path):
    done = dfst("compare", "--learner", "edsm", "--task", THIRDS, "--out", tmp_path, "--json")
    [row] = done.objects
    assert (done.status, row["task"], row["learner"]) == (0, "thirds", "edsm")


def test_a_board_is_learnt_and_measured_by_rows(dfst, tmp_path):
    done = dfst("learn", NEGATIVE, *SHORT, "--steps", 3000, "--json", "--out", tmp_path / "run")
    [report] = done.objects
    assert (done.status, report["exact"], report["strength"]) == (0, True, "tested")
    assert report == RunFolder(tmp_path / "run").read_report()
    assert package.load(tmp_path / "run").run("xxo\nxoo").answer == "oox\noxx"


@pytest.mark.parametrize("name", [THIRDS, NEGATIVE])
def test_every_part_of_a_problem_fits_the_others(name):
    problem = find_problem(name)
    traces = problem.training_set().traces
    assert traces.fingerprint == problem.training_set().traces.fingerprint
    assert package.evaluate(problem.agent, 4, problem).right
    assert problem.agent.run(problem.example).halted


@pytest.mark.parametrize("name", ["add2", "add10"])
def test_adders_after_the_papers_text_fit_what_it_says(name):
    problem, row = find_problem(f"{EXAMPLES}/paper_agents.py:{name}", told_apart=0), TASKS[name]
    lengths = problem.training_set().traces.lengths
    assert (len(problem.agent.states), len(lengths)) == (row.hidden_size, row.samples)
    assert max(lengths) <= row.longest_trace < max(find_problem(name).training_set().traces.lengths)
    assert package.evaluate(problem.agent, 12, problem).right


def test_an_installed_problem_is_found_by_its_name(monkeypatch, tmp_path):
    (tmp_path / "installed_problem.py").write_text((EXAMPLES / "own_problem.py").read_text("utf-8"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    points = {"thirds": EntryPoint("thirds", "installed_problem:thirds", "dfst.problems")}
    monkeypatch.setattr(find, "installed", lambda group: points)
    assert find_problem("thirds").example == "abba"
    assert find.problem_from_json(find_problem("thirds").as_json(), tmp_path).name == "thirds"


def test_what_is_no_problem_is_said(tmp_path):
    with pytest.raises(InputError, match="rules is no problem; put "):
        find_problem(f"{EXAMPLES}/own_problem.py:rules")
    with pytest.raises(InputError, match="unknown problem 'third': did you mean thirds"):
        find_problem(f"{EXAMPLES}/own_problem.py:third")
    with pytest.raises(InputError, match="negative draws its own training set; leave out samples"):
        find_problem(NEGATIVE, samples=3)


def test_a_format_of_ones_own(dfst, monkeypatch, tmp_path):
    csv, file = f"{EXAMPLES}/own_format.py:csv", tmp_path / "bb2.csv"
    assert dfst("convert", "bb2", file, "--to", csv).status == 0
    assert dfst("convert", file, tmp_path / "bb2.json", "--from", csv).status == 0
    assert package.read(tmp_path / "bb2.json").same_table(published("bb2"))
    assert "unknown format 'csvx': did you mean csv?" in dfst("convert", "bb2", file, "--to", csv + "x").err
    found = plugins.run_python_file(csv)[2]["csv"]
    monkeypatch.setattr(formats, "known_formats", lambda: {**formats.FORMATS, "csv": found})
    assert package.read(file).same_table(published("bb2"))
