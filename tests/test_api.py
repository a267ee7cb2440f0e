"""The Python section of the design, line by line."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dfst
from dfst import api
from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.formats import write_machine
from dfst.model import weights

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


@pytest.fixture
def increment(tmp_path, monkeypatch):
    """A function with a pen, which also stands in inc.py, and its machine in inc.json."""
    monkeypatch.chdir(tmp_path)
    Path("inc.py").write_text(INCREMENT, "utf-8")
    teacher = runpy.run_path("inc.py")["increment"]
    write_machine(dfst.extract(teacher), Path("inc.json"))
    return teacher


def test_experts_run_and_leave_traces():
    assert dfst.expert("add10").run("999+1").answer == "1000"
    trace = dfst.expert("add10").trace("12+34")
    assert len(trace) == dfst.expert("add10").run("12+34").steps


@pytest.mark.parametrize("name", ["add2", "expert:add2", "compiled:add2"])
def test_what_is_loaded_runs(name):
    assert dfst.load(name).run("111+1").answer == "1000"


def test_compile_takes_an_agent_or_its_name():
    model = dfst.compile(dfst.expert("add10"))
    assert model.run("999+1").answer == "1000"
    assert dfst.compile("add10").fingerprint() == model.fingerprint()
    assert dfst.compile("expert:add10").fingerprint() == model.fingerprint()


def test_read_takes_a_file(tmp_path):
    write_machine(dfst.load("bb2"), tmp_path / "bb2.yaml")
    machine = dfst.read(tmp_path / "bb2.yaml")
    assert machine.name == "bb2"
    assert machine.run().steps == 6


def test_a_machine_is_extracted_and_proved():
    machine = dfst.extract(dfst.load("add2"))
    assert machine.run("111+1").answer == "1000"
    assert machine.source.startswith("extracted from add2: ")
    assert dfst.prove(machine, dfst.expert("add2")).strength == "proved"


@pytest.mark.parametrize("subject", ["add2", expert("add2"), dfst.compile(expert("add3"))])
def test_without_a_reference_the_expert_is_meant(subject):
    assert dfst.prove(subject).equivalent is True


def test_machines_are_compared():
    assert dfst.prove("bb3", "bb3").strength == "proved"
    assert dfst.prove("bb2", "bb3").strength == "refuted"
    with pytest.raises(InputError, match="bb2 has no task"):
        dfst.prove("bb2")
    with pytest.raises(InputError, match="one already"):
        dfst.extract("bb2")


def test_a_function_with_a_pen_is_taken_by_name_and_as_it_is(increment):
    for thing in (increment, "inc.py:increment", Path("inc.py")):
        assert dfst.load(thing).run("11").answer == "100"
        assert dfst.extract(thing).same_table(dfst.read("inc.json"))
        for other in ("inc.json", increment, "inc.py"):
            assert dfst.prove(thing, other).strength == "proved"
    model = dfst.compile(increment)
    assert dfst.prove(model, increment, "[01]+").strength == "proved"
    assert dfst.compile("inc.py").fingerprint() == model.fingerprint()
    assert dfst.evaluate(increment, against="inc.json").right


def test_what_is_no_control_unit_is_said_in_one_line(increment):
    expected = "expected a name, an agent, a model or a function with a pen, found {}; put @dfst.teacher"
    for call in (dfst.load, dfst.extract, dfst.prove, dfst.compile):
        with pytest.raises(InputError, match=expected.format(5)):
            call(5)
    with pytest.raises(InputError, match=expected.format("<function .*")):
        dfst.prove(increment, lambda pen: None)
    with pytest.raises(InputError, match="expected an agent, found the model compiled:add2; "):
        dfst.compile(dfst.compile("add2"))
    with pytest.raises(
        InputError, match=r"increment has no task, .*; name a reference \(at the command line"
    ):
        dfst.prove(increment)
    with pytest.raises(InputError, match="a reference must be an agent, found the model add2; try one"):
        dfst.prove(increment, dfst.load("add2"))


def test_a_run_folder_is_proved_by_what_it_was_learnt_from(increment, tmp_path):
    """As the command line does: its machine, on the inputs it was learnt for."""
    options = {"steps": 1, "seeds": 1, "device": "cpu", "quiet": True, "language": "[01]+"}
    run = dfst.learn(increment, out=tmp_path / "run", **options).folder
    for verdict in (dfst.prove(run), dfst.prove(run, increment)):
        assert verdict.strength == "refuted"


def test_a_model_that_guesses_is_stopped_as_at_the_command_line():
    """It goes right for ever: all its actions score alike."""
    A, B, C, h0 = np.ones((2, 1, 1)), np.zeros((2, 2, 1)), np.zeros((2, 5, 1)), np.ones(1)
    C[:, 3] = 1
    model = dfst.Weights(A, B, C, h0, ("a", "λ"), layout="first", name="log")
    said = "log did not halt on 'aa' within 100,000 steps, and guesses: at step 0, reading a, its best"
    for work in (model.run, model.trace):
        with pytest.raises(InputError, match=said):
            work("aa")
        assert work("aa", dfst.Limits(steps=10))


def test_a_model_that_does_not_guess_is_not_stopped(monkeypatch):
    monkeypatch.setattr(weights, "GUESSING", 5)
    assert dfst.load("add2").run("111+1").answer == "1000"
    assert len(dfst.load("add2").trace("111+1")) > 5


@pytest.mark.parametrize("subject", ["add2", "expert:add2", "inc.py"])
def test_an_input_is_a_string(subject, increment):
    unit = increment if subject == "inc.py" else dfst.load(subject)
    for work in (unit.run, unit.trace):
        with pytest.raises(InputError, match="expected an input as a string, found 5; quote it"):
            work(5)


def test_results_are_shown_in_one_line():
    add2 = dfst.expert("add2")
    assert repr(dfst.prove(add2)) == f"<Verdict proved: add2 against add2, {len(add2.states)} states>"
    assert repr(dfst.prove("bb2", "bb3")).startswith("<Verdict refuted: bb2 against bb3, 2 states, counter")
    assert re.match(r"<TraceSet of add2: 20 traces, [\d,]+ steps, symbols 0 1 ", repr(dfst.dataset("add2")))
    assert repr(dfst.evaluate(add2, 3)).startswith("<Report on add2: right at 3 digits (")


@pytest.mark.parametrize("name", ["add2", "expert:add2"])
def test_a_run_shows_itself_in_a_notebook(name):
    html = dfst.load(name).run("11+1")._repr_html_()
    assert html is not None
    assert html.startswith("<iframe")
    assert "11+1" in html


def test_a_run_that_cannot_be_replayed_shows_its_words():
    expert = dfst.expert("add2")

    class Wrapped(dfst.ControlUnit):
        name, alphabet, blank = "wrapped", expert.alphabet, expert.blank
        encode, reset, step = expert.encode, expert.reset, expert.step

    assert Wrapped().run("1+1").answer == "10"
    assert Wrapped().run("1+1")._repr_html_() is None


@pytest.mark.parametrize("name", ["add2", "expert:add2"])
@pytest.mark.parametrize(("symbol", "meant"), [(-1, ""), (4, ""), ("1", ", such as 1 for 1")])
def test_a_step_takes_the_index_of_a_symbol(name, symbol, meant):
    unit = dfst.load(name)
    unit.reset()
    with pytest.raises(InputError, match=f"index of a symbol, 0 to 3{meant}, found {symbol!r}"):
        unit.step(symbol)


def test_a_training_loop_of_ones_own_runs():
    pytest.importorskip("torch")
    train = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "own_training.py"))["train"]
    assert train(steps=2).shape.d == 12


def test_figures_are_drawn():
    with pytest.raises(InputError, match="something to draw"):
        dfst.plot()


def test_two_runs_of_one_second_have_places_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(api.time, "strftime", lambda form: "now")
    for name in ("add2-now", "add2-now-2", "add2-now-3"):
        folder = api.new_run_folder("add2")
        folder.mkdir(parents=True)
        assert folder.name == name
