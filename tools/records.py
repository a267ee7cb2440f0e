"""The table behind docs/research/one-recipe.md: seeds proved, or exact, of each variant by task and in all.

python tools/records.py docs/research/records/one-recipe.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path


def main(path: str) -> None:
    cells: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in Path(path).read_text("utf-8").splitlines():
        record = json.loads(line)
        right = sum(record["exact"]) if record.get("preset") == "descent" else record["proved"]
        cells[record["task"]][record["variant"]].append(f"{right} of {record['of']}")
        sums[record["variant"]][0] += right
        sums[record["variant"]][1] += record["of"]
    variants = list(dict.fromkeys(name for row in cells.values() for name in row))
    print(f"| task | {' | '.join(variants)} |")
    print(f"|---|{'---|' * len(variants)}")
    for task, row in sorted(cells.items()):
        print(f"| {task} | {' | '.join(', '.join(row[name]) or '–' for name in variants)} |")
    totals = (f"{right} of {seeds}" for right, seeds in map(sums.__getitem__, variants))
    print(f"| all | {' | '.join(totals)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
