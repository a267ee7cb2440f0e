"""How long runs are beside the paper's: the longest trace of a training set, and the longest test.

python tools/run_lengths.py > docs/research/records/run-lengths.jsonl
python tools/run_lengths.py docs/research/records/run-lengths.jsonl    # as a table

Of the test that pair of repeated digits is taken which needs most steps, of digits 0, half the radix and the
last. The paper's figures stand in `dfst/paper.py`; of steps it gives orders of magnitude.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

from dfst.paper import TASKS
from dfst.problems.find import find_problem

OF_PAPER = {"add2": "30 million", "add10": "12 million", "mult2": "6 million", "mult10": "500,000"}
AGENTS = [*TASKS, "examples/paper_agents.py:add2", "examples/paper_agents.py:add10"]


def measured(name: str) -> dict[str, object]:
    problem = find_problem(name, told_apart=0)
    agent, row = problem.agent, TASKS[problem.of_task.name]
    radix = len(agent.alphabet) - 2
    digits = dict.fromkeys(agent.alphabet[d] for d in (0, radix // 2, radix - 1))
    numbers = [digit * row.tested_digits for digit in digits]
    texts = [problem.of_task.write(pair) for pair in product(numbers, numbers)]
    lengths = problem.training_set().traces.lengths
    return {
        "agent": name, "task": row.name, "states": len(agent.states), "data_seed": problem.data_seed,
        "samples": len(lengths), "longest_trace": int(max(lengths)), "digits": row.tested_digits,
        "steps": max(agent.run(text).steps for text in texts),
    }  # fmt: skip


def main(path: str | None = None) -> None:
    if path is None:
        for name in AGENTS:
            print(json.dumps(measured(name)), flush=True)
        return
    print("| agent | states | longest trace (the paper's) | steps at so many digits (the paper's) |")
    print("|---|---|---|---|")
    for line in Path(path).read_text("utf-8").splitlines():
        found = json.loads(line)
        row = TASKS[found["task"]]
        traces = f"{found['longest_trace']} ({row.longest_trace})"
        steps = f"{found['steps']:,} at {found['digits']:,} (about {OF_PAPER[found['task']]})"
        print(f"| `{found['agent']}` | {found['states']} | {traces} | {steps} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
