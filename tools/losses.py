"""How the loss of gradient descent alone comes down: what decides where it ends.

dfst learn mult2 --preset descent --steps 200000 --seeds 8 --set data_seed=103 gradient_clip=3 --out RUN
python tools/losses.py measure docs/research/records/losses.jsonl RUN…
python tools/losses.py docs/research/records/losses.jsonl       # the tables

A line a run: what its recipe changes of the preset `descent` as it was then (BEFORE), and the median loss of
its seeds after shares of the steps. Where the learning rate is η = η₀ · left, a loss that is Adam's jitter is
c · left²: the first table has c for each share; the second the losses at the end, by setting.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from statistics import median
from typing import Any

SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
BEFORE = {
    "rate_scale": 0.025, "beta1": 0.9, "beta2": 0.999, "gradient_clip": 1.0, "state_noise": 3.0,
    "reweighting": 0.5, "stability": 1e-4, "stability_until": 0.9, "batch_size": 32,
}  # fmt: skip


def measured(run: Path) -> dict[str, Any]:
    config = json.loads((run / "config.json").read_text("utf-8"))
    recipe, problem = config["recipe"], config["problem"]
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]
    steps = lines[-1]["iteration"]
    if steps < recipe["steps"]:
        raise SystemExit(f"{run} was not trained to the end: {steps:,} of {recipe['steps']:,} steps")
    losses = []
    for share in SHARES:
        line = min(lines, key=lambda line: abs(line["iteration"] - share * steps))
        losses.append(median(loss for loss in line["loss"] if loss is not None))
    return {
        "task": problem["name"], "data_seed": problem["sampling"]["data_seed"],
        "seeds": len(lines[-1]["loss"]), "steps": steps, "hidden_size": recipe["hidden_size"],
        "changed": {name: recipe[name] for name, usual in BEFORE.items() if recipe.get(name, usual) != usual},
        "losses": losses,
    }  # fmt: skip


def measure(records: Path, runs: list[Path]) -> None:
    with records.open("a", encoding="utf-8") as file:
        for run in runs:
            file.write(json.dumps(measured(run)) + "\n")


def left(share: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * share))


def table(records: str) -> None:
    lines = [json.loads(line) for line in Path(records).read_text("utf-8").splitlines()]
    print("| task, steps | " + " | ".join(f"{share:.0%}" for share in SHARES[:-1]) + " |")
    print("|---|" + "---|" * len(SHARES[:-1]))
    for line in lines:
        if not line["changed"] and line["steps"] == 200_000:
            found = [
                f"{loss / left(at) ** 2:.1e}" for at, loss in zip(SHARES[:-1], line["losses"], strict=False)
            ]
            print(f"| {line['task']}, {line['steps']:,} | " + " | ".join(found) + " |")
    print("\n| task, steps, seeds | changed | loss at the end |\n|---|---|---|")
    for line in sorted(lines, key=lambda line: (line["task"], line["steps"], -line["losses"][-1])):
        changed = ", ".join(f"{name} {value:g}" for name, value in line["changed"].items()) or "nothing"
        print(
            f"| {line['task']}, {line['steps']:,}, {line['seeds']} | {changed} | {line['losses'][-1]:.1e} |"
        )


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        measure(Path(sys.argv[2]), [Path(run) for run in sys.argv[3:]])
    else:
        table(sys.argv[1])
