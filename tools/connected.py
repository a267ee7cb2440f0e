"""What the examples of gradient descent alone must connect: sets that do and sets that do not, learnt.

RECORD=docs/research/records/connected.jsonl
python tools/connected.py learn $RECORD add2 10,12,14,20,28 105 106
python tools/connected.py learn $RECORD add2 10,12,14,20 106 112
python tools/connected.py learn $RECORD add2 10,14 112 116
python tools/connected.py learn $RECORD add2 told1,told2,told3,told5,soon1,soon2,soon3 105 106
python tools/connected.py learn $RECORD add2 20 103 104
python tools/connected.py change $RECORD
python tools/connected.py lower $RECORD                 # sets that are connected less far back
python tools/connected.py setting $RECORD state_noise=8 # what leaves something open, learnt with other noise
python tools/connected.py $RECORD                       # the table
python tools/connected.py count add10 225 0 3           # what draws show and connect, without training
python tools/connected.py count mod2 usual 0 1
python tools/connected.py errs RUN …   # of runs with --every-seed: where seeds err that are wrong

What is connected: `src/dfst/traces/connected.py`. `learn` trains four seeds by the preset `descent`, 50,000
steps, on the CPU, from so many examples, drawn as the paper draws them, or from those that tell everything
apart so often (told), or as soon as can be (soon), or the usual ones; data seeds from the first number to
below the second.
`change` trains them on the sets of the record with one thing changed: where something is unconnected, the
shortest inputs that show it are added; else examples are taken away, as few as can be, all those that show
one thing, so that something is unconnected and every rule is still used. `lower` takes examples away so that
sets are connected one, two or three rules back, and no further. `setting` trains on the drawn sets
that leave something unconnected, with the preset changed so. What the record holds is not done again.
`errs` tells of the first error of each run: where it comes, whether nothing connects that step, or one of the
two before it, with the way before, and whether the symbol read there is ever shown after that rule; of every
model of a run, as trained and merged; inputs of 3, 5, 10 and 100 digits, and the shortest.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from margins import followed
from numpy.typing import NDArray

from dfst.evaluation.evaluate import FINAL_SEED
from dfst.machines.agent import Agent
from dfst.model.weights import Weights, load_weights
from dfst.problems.find import find_problem
from dfst.problems.task import TaskProblem
from dfst.traces.connected import DEPTH
from dfst.traces.sample import record_all
from dfst.traces.teaching_set import NAMED, connecting, teaching
from dfst.traces.telling_apart import telling_apart
from dfst.traces.traceset import TraceSet, joined, load_traces
from dfst.train.engine_cpu import CpuEngine
from dfst.train.finish import weights_of
from dfst.train.prepare import training_set
from dfst.train.settings import configure, read_settings
from dfst.train.state import initial_state

SEEDS, STEPS = 4, 50_000
SHORT, LONG, SHORTEST = 30, 500, 1_500
"""Digits of the test: all its cases at the first, a random one and the repeated digits at the second. The
candidates are asked too, all inputs of the usual lengths."""
CHOSEN = {"told": "fewest", "soon": "soon", "pairs": "pairs"}


def shown_by(agent: Agent, traces: TraceSet) -> NDArray[np.bool_]:
    return telling_apart(agent, traces).counts[:, -len(agent.alphabet) :] > 0


def judged(problem: TaskProblem, traces: TraceSet) -> dict[str, Any]:
    """How far back a set connects everything, and what it leaves open there."""
    found = teaching(problem.agent, traces, problem.candidates())
    named = dict.fromkeys(place.what.removeprefix("that ") for place in found.unconnected(NAMED))
    return {"depth": found.depth, "unconnected": list(named)}


def learn(path: Path, task: str, kinds: list[str], draws: range) -> None:
    for data_seed in draws:
        for kind in kinds:
            about = {"task": task, "set": kind, "data_seed": data_seed, "change": ""}
            train(path, *training(about), about)


def change(path: Path) -> None:
    for line in [line for line in lines(path) if not line["change"]]:
        problem, traces = training(line)
        about = {name: line[name] for name in ("task", "set", "data_seed")}
        if line["depth"] == 0:
            added = connecting(problem.agent, traces, problem.candidates())
            said = "with " + ", ".join(added.inputs)
            train(path, problem, joined(traces, added), about | {"change": said})
        elif less := disconnected(problem, traces):
            some, (place, x) = less
            said = f"without those that show {named(problem.agent, place, x)}"
            train(path, problem, some, about | {"change": said})


def setting(path: Path, settings: list[str]) -> None:
    for line in [line for line in lines(path) if not line["change"]]:
        if line["depth"] == 0 and line["set"].isdigit():
            about = {name: line[name] for name in ("task", "set", "data_seed")}
            train(path, *training(line), about | {"change": " ".join(settings)}, **read_settings(settings))


def lower(path: Path) -> None:
    for line in [line for line in lines(path) if not line["change"] and line["depth"] == DEPTH]:
        problem, traces = training(line)
        about = {name: line[name] for name in ("task", "set", "data_seed")}
        for depth in range(1, DEPTH) if line["set"].isdigit() else ():
            said = f"without some, {depth} back"
            if some := lowered(problem, traces, depth):
                train(path, problem, some, about | {"change": said})


def lowered(problem: TaskProblem, traces: TraceSet, depth: int) -> TraceSet | None:
    """As many examples as can be that use every rule that all use, and connect everything so far back."""
    agent = problem.agent
    used = telling_apart(agent, traces).uses > 0
    each = [telling_apart(agent, traces.subset([i])).ways(depth + 1) for i in range(len(traces))]
    shown = {(int(ways.keys[way]), x) for ways in each for way, x in np.argwhere(ways.shown).tolist()}
    kept = {
        tuple(i for i, ways in enumerate(each) if not ways.shown[ways.keys == key, x].any())
        for key, x in shown
    }
    for rest in sorted(kept, key=lambda rest: (-len(rest), rest)):
        some = traces.subset(rest)
        lost = not rest or (used & (telling_apart(agent, some).uses == 0)).any()
        if not lost and teaching(agent, some, problem.candidates()).depth == depth:
            return some
    return None


def count(task: str, kinds: list[str], draws: range) -> None:
    print("| task | examples | data seed | pairs | never shown | connected, rules back |")
    print("|---" * 6 + "|")
    for data_seed in draws:
        for kind in kinds:
            problem, traces = training({"task": task, "set": kind, "data_seed": data_seed})
            possible = shown_by(problem.agent, problem.candidates())
            never = (possible & ~shown_by(problem.agent, traces)).sum()
            told = f"{possible.sum():,} | {never:,} | {judged(problem, traces)['depth']}"
            print(f"| {task} | {len(traces):,} | {data_seed} | {told} |", flush=True)


def errs(run: Path) -> None:
    problem = find_problem(json.loads((run / "config.json").read_text("utf-8"))["problem"]["name"])
    assert isinstance(problem, TaskProblem)
    agent, traces = problem.agent, load_traces(run / "traces.safetensors")
    tests = [
        case.input for digits in (3, 5, 10, 100) for case in problem.tests([digits], FINAL_SEED)[0].cases
    ]
    asked = record_all(agent, [*tests, *problem.candidates().inputs[:SHORTEST]])
    ways, open_ = teaching(agent, traces, asked).apart
    apart, shown = {(*ways.rules(way), x) for way, x in open_.tolist()}, shown_by(agent, traces)
    for path in sorted(run.glob("*.safetensors")):
        if not path.stem.startswith(("seed-", "model")):
            continue
        model, after, unseen = load_weights(path), Counter[str](), 0
        for i, (*_, wrong) in enumerate(followed(model, [asked[i] for i in range(len(asked))])):
            if wrong >= 0:
                steps = along(agent, asked[i].x[: wrong + 1].tolist(), ways.depth)
                near = [step for step in steps[-3:] if step in apart]
                unseen += not shown[steps[-1][-2:]]
                after[f"at {named(agent, *(near or steps)[-1][-2:])}{', elsewhere' * (not near)}"] += 1
        told = "; ".join(f"{n} {what}" for what, n in after.most_common(3))
        wrong = f"wrong on {after.total():,} of {len(asked):,}, {unseen:,} at a pair that is never shown"
        print(f"{run.name} {path.stem}: {wrong}: {told}", flush=True)


def along(agent: Agent, read: list[int], depth: int) -> list[tuple[int, ...]]:
    """Each step of a run: so many rules before it, as places, and what is read."""
    state, rules, steps = 0, list[int](), []
    for x in read:
        steps.append((*(rules[-depth:] or [agent.next.size]), x))
        rules.append(state * len(agent.alphabet) + x)
        state = int(agent.next[state, x])
    return steps


def training(about: dict[str, Any]) -> tuple[TaskProblem, TraceSet]:
    kind = about["set"]
    chosen, times = how_chosen(kind)
    how: dict[str, Any] = {"examples": CHOSEN[chosen], "told_apart": times} if chosen else {}
    if kind.isdigit():
        how = {"samples": int(kind), "told_apart": 0}
    config = configure(about["task"], "descent", data_seed=about["data_seed"], **how)
    assert isinstance(config.problem, TaskProblem)
    return config.problem, training_set(config.problem, config.recipe)


def how_chosen(kind: str) -> tuple[str, int]:
    """What a set's name says: a key of CHOSEN, and how often; nothing of sets that are drawn."""
    name = kind.rstrip("0123456789")
    return (name, int(kind.removeprefix(name))) if name in CHOSEN else ("", 0)


