"""The report on a training set: what it counts, and what it warns of."""

from __future__ import annotations

import pytest
from teachers import add_at_first

import dfst
from dfst.experts import expert
from dfst.machines.rulebook import RuleBook
from dfst.states.teachability import Teachability, teachability
from dfst.tasks.registry import find_task
from dfst.traces.sample import PAPER_SAMPLING, record_all, sample_traces
from dfst.world.grid import R


def taught(build, name: str) -> Teachability:
    agent = build(find_task(name)) if build else expert(name)
    return teachability(agent, sample_traces(agent, PAPER_SAMPLING[name]))


@pytest.mark.parametrize(
    ("build", "name", "hidden_size", "words"),
    [
        (add_at_first, "add10", 20, "(left, 2), (left, 3), (left, 8): never shown"),
        (None, "add10", 20, ""),
        (None, "add10", 21, "room to count"),
        (None, "add2", 12, ""),
        (None, "mult2", 24, "less than the 32 states"),
    ],
)
def test_its_warnings(build, name, hidden_size, words):
    warnings = taught(build, name).warnings(hidden_size)
    assert words in " | ".join(warnings)
    assert bool(warnings) == bool(words)


def test_in_python_by_name_and_by_traces():
    agent = expert("add2")
    known = dfst.teachability("add2")
    assert known.as_json(12) | {"thin": None} == taught(None, "add2").as_json(12)
    assert known.teaching is not None
    assert str(known.teaching.thinnest(1)[0]) == (
        "that carry repeats once after ((add,1), 1) is never shown; 11+1 shows it"
    )
    few = dfst.teachability(agent, record_all(agent, ["1+1"]))
    assert few.coverage.unseen
    assert "never shown" in few.warnings()[0]


def test_too_many_states_are_not_compared(monkeypatch):
    monkeypatch.setattr("dfst.states.teachability.MOST_STATES", 5)
    found = dfst.teachability("add2")
    assert found.fewest is None
    assert not any("hidden size" in warning for warning in found.warnings(99))


def test_what_no_rule_leads_to_need_not_be_shown():
    rules = RuleBook(("a", "λ"))
    for state, onward in (("q", "r"), ("r", "q"), ("alone", "q")):
        rules.on(state, "a", R, "a", onward)
        rules.halt(state, "λ")
    agent = rules.agent("two of three")
    found = teachability(agent, record_all(agent, ["", "a", "aa"]))
    assert not found.coverage.unseen
    assert not found.warnings()
