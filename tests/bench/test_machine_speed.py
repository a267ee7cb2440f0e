"""The yardsticks agree with what they measure; the bars hold where they are measured."""

import pytest

from dfst.bench.machines import INPUTS, MOST_STEPS, measure, measure_case, run_on_flat_tape
from dfst.experts import expert
from dfst.machines.formats.published import PUBLISHED, published
from dfst.world.grid import Limits


@pytest.mark.parametrize("name", ["bb2", "bb4", "bb2x3", "box3x3"])
def test_the_flat_tape_takes_the_same_steps(name):
    assert run_on_flat_tape(published(name), "", 1 << 62) == PUBLISHED[name].steps


def test_the_flat_tape_stops_at_its_limit():
    assert run_on_flat_tape(published("bb5"), "", 1000) == 1000


def test_a_row_tells_what_was_measured():
    row = measure(published("box3x3"), "", 100_000, repeats=1)
    assert (row["machine"], row["steps"]) == ("box3x3", 100_000)
    assert min(row[way] for way in ("interpreted", "flat tape")) > 0
    plane = measure(published("langton"), "", 20_000, repeats=1)
    assert (plane["flat tape"], plane["cost of the plane"]) == (None, None)


@pytest.mark.parametrize("name", INPUTS)
def test_the_inputs_of_experts_are_long(name):
    assert expert(name).run(INPUTS[name], Limits(steps=10_000)).steps == 10_000


def test_a_case_by_its_name(monkeypatch):
    monkeypatch.setitem(MOST_STEPS, "bb5", 1000)
    assert measure_case("bb5", repeats=1)["steps"] == 1000


@pytest.mark.slow
def test_the_bars_of_speed_hold():
    assert all(measure_case(name)["cost of the plane"] <= 0.3 for name in ("bb5", "bb3x3"))