def disconnected(problem: TaskProblem, traces: TraceSet) -> tuple[TraceSet, tuple[int, int]] | None:
    """As many examples as can be that leave something unconnected and use every rule that all of them use,
    and what they do not show."""
    agent, found = problem.agent, []
    used = telling_apart(agent, traces).uses > 0
    each = [shown_by(agent, traces.subset([i])) for i in range(len(traces))]
    for place, x in np.argwhere(shown_by(agent, traces)).tolist():
        kept = [i for i in range(len(traces)) if not each[i][place, x]]
        if not kept:
            continue
        some = traces.subset(kept)
        lost = (used & (telling_apart(agent, some).uses == 0)).any()
        if not lost and judged(problem, some)["depth"] == 0:
            found.append((len(kept), -place, -x, some))
    if not found:
        return None
    _, place, x, some = max(found, key=lambda one: one[:3])
    return some, (-place, -x)


def train(path: Path, problem: TaskProblem, traces: TraceSet, about: dict[str, Any], **settings: Any) -> None:
    if any(about.items() <= line.items() for line in lines(path)):
        return
    config = configure(problem.name, "descent", seeds=SEEDS, steps=STEPS, **settings)
    shape = config.shape(traces)
    recipe = replace(config.recipe, hidden_size=shape.d).for_size(shape.d)
    state = initial_state(shape, recipe.seed_numbers, recipe.dtype)
    CpuEngine(shape, traces, recipe).advance(state, STEPS)
    models = [weights_of(theta, problem, traces.motions, shape.d) for theta in state.theta]
    line = about | {
        "steps": STEPS, "seeds": SEEDS, "examples": len(traces),
        **judged(problem, traces), "right": right(problem, models),
    }  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def right(problem: TaskProblem, models: list[Weights]) -> int:
    """How many models do what the expert does in every step of the test."""
    short, long = (problem.tests([digits], FINAL_SEED)[0].cases for digits in (SHORT, LONG))
    cases = [*short, long[0], *(case for case in long if case.role == "repeated")]
    texts = [*problem.candidates().inputs, *(case.input for case in cases)]
    traces = [problem.agent.trace_compiled(text) for text in texts]
    return sum(all(step < 0 for *_, step in followed(model, traces)) for model in models)


