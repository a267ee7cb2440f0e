"""The benchmarks by name: what `dfst bench` measures and prints.

A benchmark is a function of another module from a case to a row; a row says itself what stands in its cells.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from dfst.errors import InputError, MissingExtra

What = Literal["all", "training", "rollouts", "simulation", "memory", "learning"]
Device = Literal["cpu", "cuda"]
TASKS = ("add2", "add10", "mult2", "mult10")


class Row(Protocol):
    """What one case came to."""

    def cells(self) -> dict[str, Any]:
        """heading → value; `passes` tells whether the bar was met, where there is one."""


@dataclass(frozen=True)
class Benchmark:
    """One table."""

    name: What
    title: str
    measure: str
    """module:function, from a case to its row"""
    cases: tuple[str, ...]
    device: Device = "cpu"

    def rows(self, tell: Callable[[str], None]) -> list[dict[str, Any]]:
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
            rows.append(measure(case).cells())
        return rows


BENCHMARKS = (
    Benchmark("training", "A training step on two cores, in milliseconds", "training:measure", TASKS),
    Benchmark(
        "training", "A training step on the GPU, in milliseconds", "training_gpu:measure", TASKS, "cuda"
    ),
    Benchmark("rollouts", "Closed loops on one core, in steps a second", "rollouts:measure", TASKS),
    Benchmark(
        "rollouts", "Tables of experts on one core, in steps a second", "rollouts:measure_table", TASKS
    ),
    Benchmark(
        "simulation",
        "Machines on one core, in steps a second",
        "machines:measure_case",
        ("bb5", "bb3x3", "langton", "add2", "mult10"),
    ),
    Benchmark(
        "memory", "The paper's longest test of addition, 25 inputs", "memory:measure", ("compiled:add2",)
    ),
    Benchmark(
        "learning",
        "From nothing to a proved model, beside the paper's schedule, in seconds",
        "learning:measure",
        ("add2", "add10", "mult2"),
    ),
)


def run_suite(
    what: What = "all", device: Device = "cpu", tell: Callable[[str], None] = lambda text: None
) -> list[tuple[str, list[dict[str, Any]]]]:
    """(title, rows) of each table asked for; every row of a table has the same keys."""
    if device == "cuda":
        if what not in ("all", "training"):
            raise InputError(f"--device cuda measures training only, found {what}; use: dfst bench training")
        from dfst.learning.engines import pick_device

        pick_device("cuda")
    chosen = [b for b in BENCHMARKS if b.device == device and what in ("all", b.name)]
    return [(benchmark.title, benchmark.rows(tell)) for benchmark in chosen]
