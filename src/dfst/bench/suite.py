"""The benchmarks by name: what `dfst bench` measures and prints.

A benchmark is a function of another module from a case to a row.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dfst.bench.turns import Row
from dfst.errors import InputError, MissingExtra

What = Literal[
    "all",
    "training",
    "launches",
    "rollouts",
    "evaluation",
    "simulation",
    "memory",
    "learning",
    "recurrence",
    "fit",
]
Device = Literal["cpu", "cuda"]
DEVICES: tuple[Device, ...] = ("cpu", "cuda")
TASKS = ("add2", "add10", "mult2", "mult10")
OTHERS = (
    "increment10", "parity", "divisible3", "even_pairs", "cycle", "sort2", "sort3", "sort4",
    "add3", "compare2", "compare3", "sub2",
)  # fmt: skip
"""Agents of which the paper says nothing."""
SIZES = tuple(f"{d} {T}" for d in (12, 32, 108, 256) for T in (64, 512, 4096))
"""Hidden size and steps of the recurrence by itself."""
LAUNCHED = (*(f"{task} {seeds}" for task in TASKS for seeds in (1, 4, 16)), "gcd10 16", "mod10 16")
"""Task and seeds trained at once."""
MACHINES = ("bb5", "bb3x3", "langton", "add2", "mult10")


@dataclass(frozen=True)
class Benchmark:
    """One table."""

    name: What
    measure: str
    """module:function, from a case to its row"""
    title: str
    cases: tuple[str, ...] = TASKS
    device: Device = "cpu"
    on_request: bool = False
    """Takes too long to be among all"""

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


BENCHMARKS = (
    Benchmark("training", "training:measure", "A training step on two cores, in milliseconds"),
    Benchmark(
        "training", "training_gpu:measure", "A training step on the GPU, in milliseconds", device="cuda"
    ),
    Benchmark(
        "launches",
        "launches:measure",
        "A training step on the GPU and its launches, on training sets, in milliseconds",
        LAUNCHED,
        "cuda",
    ),
    Benchmark("rollouts", "rollouts:measure", "Closed loops on one core, in steps a second"),
    Benchmark("rollouts", "rollouts:measure_table", "Tables of experts on one core, in steps a second"),
    Benchmark(
        "rollouts", "rollouts_gpu:measure", "Closed loops on the GPU, in steps a second", device="cuda"
    ),
    Benchmark("evaluation", "evaluation:measure", "Evaluation on all cores, in seconds"),
    Benchmark("simulation", "machines:measure_case", "Machines on one core, in steps a second", MACHINES),
    Benchmark(
        "memory", "memory:measure", "The paper's longest test of addition, 25 inputs", ("compiled:add2",)
    ),
    Benchmark(
        "learning",
        "learning:measure",
        "From nothing to a proved model, beside the paper's schedule, in seconds",
        TASKS[:3],
    ),
    Benchmark(
        "fit",
        "fit:measure",
        "Hidden size and exact seeds of plain gradient descent",
        OTHERS,
        on_request=True,
    ),
    *(
        Benchmark("recurrence", f"recurrence:{function}_{device}", title, SIZES, device)
        for device in DEVICES
        for function, title in (
            ("forward", "dfst.recurrence forward, in milliseconds; 32 sequences, 12 symbols"),
            ("train", "dfst.recurrence forward and backward, in milliseconds"),
        )
    ),
)


def run_suite(
    what: What = "all", device: Device = "cpu", tell: Callable[[str], None] = lambda text: None
) -> list[tuple[str, list[Row]]]:
    """(title, rows) of each table asked for; every row of a table has the same keys."""
    able = sorted({benchmark.name for benchmark in BENCHMARKS if benchmark.device == device})
    if what not in ("all", *able):
        raise InputError(f"--device {device} measures {', '.join(able)}; found {what}")
    if device == "cuda":
        from dfst.learning.engines import pick_device

        pick_device("cuda")
    asked = [b for b in BENCHMARKS if what == b.name or (what == "all" and not b.on_request)]
    chosen = [b for b in asked if b.device == device]
    return [(benchmark.title, benchmark.rows(tell)) for benchmark in chosen]
