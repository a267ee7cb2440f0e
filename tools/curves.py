"""Learning curves: how many machines are proved, of so many examples or after so many steps, merged alike.

python tools/curves.py add2 edsm,sat 10,20,40 0,1,2 >> docs/research/records/curves.jsonl
python tools/curves.py add2 gru,dfst-raw 10,20,40 0,1,2 300 0,1 >> docs/research/records/curves.jsonl
python tools/curves.py docs/research/records/curves.jsonl                  # the tables
python tools/curves.py docs/research/records/curves.jsonl curves.svg       # the figure

Task, learners, examples (0: the usual set), data seeds; for learners that train also steps and seeds. The
draws are those of the task's sampler (`samples`, `data_seed`), every shortest input among them, none added to
tell more apart. A network, or a DFST that is not polished (`dfst-raw`), is trained as by `dfst compare`, and
its hidden states are merged as there. Two controls: one step is as good as no training, and `echo` is none at
all, a random recurrence h ← tanh(W h + u[x]), of which nothing but its hidden states is used.
`alone` in a record: what comes of merging down to the number of states that is known without the expert.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.baselines.registry import find_learner
from dfst.experiments.baselines.state_merging import merge_by_evidence
from dfst.experiments.comparison.measure import merged_machine, merged_verdict
from dfst.problems.find import find_problem
from dfst.proof.verdict import SETTLED
from dfst.states.certify import smallest_machine
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.follow import HiddenStates, followed_states
from dfst.states.merged import first_merged
from dfst.train.settings import configure
from dfst.viewer.plots import ACCENT, INK, SECOND, SOFT, new_figure, quiet, save_figure

SECONDS = 60.0
"""For each question to the SAT solver."""
WIDTH = 14
"""Of the control's hidden state: that of a GRU on add2."""
LINES = {"dfst-raw": ACCENT, "gru": SECOND, "edsm": INK, "sat": SOFT}
"""Learner → the colour of its curve."""
Record = dict[str, Any]


def untrained(task: str, learner: str, samples: int, data_seed: int) -> Record:
    """Of a learner that makes a machine of the traces."""
    problem = find_problem(task, samples=samples, data_seed=data_seed, told_apart=0)
    traces, agent = problem.training_set().traces, problem.agent
    if learner == "edsm":
        machine = merge_by_evidence(traces).agent(learner, agent)
    else:
        machine, _ = smallest_machine(agent, traces, SECONDS)
    told = {"task": task, "learner": learner, "samples": len(traces.lengths), "data_seed": data_seed}
    return {**told, **merged_verdict(machine, agent)}


def echo(assignment: Assignment) -> Trained:
    """A recurrence that nobody trained: W is 0.9 of a rotation or reflection, u[x] normal."""
    rng, traces = np.random.default_rng(assignment.seed), assignment.traces
    w = 0.9 * np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    u = rng.normal(size=(len(traces.alphabet), WIDTH))
    hidden = HiddenStates(np.zeros(WIDTH), lambda h, x: np.tanh(w @ h + u[x]))
    return Trained(assignment.agent, len(traces), w.size + u.size, 0, 0.0, None, hidden=hidden)


def trained(task: str, learner: str, samples: int, data_seed: int, steps: int, seed: int) -> Record:
    """Of a learner whose hidden states are merged."""
    own = {"samples": samples, "told_apart": 0} if samples else {}
    plan = configure(task, data_seed=data_seed, steps=steps, seeds=1, first_seed=seed, **own)
    with TemporaryDirectory() as folder:
        assignment = Assignment(plan, seed, Path(folder, "run"), "cpu")
        assignment.folder.mkdir()
        found = echo(assignment) if learner == "echo" else find_learner(learner).load()(assignment)
        verdict = merged_verdict(merged_machine(found, assignment), plan.problem.agent)
        assert found.hidden is not None
        most = fewest_states_of_traces(assignment.traces)[1] or 0
        graph = first_merged(followed_states(found.hidden, assignment.traces), most, enough=most)
        alone = merged_verdict(graph and graph.agent("merged", assignment.agent), assignment.agent)
    told = {
        "task": task,
        "learner": learner,
        "samples": found.samples,
        "data_seed": data_seed,
        "steps": steps,
    }
    return {
        **told,
        "seed": seed,
        "loss": found.loss,
        "parameters": found.parameters,
        **verdict,
        "alone": alone,
    }


