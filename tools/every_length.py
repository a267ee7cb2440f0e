"""Which seeds of gradient descent alone are proved for inputs of every length, of machines that forget.

dfst learn PROBLEM --language PATTERN --preset descent --seeds 16 --every-seed --out RUN
RECORD=docs/research/records/every-length.jsonl
python tools/every_length.py $RECORD PROBLEM PATTERN RUN  # a line for each seed
python tools/every_length.py $RECORD                      # the table
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path

import dfst
from dfst.model.weights import load_weights
from dfst.problems import find_problem


def measure(record: Path, text: str, pattern: str, run: Path) -> None:
    agent = find_problem(text, language=pattern).agent
    with record.open("a", encoding="utf-8") as file:
        for path in sorted(run.glob("seed-*.safetensors"), key=lambda path: int(path.stem[5:])):
            weights = load_weights(path)
            found = dfst.prove(weights, agent, pattern)
            line = {
                "problem": agent.name, "seed": int(path.stem[5:]), "hidden_size": len(weights.h0),
                "states": found.states, "strength": found.strength, "length": found.length,
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")
            print(line, flush=True)


def main() -> None:
    record, *asked = sys.argv[1:]
    if asked:
        text, pattern, run = asked
        measure(Path(record), text, pattern, Path(run))
        return
    print(
        "| problem | hidden size | learnt states | seeds proved for every length |",
        "|---" * 4 + "|",
        sep="\n",
    )
    lines = [json.loads(line) for line in Path(record).read_text("utf-8").splitlines()]
    for name, group in groupby(lines, lambda line: line["problem"]):
        of = list(group)
        proved = sum(line["strength"] == "proved" for line in of)
        states = min(line["states"] or 0 for line in of)
        print(f"| {name} | {of[0]['hidden_size']} | {states} | {proved} of {len(of)} |")


if __name__ == "__main__":
    main()
