"""Models that gradient descent alone made: found by name, listed apart, measured beside the paper's table.

A stand-in is shipped to a folder of the test's own: nothing hangs on which files come with the package.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dfst as package
from dfst import subjects
from dfst.evaluation.evaluate import evaluate
from dfst.experts import expert
from dfst.learning import learn
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.problems import as_problem
from dfst.train.settings import configure

SHIP = Path(__file__).parents[2] / "tools" / "ship.py"


@pytest.fixture(scope="module")
def shipping():
    found = importlib.util.spec_from_file_location("ship", SHIP)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory, shipping) -> Path:
    """A folder with an add2.descent: the expert itself, as if it had been learnt; the other seed fails."""
    with pytest.MonkeyPatch.context() as patch:
        paper = shipping.TASKS["add2"]
        short = type(paper)(**{**vars(paper), "tested_digits": 12})
        patch.setitem(shipping.TASKS, "add2", short)
        folder, out = tmp_path_factory.mktemp("run") / "run", tmp_path_factory.mktemp("weights")
        plan = configure(expert("add2"), "paper", seeds=2, steps=1, learning_rate=1e-9)
        exact = compile_agent(plan.problem.agent).flat()
        learn(replace(plan, device="cpu", every_seed=True), folder, start=[np.zeros_like(exact), exact])
        shipping.ship(folder, out=out)
    return out


@pytest.fixture
def there(stand_in, monkeypatch) -> Path:
    monkeypatch.setattr(subjects, "WEIGHTS", stand_in)
    return stand_in


def test_it_has_a_name(dfst, there):
    model = package.load("add2.descent")
    assert (model.name, model.task.name, model.dtype) == ("add2.descent", "add2", np.float32)
    assert dfst("run", "add2.descent", "1+1").out.strip() == "10"


def test_it_is_listed_apart_with_its_recipe_and_seeds(dfst, there):
    rows = dfst("list", "--json").objects
    [row] = [row for row in rows if row["kind"] == "descent alone"]
    assert row["does"] == "paper, 1 step"
    assert row["known"] == "RLG ≥ 12; 1 of 2 seeds exact at 12"
    assert "gradient descent alone, no polish" in dfst("list").out


def test_its_card_says_what_it_is(there):
    card = (there / "add2.descent.md").read_text("utf-8")
    for words in (
        "**Gradient descent alone**, no polish: 1 of 2 seeds are exact at 12 digits",
        "`dfst learn add2 --preset paper --seeds 2 --every-seed --set steps=1 learning_rate=1e-09`",
        "- Seed 1, training loss",
        "It has the smallest loss; nothing longer than the training set had a say.",
        "Tested, not proved",
        "`dfst evaluate add2.descent --digits 12 --precision float32 --seed 2`",
    ):
        assert words in card


def test_the_table_is_measured_from_what_is_there(dfst, there):
    only = dfst("reproduce", "--descent", "--quick", "--tasks", "add2", "--json")
    assert only.status == 0
    assert only.objects[0]["subject"] == "add2.descent"
    assert only.objects[0]["strength"] == "1 of 2 seeds exact"


def test_one_that_is_not_shipped_is_one_line(dfst, there):
    done = dfst("run", "add10.descent", "1+1")
    assert done.status == 2
    assert done.err == "dfst: no add10.descent is shipped; learn it: dfst learn add10 --preset descent\n"


def test_a_run_that_was_not_measured_on_every_seed_is_not_shipped(shipping, tmp_path):
    plan = configure(expert("add2"), "descent", seeds=2, steps=1)
    learn(replace(plan, device="cpu", sizes=(1,)), tmp_path / "run")
    with pytest.raises(SystemExit, match="--every-seed"):
        shipping.ship(tmp_path / "run", out=tmp_path)
    assert json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))["candidates"]


@pytest.mark.parametrize("name", subjects.descent_models())
def test_what_comes_with_the_package_is_right_beyond_what_training_showed(name):
    weights = subjects.shipped(name)
    assert not weights.provenance.polish
    assert " of " in weights.provenance.exact_seeds
    agent = expert(name.removesuffix(subjects.DESCENT))
    report = evaluate(Rollout(weights), as_problem(agent), [24 if "add" in name else 9], seed=11)
    assert report.failures == []
