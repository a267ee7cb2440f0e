"""The benchmarks by name: what `dfst bench` measures and prints.

A benchmark is a function of another module from a case to a row.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from dfst.errors import MissingExtra

Row = dict[str, Any]
What = Literal["all", "training", "rollouts", "recurrence"]
Device = Literal["cpu", "cuda"]
TASKS = ("add2", "add10", "mult2", "mult10")
SIZES = tuple(f"{d} {T}" for d in (12, 32, 108, 256) for T in (64, 512, 4096))
"""Hidden size and steps of the recurrence by itself."""


@dataclass(frozen=True)
class Benchmark:
    """One table."""

    name: What
    device: Device
    measure: str  # module:function, from a case to its row
    title: str
    cases: tuple[str, ...] = TASKS

    def rows(self, tell: Callable[[str], None]) -> list[Row]:
        module, _, function = self.measure.partition(":")
        try:
            measure: Callable[[str], Row] = getattr(importlib.import_module(f"dfst.bench.{module}"), function)
        except ImportError as error:
            if error.name != "torch":
                raise
            raise MissingExtra("this benchmark", "torch", "train") from error
        rows = []
        for case in self.cases:
            tell(f"{self.name}: {case} …")
            rows.append(measure(case))
        return rows


FORWARD = "dfst.recurrence forward, in milliseconds; 32 sequences, 12 symbols"
TRAIN = "dfst.recurrence forward and backward, in milliseconds"
BENCHMARKS = (
    Benchmark("training", "cpu", "training:on_cpu", "A training step on two cores, in milliseconds"),
    Benchmark("training", "cuda", "training:on_cuda", "A training step on the GPU, in milliseconds"),
    Benchmark("rollouts", "cpu", "rollouts:measure", "Closed loops on one core, in steps a second"),
    Benchmark("rollouts", "cpu", "rollouts:measure_table", "Tables on one core, in steps a second"),
    Benchmark(
        "rollouts", "cpu", "rollouts:measure_board", "Models in their own states, steps a second", ("maze",)
    ),
    Benchmark("rollouts", "cuda", "rollouts:measure_cuda", "Closed loops on the GPU, in steps a second"),
    Benchmark("recurrence", "cpu", "recurrence:forward_cpu", FORWARD, SIZES),
    Benchmark("recurrence", "cpu", "recurrence:train_cpu", TRAIN, SIZES),
    Benchmark("recurrence", "cuda", "recurrence:forward_cuda", FORWARD, SIZES),
    Benchmark("recurrence", "cuda", "recurrence:train_cuda", TRAIN, SIZES),
)


def run_suite(
    what: What = "all", device: Device = "cpu", tell: Callable[[str], None] = lambda text: None
) -> list[tuple[str, list[Row]]]:
    """(title, rows) of each table asked for; every row of a table has the same keys."""
    if device == "cuda":
        from dfst.train.engines import pick_device

        pick_device("cuda")
    chosen = [b for b in BENCHMARKS if b.device == device and what in ("all", b.name)]
    return [(benchmark.title, benchmark.rows(tell)) for benchmark in chosen]
