"""Drift of gradient descent's own weights: how far a repeated symbol moves what it keeps, a symbol.

dfst learn TASK --preset descent --seeds 16 --every-seed --set data_seed=101 --device cuda --out RUN
python tools/drift.py measure docs/research/records/drift.jsonl "PENALTY" RUN
python tools/drift.py docs/research/records/drift.jsonl       # the table
python tools/drift.py noise docs/research/records/drift.jsonl # by the noise on the hidden state
python tools/drift.py turns RUN    # eigenvalues that last and turn, of each seed and symbol: modulus, turns

‖A[x]^720 − A[x]^360‖ / 360, for the symbol that has the most of it: what dies out is gone after 360 symbols,
a loop and a cycle whose length divides 360 come out the same, so what is left grows or drifts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from dfst.model.weights import Weights, load_weights

FAR = 360
LONG = 60  # letters of a list of inputs that a table prints
LASTING = 0.98  # the modulus of what is not gone after a hundred symbols


def drift_of(weights: Weights) -> float:
    """Of the symbol with the most of it; of digits, letters and the blank, which runs repeat."""
    A = weights.A[[i for i, x in enumerate(weights.alphabet) if x.isalnum()]].astype(float)
    near = np.linalg.matrix_power(A, FAR)
    return float(np.linalg.norm(near @ near - near, axis=(1, 2)).max() / FAR)


def turns(run: Path) -> None:
    for model in sorted(run.glob("seed-*.safetensors")):
        weights = load_weights(model)
        for symbol, A in zip(weights.alphabet, weights.A, strict=True):
            values = np.linalg.eigvals(A.astype(float))
            lasting = values[(np.abs(values) > LASTING) & (values.imag > 0)]
            pairs = [f"{abs(value):.4f} {np.angle(value) / (2 * np.pi):.4f}" for value in lasting]
            if pairs:
                print(model.stem, symbol, ", ".join(pairs))


def measure(record: Path, penalty: str, run: Path) -> None:
    config = json.loads((run / "config.json").read_text("utf-8"))
    report = json.loads((run / "report.json").read_text("utf-8"))
    recipe, problem = config["recipe"], config["problem"]
    with record.open("a", encoding="utf-8") as lines:
        for found in sorted(report["candidates"], key=lambda candidate: candidate["seed"]):
            last = found["measured"][-1]
            line = {
                "task": problem["name"], "data_seed": (problem["sampling"] or {}).get("data_seed"),
                "inputs": " ".join(problem["inputs"]),
                "penalty": penalty, "weight": recipe["stability"], "noise": recipe["state_noise"],
                "examples": config["data"]["traces"], "steps": recipe["steps"],
                "seed": found["seed"], "loss": found["loss"], "digits": last["digits"],
                "right": last["right"], "margin": last["relative_margin"],
                "drift": drift_of(load_weights(run / f"seed-{found['seed']}.safetensors")),
            }  # fmt: skip
            lines.write(json.dumps(line) + "\n")


def values(names: Sequence[str]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return lambda line: tuple(line[name] for name in names)


def table(record: Path) -> list[str]:
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines() if '"noise"' not in line]
    rows = ["| task, data seed | penalty, weight | steps | exact | drift a symbol: least, median, most |"]
    rows.append("|---|---|---|---|---|")
    names = ("task", "data_seed", "digits", "penalty", "weight", "steps")
    for (task, data, digits, penalty, weight, steps), group in groupby(lines, values(names)):
        seeds = list(group)
        drifts = sorted(seed["drift"] for seed in seeds)
        right = sum(seed["right"] for seed in seeds)
        rows.append(
            f"| {task}, {data} | {penalty}, {weight:g} | {steps:,} | {right} of {len(seeds)} at {digits:,} "
            f"| {drifts[0]:.0e}, {median(drifts):.0e}, {drifts[-1]:.0e} |"
        )
    return rows


def noises(record: Path) -> list[str]:
    """Noise on the hidden state and what comes of it; of a seed that is right, its smallest margin by |h|."""
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines() if '"noise"' in line]
    rows = ["| task, data seed | examples | steps | noise | right | margins: least, median | drift | loss |"]
    rows.append("|---" * 8 + "|")
    names = ("task", "drawn", "examples", "noise", "steps", "digits")
    for line in lines:
        line["drawn"] = line.get("inputs") or str(line["data_seed"])
    for (task, drawn, examples, noise, steps, digits), group in groupby(
        sorted(lines, key=values(names)), values(names)
    ):
        seeds = list(group)
        margins = sorted(seed["margin"] for seed in seeds if seed["right"])
        told = f"{margins[0]:.2g}, {median(margins):.2g}" if margins else "–"
        drift, loss = (median(seed[name] for seed in seeds) for name in ("drift", "loss"))
        some = drawn if len(drawn) < LONG else f"{drawn[:LONG].rpartition(' ')[0]} …"
        rows.append(
            f"| {task}, {some} | {examples:,} | {steps:,} | {noise:g} "
            f"| {len(margins)} of {len(seeds)} at {digits:,} | {told} | {drift:.0e} | {loss:.0e} |"
        )
    return rows


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        measure(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
    elif sys.argv[1] == "turns":
        turns(Path(sys.argv[2]))
    elif sys.argv[1] == "noise":
        print(*noises(Path(sys.argv[2])), sep="\n")
    else:
        print(*table(Path(sys.argv[1])), sep="\n")
