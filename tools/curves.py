"""Learning curves: how many draws of so many examples end in a machine that is proved, without training.

python tools/curves.py add2 edsm,sat 10,20,40 0,1,2 > docs/research/records/curves.jsonl
python tools/curves.py docs/research/records/curves.jsonl       # the table

The draws are those of the paper's sampler (`samples`, `data_seed`), every shortest input among them. The same
sets for learners that train: `dfst compare --learner gru --task add2 --set samples=N data_seed=S`.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from dfst.errors import InputError
from dfst.experiments.baselines.state_merging import merge_by_evidence
from dfst.experiments.comparison.measure import merged_verdict
from dfst.problems.find import find_problem
from dfst.states.certify import smallest_machine

SECONDS = 60.0
"""For each question to the SAT solver."""


def measured(task: str, learner: str, samples: int, data_seed: int) -> dict[str, object]:
    problem = find_problem(task, samples=samples, data_seed=data_seed)
    traces, agent = problem.training_set().traces, problem.agent
    if learner == "edsm":
        machine = merge_by_evidence(traces).agent(learner, agent)
    elif learner == "sat":
        machine, _ = smallest_machine(agent, traces, SECONDS)
    else:
        raise InputError(f"a curve without training is drawn of edsm or sat, found {learner!r}")
    told = {"task": task, "learner": learner, "samples": len(traces.lengths), "data_seed": data_seed}
    return {**told, **merged_verdict(machine, agent)}


def table(path: str) -> None:
    cells: dict[tuple[str, str], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for line in Path(path).read_text("utf-8").splitlines():
        record = json.loads(line)
        proved = record["verdict"] == "proved"
        cells[record["task"], record["learner"]][record["samples"]].append(proved)
    sizes = sorted({size for row in cells.values() for size in row})
    print(f"| task | learner | {' | '.join(map(str, sizes))} |")
    print(f"|---|---|{'---|' * len(sizes)}")
    for (task, learner), row in cells.items():
        told = (f"{sum(row[size])} of {len(row[size])}" if size in row else "–" for size in sizes)
        print(f"| {task} | `{learner}` | {' | '.join(told)} |")


def main(task: str, learners: str = "", samples: str = "", seeds: str = "") -> None:
    if not learners:
        table(task)
        return
    for learner in learners.split(","):
        for number in samples.split(","):
            for seed in seeds.split(","):
                print(json.dumps(measured(task, learner, int(number), int(seed))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
