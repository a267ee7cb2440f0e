"""The tables of `dfst bench` fit 80 columns with every figure and name in one piece."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch", reason="some benchmarks need torch")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="no Triton for this platform")

from dfst.bench import (  # noqa: E402
    evaluation,
    fit,
    launches,
    learning,
    machines,
    memory,
    recurrence,
    rollouts,
    rollouts_gpu,
    training,
    training_gpu,
)
from dfst.cli.bench import cell  # noqa: E402
from dfst.cli.tables import draw  # noqa: E402

BENCHED = [
    fit.row("plane3-steps", 14, 15, 20, {14: 8, 15: 8, 20: 8, 30: 8}),
    learning.row("mult10", 60_000, 128.123, "proved", 2_000_000, 345_678.9),
    memory.row("dfst evaluate compiled:add2 --digits 3850", 12.3, 179.5),
    machines.row("langton", 50_000_000, 1.9e8, 5.6e8, 0.987, 6.5e8),
    rollouts.row("mult10", 1.5e6, 1.48e6, 1.2e8, 12_345.0),
    rollouts_gpu.row("mult10", 5.1e7, 1.5e5, 1.5e6),
    launches.row(
        "mult10",
        16,
        1.54,
        dict.fromkeys(("forward", "read-out", "backward", "products", "sums", "settling"), 0.123),
    ),
    evaluation.row("mult10", 200, 121, (12.34, 0.9876), (23.45, 0.8765)),
    recurrence.row(
        256,
        4096,
        {"ours": 123.4, "loop": 12_345.6, "LSTM": 98.7, "scan": "too large", "JAX": "no jax for cuda"},
    ),
    rollouts.table_row("mult10", 107, 2.5e8, 654_321.0),
    training.row("mult10", 431, 12.345, 1234.5, 123.45),
    training_gpu.row("mult10", 431, {1: 0.382, 4: 0.892, 16: 3.96}, 1234.5, 123.45, 234.56, 0.123),
]


@pytest.mark.parametrize("row", BENCHED)
def test_a_row_fits(row):
    cells = {heading: cell(value) for heading, value in row.items()}
    shown = draw([cells], "A benchmark", width=80)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) < 7, "a table, not a list"
    assert set(" ".join(cells.values()).split()) <= set(shown.split())
