"""What the benchmark times are the same runs; its rows know their ratios and bars."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the yardstick is a loop in torch")

from dfst.bench.rollouts import (  # noqa: E402
    TorchUnit,
    measure,
    measure_board,
    measure_cuda,
    measure_table,
    turned,
)
from dfst.bench.timing import judged  # noqa: E402
from dfst.experts import expert  # noqa: E402
from dfst.model.compile import compile_agent  # noqa: E402
from dfst.model.rollout.compiled import Rollout  # noqa: E402


@pytest.mark.parametrize("name", ["add2", "mult2"])
def test_the_torch_loop_takes_the_same_steps(name: str) -> None:
    weights = turned(compile_agent(expert(name)), np.random.default_rng(3))
    assert np.count_nonzero(weights.A) == weights.A.size
    with torch.no_grad():
        plain = TorchUnit(weights).run("101+11" if name == "add2" else "101×11")
    ours = Rollout(weights).run(plain.input, remember=False)
    assert (ours.steps, ours.cells, ours.answer) == (plain.steps, plain.cells, plain.answer)


def test_rows_are_measured() -> None:
    found = measure("add2", repeats=1)
    assert found["d"] == 12
    assert found["over torch loop"] > 10
    assert measure_table("add2", repeats=1)["over plain Python"] > 10
    assert measure_board("maze", repeats=1)["over torch loop"] > 10


def test_a_row_knows_its_bar() -> None:
    assert judged({}, {"ours": 250.0, "other": 900.0, "loop": 1.0}, 250.0)["passes"]
    assert not judged({}, {"ours": 249.0, "loop": 1.0}, 250.0)["passes"]
    assert judged({}, {"ours": 2.0, "loop": 1.0}) == {
        "ours": 2, "loop": 1, "over loop": 2.0, "bar": None, "passes": True,
    }  # fmt: skip


@pytest.mark.gpu
def test_on_a_gpu() -> None:
    assert measure_cuda("add2")["GPU"] > 0
