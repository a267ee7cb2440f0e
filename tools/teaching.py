"""Training sets and what they foretell: docs/concepts/teaching-sets.md.

python tools/teaching.py sets                                            a table: drawn, topped up, how often
python tools/teaching.py rules docs/research/records/rules-shown.jsonl   how many of 100 draws show every rule
python tools/teaching.py thin docs/research/records/thin-places.jsonl    thin places of 20 draws of each task
python tools/teaching.py train docs/research/records/foretold.jsonl      random sets of several sizes, learnt
python tools/teaching.py draw docs/research/records/foretold.jsonl docs/images/foretold.svg

What a file holds already is not done again.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import dfst
from dfst.machines.agent import Agent
from dfst.paper import TASKS as PAPER
from dfst.problems import find_problem
from dfst.problems.task import TaskProblem
from dfst.subjects import shipped_models
from dfst.traces.replay import replayed_states
from dfst.traces.sample import sample_traces
from dfst.traces.teaching_set import TIMES, teaching
from dfst.traces.traceset import TraceSet, joined

DRAWS = range(100, 120)
"""Data seeds, none of which anything was developed on."""
RULES_DRAWS = 100
QUICK = ("parity", "divisible3", "even_pairs", "cycle")
STEPS = 4_000
"""Tasks that train in seconds on one core, in fewer steps than usual."""
SIZES = (8, 16, 32, 64)
"""Examples of a random set; of every second one half are the shortest inputs."""
SEEDS = 4

Record = dict[str, Any]


def tasks() -> list[TaskProblem]:
    """The problems of the shipped models, as they are drawn, the smaller first."""
    found = [find_problem(name, told_apart=0) for name in shipped_models()]
    return sorted((p for p in found if isinstance(p, TaskProblem)), key=lambda p: p.agent.rule_count)


def sets() -> None:
    print("| task | drawn | steps | chosen | steps | told apart |\n|---|---|---|---|---|---|")
    for problem in tasks():
        drawn = problem.training_set().traces
        usual = find_problem(problem.name).training_set()
        times = usual.chosen.rsplit("apart ")[-1] if "chosen" in usual.chosen else "as the paper draws it"
        more = len(usual.traces) - len(drawn), usual.traces.tokens - drawn.tokens
        counts = (f"{n:,}" for n in (len(drawn), drawn.tokens, *more))
        print(f"| {problem.name} | {' | '.join(counts)} | {times} |", flush=True)


def rules(path: str) -> None:
    """Of each task how many rules a hundred draws show, as drawn and as they are learnt from; then the table.

    A set that is topped up shows every rule that its draw or the candidates show.
    """
    held = Path(path)
    lines = [json.loads(line) for line in held.read_text("utf-8").splitlines()] if held.exists() else []
    for problem in tasks():
        if any(line["task"] == problem.name for line in lines):
            continue
        drawn, whole = [], []
        for seed in range(RULES_DRAWS):
            of = find_problem(problem.name, told_apart=0, data_seed=seed)
            traces = of.training_set().traces
            drawn.append(_rules_shown(problem.agent, traces))
            enough = problem.name in PAPER or drawn[-1] == problem.agent.rule_count
            both = None if enough else joined(traces, of.candidates())
            whole.append(_rules_shown(problem.agent, both) if both else drawn[-1])
        rules = problem.agent.rule_count
        lines.append({"task": problem.name, "rules": rules, "drawn": drawn, "learnt": whole})
        with held.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(lines[-1])}\n")
    print("| task | rules | draws that show all | sets that are learnt from |\n|---|---|---|---|")
    for line in lines:
        counts = (sum(n == line["rules"] for n in line[kind]) for kind in ("drawn", "learnt"))
        each = " | ".join(f"{n} of {RULES_DRAWS}" for n in counts)
        print(f"| {line['task']} | {line['rules']:,} | {each} |")


def _rules_shown(agent: Agent, traces: TraceSet) -> int:
    return len(np.unique(replayed_states(agent, traces).astype(np.int64) * len(agent.alphabet) + traces.x))


def thin(path: str) -> None:
    """The thin places of random draws, beside candidates that do not change with the draw."""

    def count(problem: TaskProblem, seed: int) -> Record:
        assert problem.sampling is not None
        drawn = sample_traces(problem.agent, replace(problem.sampling, data_seed=seed))
        return {"examples": len(drawn), "steps": drawn.tokens, **_thin(problem, drawn)}

    _record(Path(path), ((problem, seed) for problem in tasks() for seed in DRAWS), count)


def train(path: str) -> None:
    """Random sets of several sizes: thin places, and seeds proved."""

    def learn(problem: TaskProblem, seed: int) -> Record:
        size, short = SIZES[seed // 2 % len(SIZES)], seed % 2 == 0
        texts = sorted(problem.candidates().inputs, key=len)
        first = texts[: size // 2 if short else 0]
        order = np.random.default_rng(seed).permutation(np.arange(len(first), len(texts)))
        inputs = (*first, *(texts[i] for i in order[: size - len(first)].tolist()))
        given = find_problem(problem.name, inputs=inputs)
        about = {"examples": len(inputs), "short": short, **_thin(problem, given.training_set().traces)}
        with tempfile.TemporaryDirectory() as folder:
            learnt = dfst.learn(
                given,
                out=Path(folder, "run"),
                device="cpu",
                every_seed=True,
                seeds=SEEDS,
                steps=STEPS,
                digits=10,
            )
        proved = sum(outcome.strength == "proved" for outcome in learnt.outcomes)
        return {**about, "proved": proved, "of": SEEDS, "seconds": round(learnt.seconds)}

    every = ((find_problem(name), seed) for seed in DRAWS for name in QUICK)
    _record(Path(path), ((p, seed) for p, seed in every if isinstance(p, TaskProblem)), learn)


def _thin(problem: TaskProblem, traces: TraceSet) -> Record:
    """How many places are thin, and how many are never shown."""
    found = teaching(problem.agent, traces, problem.candidates())
    counts = found.shown.counts[tuple(found.thin.T)]
    never = int((counts == 0).sum())
    return {"thin": len(counts), "never": never, "places": int((found.possible.counts > 0).sum())}


def _record(
    path: Path, asked: Iterator[tuple[TaskProblem, int]], find: Callable[[TaskProblem, int], Record]
) -> None:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    done = {(one["task"], one["data_seed"]) for one in map(json.loads, lines)}
    for problem, seed in asked:
        if (problem.name, seed) not in done:
            record = {"task": problem.name, "data_seed": seed, **find(problem, seed)}
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(record)}\n")
            print(record, file=sys.stderr, flush=True)


def draw(path: str, picture: str) -> None:
    """Seeds proved against the share of places that are never shown, and how well the one tells the other."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "dfst"
    from matplotlib import pyplot as plt

    records = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    proved = np.array([one["proved"] / one["of"] for one in records])
    tasks = sorted({one["task"] for one in records})
    print(f"| examples | | {' | '.join(tasks)} |\n|---|---|{'---|' * len(tasks)}")
    for size, short in product(SIZES, (True, False)):
        of = [one for one in records if (one["examples"], one["short"]) == (size, short)]
        sums = ([sum(o[k] for o in of if o["task"] == t) for k in ("proved", "of")] for t in tasks)
        said = " | ".join(f"{right} of {seeds}" for right, seeds in sums)
        print(f"| {size} | {'half of them the shortest' if short else 'drawn at random'} | {said} |")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, key, words in zip(
        axes, ("thin", "never"), (f"told apart fewer than {TIMES} times", "never shown"), strict=True
    ):
        share = np.array([one[key] / one["places"] for one in records])
        for short, label in ((True, "half of them the shortest"), (False, "drawn at random")):
            of = np.array([one["short"] == short for one in records])
            jitter = np.random.default_rng(0).uniform(-0.02, 0.02, of.sum())
            axis.scatter(share[of], proved[of] + jitter, s=16, alpha=0.7, label=label)
            print(f"{key}, {label}: {of.sum()} sets, rank correlation {_spearman(share[of], proved[of]):.2f}")
        axis.set_xlabel(f"share of places {words}")
    axes[0].set_ylabel("seeds proved")
    axes[1].legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    """The correlation of ranks, ties in their middle."""

    def ranks(values: np.ndarray) -> np.ndarray:
        return np.array([(values < v).sum() + (values == v).sum() / 2 for v in values])

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


if __name__ == "__main__":
    {"sets": sets, "rules": rules, "thin": thin, "train": train, "draw": draw}[sys.argv[1]](*sys.argv[2:])
