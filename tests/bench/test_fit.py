"""The tables of `dfst bench` fit 80 columns with every figure and name in one piece."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch", reason="some benchmarks need torch")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="no Triton for this platform")

from dfst.bench.learning import TimeToExact  # noqa: E402
from dfst.bench.machines import SimulationSpeed  # noqa: E402
from dfst.bench.memory import PeakMemory  # noqa: E402
from dfst.bench.rollouts import RolloutSpeed, TableSpeed  # noqa: E402
from dfst.bench.training import TrainingSpeed  # noqa: E402
from dfst.bench.training_gpu import GpuTrainingSpeed  # noqa: E402
from dfst.cli.bench import cell  # noqa: E402
from dfst.cli.tables import draw  # noqa: E402

BENCHED = [
    TimeToExact("mult10", 60_000, 128.123, "proved", 2_000_000, 345_678.9),
    PeakMemory("dfst evaluate compiled:add2 --digits 3850", 12.3, 179.5),
    SimulationSpeed("langton", 50_000_000, 1.9e8, 5.6e8, 0.987, 6.5e8),
    RolloutSpeed("mult10", 108, 1.5e6, 1.2e8, 12_345.0),
    TableSpeed("mult10", 107, 2.5e8, 654_321.0),
    TrainingSpeed("mult10", 108, 431, 12.345, 1234.5, 123.45),
    GpuTrainingSpeed("mult10", 108, 431, {1: 0.382, 4: 0.892, 16: 3.96}, 1234.5, 123.45, 234.56, 0.123),
]


@pytest.mark.parametrize("row", BENCHED, ids=lambda row: type(row).__name__)
def test_a_row_fits(row):
    cells = {heading: cell(value) for heading, value in row.cells().items()}
    shown = draw([cells], "A benchmark", width=80)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) < 7, "a table, not a list"
    assert set(" ".join(cells.values()).split()) <= set(shown.split())
