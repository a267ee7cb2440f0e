"""The table of state merging and SAT in docs/results/comparison.md, from the lines that `dfst compare` keeps.

dfst compare --learner sat --task add2 --device cpu --set data_seed=N --out runs/rivals-N   # N = 0, 1, 2
cat runs/rivals-*/records.jsonl > docs/research/records/rivals.jsonl
python tools/rivals.py docs/research/records/rivals.jsonl

A cell lists the draws: the states of the machine, and whether it is proved.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path


def main(path: str) -> None:
    cells: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in Path(path).read_text("utf-8").splitlines():
        record = json.loads(line)
        merged = record["merged"]
        cells[record["task"]][record["learner"]].append(f"{merged['states']} {merged['verdict']}")
    learners = list(dict.fromkeys(name for row in cells.values() for name in row))
    print(f"| task | {' | '.join(learners)} |")
    print(f"|---|{'---|' * len(learners)}")
    for task, row in cells.items():
        print(f"| {task} | {' | '.join(', '.join(row[name]) or '–' for name in learners)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
