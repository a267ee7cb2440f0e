"""Gradient descent alone with one of its ingredients left out.

python tools/ablation.py learn docs/research/records/ablation.jsonl add10 101 8 50000 cuda
python tools/ablation.py docs/research/records/ablation.jsonl       # the table

Task, data seed, seeds, steps, and where to train; WITHOUT says what is left out, one after the other. Each
seed then works four inputs of the paper's length: a random one and numbers of one repeated digit. What the
record holds is not done again.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal

from drift import drift_of
from last_steps import at_length, losses, middle

from dfst.train.engine_cpu import CpuEngine
from dfst.train.engines import make_engine
from dfst.train.finish import weights_of
from dfst.train.prepare import training_set
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure
from dfst.train.state import initial_state
from dfst.train.train import train

WITHOUT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "the stability penalty": {"stability": 0.0},
    "the penalty's floor": {"stability_floor": 0.0},
    "noise on the hidden state": {"state_noise": 0.0},
    "reweighting of rare steps": {"reweighting": 0.0},
    "clipping": {"gradient_clip": 0.0},
    "our averages of gradients (Adam's usual 0.9 and 0.999)": {"beta1": 0.9, "beta2": 0.999},
}


def learn(
    path: Path, task: str, data_seed: int, seeds: int, steps: int, device: Literal["cpu", "cuda"]
) -> None:
    known = recorded(path) if path.exists() else []
    for without, changed in WITHOUT.items():
        about = {"task": task, "data_seed": data_seed, "steps": steps, "seeds": seeds, "without": without}
        if not any(about.items() <= line.items() for line in known):
            found = measure(about, changed, device)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(about | found) + "\n")


def measure(about: dict[str, Any], changed: dict[str, Any], device: Literal["cpu", "cuda"]) -> dict[str, Any]:
    told = {name: about[name] for name in ("data_seed", "seeds", "steps")}
    config = configure(about["task"], "descent", **told, **changed)
    problem, traces = config.problem, training_set(config.problem, config.recipe)
    shape = config.shape(traces)
    recipe = replace(config.recipe, hidden_size=shape.d).for_size(shape.d)
    state = initial_state(shape, recipe.seed_numbers, recipe.dtype)
    engine = make_engine(device, shape, traces, recipe)
    with TemporaryDirectory() as folder:
        train(state, engine, recipe, RunFolder(Path(folder)))
    still = replace(recipe, learning_rate=1e-30, state_noise=0, stability=0, batch_size=len(traces))
    models = [weights_of(theta, problem, traces.motions, shape.d) for theta in state.theta]
    ended, drifts = losses(CpuEngine(shape, traces, still), state), [drift_of(model) for model in models]
    return {"losses": ended, "drifts": drifts} | at_length(problem, models)


def recorded(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def table(path: Path) -> list[str]:
    rows = ["| task, data seed, steps | without | right | margins, of the norm of h | drift | loss |"]
    rows.append("|---" * 6 + "|")
    lines = sorted(recorded(path), key=lambda line: (line["task"], list(WITHOUT).index(line["without"])))
    for task, group in groupby(lines, lambda line: line["task"]):
        for line in group:
            right = [margin for margin in line["margins"] if margin is not None]
            margins = f"{min(right):.2g}, {median(right):.2g}" if right else "–"
            rows.append(
                f"| {task}, {line['data_seed']}, {line['steps']:,} | {line['without']} "
                f"| {len(right)} of {line['seeds']} at {line['digits']:,} | {margins} "
                f"| {middle(line['drifts'])} | {middle(line['losses'])} |"
            )
    return rows


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["learn", record, task, data_seed, seeds, steps, ("cpu" | "cuda") as device]:
            learn(Path(record), task, int(data_seed), int(seeds), int(steps), device)
        case [record]:
            print(*table(Path(record)), sep="\n")
        case _:
            print(__doc__)
