"""Up to which length weights of gradient descent alone are proved, seed by seed.

dfst learn TASK --preset descent --seeds 16 --every-seed --digits 500 --out RUN
python tools/unpolished.py docs/research/records/unpolished.jsonl RUN …     # adds a line for each seed
python tools/unpolished.py docs/research/records/unpolished.jsonl           # the table
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from statistics import median

from dfst.api import load, prove
from dfst.model.weights import Weights


def measured(run: Path, records: Path) -> None:
    """Every seed of a run; what the record holds already is not proved again."""
    report = json.loads((run / "report.json").read_text("utf-8"))
    known = [json.loads(line) for line in records.read_text("utf-8").splitlines()] if records.exists() else []
    for candidate in sorted(report["candidates"], key=lambda candidate: candidate["seed"]):
        weights = load(str(run / f"seed-{candidate['seed']}.safetensors"))
        assert isinstance(weights, Weights)
        assert weights.task
        case = {
            "task": weights.task.name,
            "data_seed": weights.provenance.data_seed,
            "seed": candidate["seed"],
            "hidden_size": len(weights.h0),
        }
        if any(line.items() >= case.items() for line in known):
            continue
        verdict = prove(weights)
        shown = {"strength": verdict.strength, "states": verdict.states, "length": verdict.length}
        with records.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**case, "loss": candidate["loss"], **shown}) + "\n")
        print(
            f"{weights.task.name}, seed {candidate['seed']}: {verdict.sentence()}",
            file=sys.stderr,
            flush=True,
        )


def table(records: Path) -> None:
    print(
        "| task | hidden size | seeds proved up to a length | learnt states | symbols: least, median, most |"
    )
    print("|---|---|---|---|---|")
    lines = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    for task, group in groupby(lines, key=lambda line: line["task"]):
        of = list(group)
        lengths = sorted(line["length"] for line in of if line["length"])
        states = sorted({line["states"] for line in of if line["length"]})
        said = f"{lengths[0]:,}, {median(lengths):,.0f}, {lengths[-1]:,}" if lengths else "–"
        found = ", ".join(map(str, states)) or "–"
        print(f"| {task} | {of[0]['hidden_size']} | {len(lengths)} of {len(of)} | {found} | {said} |")


if __name__ == "__main__":
    record, *runs = map(Path, sys.argv[1:])
    for folder in runs:
        measured(folder, record)
    if not runs:
        table(record)
