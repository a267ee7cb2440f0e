"""Up to which length weights of gradient descent alone are proved, seed by seed.

dfst learn TASK --preset descent --seeds 16 --every-seed --digits 500 --out RUN
python tools/unpolished.py docs/research/records/unpolished.jsonl RUN …     # adds a line for each seed
python tools/unpolished.py docs/research/records/unpolished.jsonl           # the table

*Spare*: how many directions a symbol keeps (eigenvalues of A[x]) more than states go round
again and again when it is read; of the symbol that has most.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from statistics import median

import numpy as np

from dfst.api import load, prove
from dfst.model.weights import Weights
from dfst.problems.find import find_problem
from dfst.states.merging import minimise

KEPT = 0.95  # the modulus of an eigenvalue that is kept: in a hundred symbols what is below fades to nothing


def spare(weights: Weights) -> int:
    assert weights.task
    machine, most = minimise(find_problem(weights.task.name).agent), 0
    for x, A in enumerate(weights.A.astype(float)):
        going = set(range(len(machine.states)))
        for _ in machine.states:
            going = {int(machine.next[q, x]) for q in going if machine.next[q, x] >= 0}
        kept = int((np.abs(np.linalg.eigvals(A)) > KEPT).sum())
        most = max(most, kept - len(going)) if going else most
    return most


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
        shown["spare"] = spare(weights)
        with records.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**case, "loss": candidate["loss"], **shown}) + "\n")
        print(
            f"{weights.task.name}, seed {candidate['seed']}: {verdict.sentence()}",
            file=sys.stderr,
            flush=True,
        )


def table(records: str | Path) -> None:
    print("| task | hidden size | spare | seeds proved | learnt states | symbols: least, median, most |")
    print("|---|---|---|---|---|---|")
    lines = [json.loads(line) for line in Path(records).read_text("utf-8").splitlines()]
    for _, seeds in groupby(lines, key=lambda line: line["task"]):
        for more, group in groupby(sorted(seeds, key=lambda line: line["spare"]), lambda line: line["spare"]):
            of = list(group)
            lengths = sorted(line["length"] for line in of if line["length"])
            found = ", ".join(map(str, sorted({line["states"] for line in of if line["length"]}))) or "–"
            said = f"{lengths[0]:,}, {median(lengths):,.0f}, {lengths[-1]:,}" if lengths else "–"
            which = f"| {of[0]['task']} | {of[0]['hidden_size']} | {more}"
            print(f"{which} | {len(lengths)} of {len(of)} | {found} | {said} |")


if __name__ == "__main__":
    record, *runs = map(Path, sys.argv[1:])
    for folder in runs:
        measured(folder, record)
    if not runs:
        table(record)