def named(agent: Agent, place: int, x: int) -> str:
    q, a = divmod(place, len(agent.alphabet))
    state = agent.states[agent.next[q, a] if q < len(agent.states) else 0]
    entry = f"({agent.states[q]}, {agent.alphabet[a]})" if q < len(agent.states) else "the start"
    return f"{entry}, then ({state}, {agent.alphabet[x]})"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


CHANGES = {
    "without those": ", but what connects",
    "without some": ", less",
    "with": ", and what was to connect",
}


def table(path: Path) -> list[str]:
    """Sets by how they were made, and how far back everything is connected in them."""
    rows = ["| task | examples | connected, rules back | sets | seeds right, of four, set by set |"]
    rows.append("|---" * 5 + "|")

    def kind(line: dict[str, Any]) -> tuple[str, str, str, int]:
        change = next((said for said in CHANGES if line["change"].startswith(said)), line["change"])
        return line["task"], line["set"] if how_chosen(line["set"])[0] else "", change, line["depth"]

    for (task, chosen, change, depth), same in groupby(sorted(lines(path), key=kind), kind):
        some = list(same)
        counts = sorted(line["right"] for line in some)
        sizes = sorted({line["examples"] for line in some})
        said = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        said += ", {} {}".format(*how_chosen(chosen)) if chosen else ", drawn"
        said += CHANGES.get(change, f", {change}" if change else "")
        back = f"{depth} or more" if depth == DEPTH else depth
        rows.append(f"| {task} | {said} | {back} | {len(counts)} | {' '.join(map(str, counts))} |")
    return rows


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["learn", record, task, kinds, first, after]:
            learn(Path(record), task, kinds.split(","), range(int(first), int(after)))
        case ["count", task, kinds, first, after]:
            count(task, kinds.split(","), range(int(first), int(after)))
        case ["change", record]:
            change(Path(record))
        case ["lower", record]:
            lower(Path(record))
        case ["errs", *runs]:
            for run in runs:
                errs(Path(run))
        case ["setting", record, *settings]:
            setting(Path(record), settings)
        case [record]:
            print(*table(Path(record)), sep="\n")
        case _:
            print(__doc__)
