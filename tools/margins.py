"""Margins of gradient descent's own weights: the smallest lead of a decision over its runner-up, by |h|.

dfst learn TASK --preset descent --seeds 16 --every-seed --set data_seed=101 --device cuda --out RUN
python tools/margins.py measure docs/research/records/margins.jsonl TASK 30,300 RUN/seed-*.safetensors
python tools/margins.py measure docs/research/records/margins.jsonl TASK 2450 --few RUN/seed-*.safetensors
python tools/margins.py docs/research/records/margins.jsonl       # the table

A run follows the expert's and ends at the first other decision. `dfst evaluate` divides the smallest margin
of a run by the norm of h at that step; here the quotient itself is the smallest of all steps. The inputs are
those of `dfst evaluate`; with --few only the first random one, 0…0 with 0…0, and the last digit with itself.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np

from dfst.evaluation.evaluate import FINAL_SEED
from dfst.model.weights import Weights
from dfst.problems.find import find_problem
from dfst.subjects import resolve
from dfst.world.trace import Trace

ENOUGH = 0.02
"""The relative margin that is asked for."""


@numba.njit
def follow(columns: Any, h: Any, symbols: int, x: Any, s: Any, m: Any) -> tuple[float, float, int]:
    """(smallest margin, smallest margin / |h|, first wrong step or -1) along a run of the expert.

    columns: (Σ, d, d + Σ + M) of A, B and C, one below the other. h is scaled by powers of two alone.
    """
    least, least_relative, scale, d = np.inf, np.inf, 1.0, len(h)
    found = np.empty(columns.shape[2], columns.dtype)
    for t in range(len(x)):
        found[:] = 0
        squares, largest, read = 0.0, 0.0, columns[x[t]]
        for j in range(d):
            part, column = h[j], read[j]
            squares += part * part
            largest = max(largest, abs(part))
            for i in range(len(found)):
                found[i] += column[i] * part
        lead = np.inf
        for begin, end, right in ((d, d + symbols, d + s[t]), (d + symbols, len(found), d + symbols + m[t])):
            for i in range(begin, end):
                if i != right:
                    lead = min(lead, found[right] - found[i])
        if lead <= 0:
            return least, least_relative, t
        least, least_relative = min(least, lead * scale), min(least_relative, lead / np.sqrt(squares))
        h[:] = found[:d]
        if largest > 2.0**40 or 0 < largest < 2.0**-40:
            by = np.float32(2.0**-40 if largest > 1 else 2.0**40)
            h, scale = h * by, scale / by
    return least, least_relative, -1


def followed(model: Weights, traces: list[Trace]) -> list[tuple[float, float, int]]:
    """`follow` along each."""
    columns, symbols = np.ascontiguousarray(model.stacked.transpose(0, 2, 1)), len(model.alphabet)
    return [follow(columns, model.h0.copy(), symbols, trace.x, trace.s, trace.m) for trace in traces]


def told_of(path: Path) -> dict[str, Any]:
    """Which model it is; of a seed also whether its run's report has it exact at the paper's length."""
    if not path.is_file():
        return {"model": path.name}
    config = json.loads((path.parent / "config.json").read_text("utf-8"))
    report = json.loads((path.parent / "report.json").read_text("utf-8"))
    seed = int(re.findall(r"\d+", path.name)[0])
    [candidate] = [found for found in report["candidates"] if found["seed"] == seed]
    [last] = candidate["measured"]
    return {
        "model": path.stem, "data_seed": (config["problem"]["sampling"] or {}).get("data_seed"),
        "seed": seed,
        "training_steps": config["recipe"]["steps"], "stability": config["recipe"]["stability"],
        "stability_floor": config["recipe"].get("stability_floor", 0), "loss": candidate["loss"],
        "reported": {name: last[name] for name in ("digits", "inputs", "right", "margin")},
    }  # fmt: skip


def measured(task: str, digits: int, path: str, few: bool) -> dict[str, Any]:
    model, problem = resolve(path), find_problem(task)
    assert isinstance(model, Weights)
    cases = problem.tests([digits], FINAL_SEED)[0].cases
    if few:
        pairs = [case for case in cases if case.role == "repeated"]
        cases = (cases[0], pairs[0], pairs[-1])
    zeros = model.A[model.alphabet.index("0")].astype(np.float64)
    traces = [problem.agent.trace_compiled(case.input) for case in cases]
    found, steps = followed(model, traces), sum(len(trace.x) for trace in traces)
    return {
        "task": task, **told_of(Path(path)), "digits": digits, "inputs": len(cases), "steps": steps,
        "right": all(step < 0 for *_, step in found), "margin": min(least for least, _, _ in found),
        "relative": min(relative for _, relative, _ in found),
        "eigenvalue_of_0": float(np.abs(np.linalg.eigvals(zeros)).max()),
    }  # fmt: skip


def measure(records: str, task: str, lengths: str, *models: str) -> None:
    few, paths = "--few" in models, [path for path in models if path != "--few"]
    for digits, path in product(lengths.split(","), paths):
        with Path(records).open("a", encoding="utf-8") as file:
            file.write(json.dumps(measured(task, int(digits), path, few)) + "\n")


def table(records: str) -> None:
    """The inputs of a row may be few, so that of a seed the run's own report on all of them is asked, too."""
    rows: dict[tuple[str, str, int, int], list[dict[str, Any]]] = defaultdict(list)
    for line in Path(records).read_text("utf-8").splitlines():
        record = json.loads(line)
        models = f"`{record['model']}`"
        if "seed" in record:
            end = ", to the end" if record.get("stability_floor") else ""
            drawn = "given inputs" if record["data_seed"] is None else f"data seed {record['data_seed']}"
            models = f"{drawn}, penalty of {record['stability']:g}{end}"
        rows[record["task"], models, record["digits"], record["inputs"]].append(record)
    print("| task | models | digits, inputs | right | of the norm ≥ 0.02 | smallest, median | absolute |")
    print("|---|---|---|---|---|---|---|")
    for (task, models, digits, inputs), found in rows.items():
        right = [record for record in found if record["right"] and record.get("reported", record)["right"]]
        ratios = [record["relative"] for record in right]
        if not right:
            continue
        told = f"{sum(ratio >= ENOUGH for ratio in ratios)} | {min(ratios):.2g}, {median(ratios):.2g}"
        margin = min(record["margin"] for record in right)
        which = f"| {task} | {models} | {digits:,}, {inputs} | {len(right)} of {len(found)}"
        print(f"{which} | {told} | {margin:.2g} |")


if __name__ == "__main__":
    measure(*sys.argv[2:]) if sys.argv[1] == "measure" else table(*sys.argv[1:])
