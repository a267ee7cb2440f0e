"""The yardsticks agree with what they measure; the bars hold where they are measured."""

import pytest

from dfst.agents import expert
from dfst.bench.machines import INPUTS, MOST_STEPS, measure, measure_case, run_on_flat_tape
from dfst.formats.published import PUBLISHED, published
from dfst.world.grid import Limits


@pytest.mark.parametrize("name", ["bb2", "bb4", "bb2x3", "box3x3"])
def test_the_flat_tape_takes_the_same_steps(name):
    assert run_on_flat_tape(published(name), "", 1 << 62) == PUBLISHED[name].steps


def test_the_flat_tape_stops_at_its_limit():
    assert run_on_flat_tape(published("bb5"), "", 1000) == 1000


def test_a_row_tells_what_was_measured():
    row = measure(published("box3x3"), "", 100_000, repeats=1)
    assert (row.machine, row.steps) == ("box3x3", 100_000)
    assert min(row.interpreted, row.generated, row.compile_seconds, row.flat_tape) > 0
    assert row.speedup_with_compiling < row.speedup
    plane = measure(published("langton"), "", 20_000, repeats=1)
    assert (plane.flat_tape, plane.tiles_cost) == (None, None)


@pytest.mark.parametrize("name", INPUTS)
def test_the_inputs_of_experts_are_long(name):
    assert expert(name).run(INPUTS[name], Limits(steps=10_000)).steps == 10_000


def test_a_case_by_its_name(monkeypatch):
    monkeypatch.setitem(MOST_STEPS, "bb5", 1000)
    assert measure_case("bb5", repeats=1).cells()["steps"] == 1000


@pytest.mark.slow
def test_the_bars_of_speed_hold():
    rows = {name: measure_case(name) for name in ("bb5", "bb3x3", "langton")}
    assert rows["bb5"].speedup >= 2.0
    assert rows["langton"].speedup >= 2.0
    assert rows["bb5"].tiles_cost <= 0.3
    assert rows["bb3x3"].tiles_cost <= 0.3
