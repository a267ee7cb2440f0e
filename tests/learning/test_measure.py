"""The final figures of every seed: how many are exact, and how far the others go."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from dfst.agents import expert
from dfst.learning.choose import choose
from dfst.learning.learn import learn
from dfst.learning.measure import exact_counts, measure, said_of
from dfst.learning.outcome import Outcome
from dfst.learning.plan import Plan, make_plan
from dfst.model import compile_agent
from dfst.model.weights import Weights
from dfst.world.grid import L

ADD2 = expert("add2")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def paper_plan(seeds: int) -> Plan:
    return make_plan(ADD2, "paper", seeds=seeds, iterations=1)


def tiring(each_step: float) -> Weights:
    """The expert with a fear of the left that grows with each step, until it fails."""
    exact = compile_agent(ADD2)
    k, d = len(exact.alphabet), len(exact.h0)
    A, C = (np.zeros((k, n, d + 2), np.float32) for n in (d + 2, len(exact.motions)))
    B = np.zeros((k, k, d + 2), np.float32)
    A[:, :d, :d], B[:, :, :d], C[:, :, :d] = exact.A, exact.B, exact.C
    A[:, d:, d:] = [[1, each_step], [0, 1]]
    C[:, L, d] = -1
    return replace(exact, A=A, B=B, C=C, h0=np.append(exact.h0, [0, 1]).astype(np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_each_seed_is_right_or_has_a_reach(device) -> None:
    models = [tiring(0.0), tiring(0.002), tiring(0.1)]
    outcomes = [Outcome(seed, w, w, 1e-9) for seed, w in enumerate(models)]
    told: list[str] = []
    found = measure(paper_plan(3), outcomes, (40,), device, told.append)
    assert [outcome.exact for outcome in found] == [True, False, False]
    assert [outcome.strength for outcome in found] == ["tested", "refuted", "refuted"]
    right, later, soon = found
    assert right.reach is None
    assert 40 > later.reach > soon.reach >= 0
    assert said_of(right) == "right at 40 digits (25 inputs, margin 1)"
    assert told[-1].startswith("seed 2: loss 1.0e-09, wrong at 40 digits on 25 of 25 inputs, first exactly m")
    assert exact_counts(found) == [
        f"1 of 3 seeds are exact at 40 digits; the others meet no failure up to {soon.reach}, {later.reach}"
    ]
    assert found[1].as_json()["measured"][0]["first_failure"]["kind"] == "exactly m digits"


def test_the_reach_is_the_largest_length_without_a_failure() -> None:
    unit = tiring(0.002)
    [found] = measure(paper_plan(1), [Outcome(0, unit, unit, 1e-9)], (40,), "cpu", lambda text: None)
    at = [
        measure(paper_plan(1), [Outcome(0, unit, unit, 1e-9)], (n,), "cpu", lambda text: None)[0].exact
        for n in (found.reach, found.reach + 1)
    ]
    assert at == [True, False]


def test_without_a_polish_the_smallest_loss_is_chosen_whatever_is_measured(tmp_path) -> None:
    exact = compile_agent(ADD2)
    outcomes = [Outcome(0, exact, exact, 1e-3), Outcome(1, tiring(0.1), tiring(0.1), 1e-6)]
    plan = paper_plan(2)
    chosen, _ = choose(plan, plan.traces(), outcomes, True, lambda text: None)
    assert chosen.seed == 1


def test_learning_measures_every_seed_where_it_is_asked_to(tmp_path) -> None:
    exact = compile_agent(ADD2).flat()
    plan = make_plan(ADD2, "paper", seeds=2, iterations=1, rate=1e-9)
    start = [exact, np.zeros_like(exact)]
    learnt = learn(plan, tmp_path / "run", "cpu", (5,), every_seed=True, start=start)
    assert [outcome.exact for outcome in learnt.outcomes] == [True, False]
    assert (learnt.chosen.seed, learnt.exact) == (0, True)
    assert learnt.device == "cpu"
    log = tmp_path / "run" / "metrics.jsonl"
    told = re.sub(r'"seconds": [^,}]*', '"seconds": 1000.0', log.read_text("utf-8"))
    log.write_text(told.replace('"device": "cpu"', '"device": "cuda"'), "utf-8")
    again = learn(plan, tmp_path / "run", "cpu", (5, 9), resume=True)
    assert again.seconds > 1000  # the training that it went on with counts
    assert again.device == "cuda", "that is where it was trained"
    assert [len(outcome.reports) for outcome in again.outcomes] == [2, 0]
