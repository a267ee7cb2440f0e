"""What the hidden size has to do with it: seeds proved at one to three times the states that are needed.

python tools/sizes.py learn docs/research/records/sizes.jsonl parity add2 …     # adds a line for each size
python tools/sizes.py docs/research/records/sizes.jsonl                         # the table

Eight seeds of the one recipe on data seed 0, every one put to the prover. The smallest machine is the smaller
of two that explain the traces: one merged from the expert's states, one from the traces alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from dfst import __version__
from dfst.problems.find import find_problem
from dfst.proof.verdict import SETTLED
from dfst.states.fewest import fewest_states_of_traces

TIMES = (1, 1.5, 2, 3)
SEEDS = 8


def smallest(task: str) -> int:
    problem = find_problem(task, data_seed=0)
    traces = problem.training_set().traces
    found = (fewest_states_of_traces(traces)[1], fewest_states_of_traces(traces, problem.agent)[1])
    return min(states for states in found if states)


def learn(records: str, *tasks: str) -> None:
    for task in tasks:
        states = smallest(task)
        for times in TIMES:
            with Path(records).open("a", encoding="utf-8") as file:
                file.write(json.dumps(measured(task, states, times)) + "\n")


def measured(task: str, states: int, times: float) -> dict[str, object]:
    d = ceil(times * states)
    asked = f"learn {task} --hidden-size {d} --seeds {SEEDS} --every-seed --device cpu --digits 100"
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dfst", *asked.split(), "--json", "--out", f"{folder}/run"]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        metrics = Path(folder, "run", "metrics.jsonl").read_text("utf-8").splitlines()
    report = json.loads(ended.stdout)
    seeds = report["candidates"]
    return {
        "version": __version__,
        "command": f"dfst {asked}",
        "task": task,
        "data_seed": 0,
        "smallest": states,
        "times": times,
        "d": d,
        "steps": json.loads(metrics[-1])["iteration"],
        "proved": sum(seed["strength"] in SETTLED for seed in seeds),
        "of": len(seeds),
        "strengths": [seed["strength"] for seed in seeds],
        "states": [seed["states"] for seed in seeds],
        "losses": [float(f"{seed['loss']:.2g}") for seed in seeds],
        "chosen": report["strength"],
    }


def table(records: str) -> None:
    rows: dict[tuple[str, int], dict[float, str]] = defaultdict(dict)
    for line in Path(records).read_text("utf-8").splitlines():
        record = json.loads(line)
        chosen = "" if record["chosen"] in SETTLED else ", not the chosen one"
        rows[record["task"], record["smallest"]][record["times"]] = (
            f"{record['proved']} of {record['of']}{chosen}"
        )
    head = " | ".join(f"{times} ×" for times in TIMES)
    print(f"| task | states | {head} |\n|---|---|{'---|' * len(TIMES)}")
    for (task, states), row in rows.items():
        print(f"| {task} | {states} | {' | '.join(row.get(times, '–') for times in TIMES)} |")


if __name__ == "__main__":
    learn(*sys.argv[2:]) if sys.argv[1] == "learn" else table(*sys.argv[1:])
