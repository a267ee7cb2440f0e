"""The table of baselines in docs/results/comparison.md: the same traces, the same merging, the same prover.

dfst sweep --tasks TASK … --learners NAME … --seeds 4 --set steps=10000 reweighting=0 --digits 1 2 … 100
    --out runs/sweep
python tools/baselines.py add docs/research/records/baselines.jsonl runs/sweep/results.jsonl …
python tools/baselines.py docs/research/records/baselines.jsonl docs/research/records/one-recipe.jsonl

A cell says how many seeds are proved after merging, how many were right without it at every tested length,
and up to which length (median) all random inputs were. State merging and SAT have one machine a draw: of how
many draws it is proved. The DFST's column is that of the one recipe on five draws, with the
median of the steps after which training ended.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from dfst.experiments.baselines.registry import LEARNERS, place_of
from dfst.proof.verdict import SETTLED

Record = dict[str, Any]
DFST = (*(f"data seed {n}, 16 seeds" for n in range(5)), "data seed 0, 16 seeds, mazes")
"""The variants of one-recipe.jsonl: five draws of each task, one of mazes"""
OF_THE_MACHINE = {"host", "folder", "attempts", "trial", "recipe", "preset", "error"}
"""What a record need not keep of a sweep's line"""


def lines(path: str) -> list[Record]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def add(record: str, *results: str) -> None:
    """Put the finished trials of sweeps into a record, each in the place of an earlier one of its kind."""
    known = {_key(line): line for line in lines(record)} if Path(record).exists() else {}
    for line in (line for path in results for line in lines(path) if line["status"] == "done"):
        known[_key(line)] = {name: value for name, value in line.items() if name not in OF_THE_MACHINE}
    Path(record).write_text("".join(json.dumps(line) + "\n" for line in known.values()), "utf-8")


def _key(line: Record) -> tuple[Any, ...]:
    return line["learner"], line["task"], line["seed"], *sorted(line["set"].items())


def table(record: str, one_recipe: str) -> None:
    cells: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for line in lines(record):
        cells[line["task"]][line["learner"]].append(line)
    ours = defaultdict(list)
    for line in lines(one_recipe):
        if line["variant"] in DFST:
            ours[line["task"]].append(line)
    learners = sorted(
        {name for row in cells.values() for name in row}, key=lambda name: (_one(name), place_of(name))
    )
    titles = [f"`{name.rpartition(':')[2]}`" for name in learners]
    print(f"| task | `dfst`, its steps | {' | '.join(titles)} |\n|---|---|{'---|' * len(learners)}")
    for task, row in cells.items():
        proved, of = (sum(line[key] for line in ours[task]) for key in ("proved", "of"))
        dfst = f"{proved}/{of}; {round(median(map(_steps, ours[task]))):,}"
        print(f"| {task} | {dfst} | {' | '.join(_cell(row[name]) for name in learners)} |")


def _steps(line: Record) -> int:
    return int(line.get("ended_at") or line["steps"])


def _one(learner: str) -> bool:
    """Whether it finds one machine a draw, without training."""
    return learner in LEARNERS and not LEARNERS[learner].stepped


def _cell(seeds: list[Record]) -> str:
    if not seeds:
        return "–"
    proved = sum(line["merged"] in SETTLED for line in seeds)
    if _one(seeds[0]["learner"]):
        return f"{proved}/{len(seeds)}"
    exact = sum(line["exact"] for line in seeds)
    longest = int(median(line["rlg"] for line in seeds))
    reach = f"≥ {longest}" if longest == seeds[0]["longest"] else f"{longest}"
    return f"{proved}/{len(seeds)}; {exact}; {reach}"


if __name__ == "__main__":
    add(*sys.argv[2:]) if sys.argv[1] == "add" else table(*sys.argv[1:])