def measure(task: str, learners: str, samples: str, draws: str, steps: str = "", seeds: str = "0") -> None:
    asked = [learners.split(","), *([int(n) for n in part.split(",")] for part in (samples, draws))]
    for learner, number, draw in product(*asked):
        if learner in ("edsm", "sat"):
            print(json.dumps(untrained(task, learner, number, draw)), flush=True)
            continue
        for step, seed in product(steps.split(","), seeds.split(",")):
            print(json.dumps(trained(task, learner, number, draw, int(step), int(seed))), flush=True)


Cells = dict[tuple[str, str, int], dict[int, list[bool]]]
"""(task, learner, steps) → examples → whether each machine is proved"""


def records_of(path: str) -> list[Record]:
    lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    return [{"steps": 0, **line, "learner": line["learner"].rpartition(":")[2]} for line in lines]


def is_control(record: Record) -> bool:
    return record["learner"] == "echo" or record["steps"] == 1


def cells_of(path: str) -> Cells:
    cells: Cells = defaultdict(lambda: defaultdict(list))
    for record in records_of(path):
        if not is_control(record):
            row = cells[record["task"], record["learner"], record["steps"]]
            row[record["samples"]].append(record["verdict"] in SETTLED)
    return cells


def table(path: str) -> None:
    cells = cells_of(path)
    for task in dict.fromkeys(task for task, *_ in cells):
        rows = {key: row for key, row in cells.items() if key[0] == task}
        sizes = sorted({size for row in rows.values() for size in row})
        print(f"| {task} | steps | {' | '.join(map(str, sizes))} |\n|---|---|{'---|' * len(sizes)}")
        for (_, learner, steps), row in rows.items():
            told = (f"{sum(row[size])} of {len(row[size])}" if size in row else "–" for size in sizes)
            print(f"| `{learner}` | {f'{steps:,}' if steps else '–'} | {' | '.join(told)} |")
    controls(path)


def controls(path: str) -> None:
    """Of hidden states that nobody trained: how many machines are proved, and how many states are left."""
    found: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in filter(is_control, records_of(path)):
        found[record["learner"]][record["task"]].append(record)
    tasks = list(dict.fromkeys(task for row in found.values() for task in row))
    print(f"| untrained | {' | '.join(tasks)} |\n|---|{'---|' * len(tasks)}")
    for learner, row in found.items():
        told = []
        for seeds in (row.get(task, []) for task in tasks):
            states = sorted(record["states"] for record in seeds if record["states"])
            left = f"{states[0]} to {states[-1]} states" if states else "no automaton"
            proved = sum(record["verdict"] in SETTLED for record in seeds)
            told.append(f"{proved} of {len(seeds)}, {left}" if seeds else "–")
        print(f"| `{learner}` | {' | '.join(told)} |")


def figure(path: str, out: str) -> None:
    """A panel for each task that has a curve, a line for each learner: the share of machines proved."""
    curves = {key: row for key, row in cells_of(path).items() if len(row) > 2}
    tasks = list(dict.fromkeys(task for task, *_ in curves))
    drawn = new_figure(4.2 * len(tasks) + 0.6, 3.2)
    for task, axes in zip(tasks, drawn.subplots(1, len(tasks), squeeze=False)[0], strict=True):
        for name, colour in LINES.items():
            for (of, learner, steps), row in curves.items():
                if of == task and learner == name:
                    sizes = sorted(row)
                    shares = [sum(row[size]) / len(row[size]) for size in sizes]
                    label = f"{name}, {steps:,} steps" if steps else name
                    axes.plot(sizes, shares, "o-", color=colour, markersize=4, linewidth=1.6, label=label)
        quiet(axes)
        axes.set_ylim(-0.05, 1.05)
        axes.set_title(task, loc="left", fontsize=10, color=SOFT)
        axes.set_xlabel("examples", color=SOFT)
        axes.legend(fontsize=8, frameon=False, labelcolor=SOFT, loc="lower right")
    drawn.axes[0].set_ylabel("share proved", color=SOFT)
    save_figure(drawn, out)


if __name__ == "__main__":
    out = sys.argv[2:]
    if not out:
        table(sys.argv[1])
    elif out[0].endswith(".svg"):
        figure(sys.argv[1], out[0])
    else:
        measure(*sys.argv[1:])
