"""Wrong steps are found by models that were not shown them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.machines.rulebook import RuleBook
from dfst.states.fewest import fewest_states_of_traces
from dfst.traces.sample import record_all
from dfst.train import jury
from dfst.world.grid import R


def turnstile():
    """Two coins open it."""
    rules = RuleBook(("c", "p", "l", "u", "λ"))
    for state, write, onward in (("0", "l", "1"), ("1", "u", "2"), ("2", "u", "2")):
        rules.on(state, "c", R, write, onward)
        rules.on(state, "p", R, "l", "0" if state == "2" else state)
        rules.halt(state, "λ")
    return rules.agent("turnstile")


@pytest.fixture(scope="module")
def traces():
    rng = np.random.default_rng(0)
    return record_all(turnstile(), ["".join(rng.choice(["c", "p"], 12)) for _ in range(40)])


def test_planted_errors_are_found_and_nothing_else(traces, monkeypatch):
    monkeypatch.setattr(jury, "SIZES", (8,))
    monkeypatch.setattr(jury, "STEPS", 200)
    rng = np.random.default_rng(1)
    unknown = rng.random(traces.tokens) < 0.2
    wrong = (rng.random(traces.tokens) < 0.05) & ~unknown
    recorded = replace(traces, s=np.where(wrong, (traces.s + 1) % 5, traces.s).astype(np.uint8)).without(
        unknown
    )
    told: list[str] = []
    believed, size = jury.disbelieve(recorded, "cpu", told.append)
    assert size == jury.LEAST
    assert np.array_equal(~believed.known, wrong | unknown)
    assert told[-1].endswith(f"{wrong.sum()} steps disbelieved")
    assert fewest_states_of_traces(believed)[1] == 3, "what is unknown contradicts nothing"


def test_a_size_is_better_by_what_it_mends_however_many_errors_there_are():
    def steps(*which: int) -> np.ndarray:
        return np.isin(np.arange(2_000), which)

    errors = range(1_000)  # foretold wrongly at any size
    assert jury.foretells_more(steps(*errors), steps(*errors, *range(1_000, 1_080)))
    assert not jury.foretells_more(steps(*errors, 1_001), steps(*errors, 1_002, 1_003))
    assert not jury.foretells_more(steps(*errors), steps(*errors))
    assert not jury.foretells_more(steps(), steps())  # nothing is left to mend
