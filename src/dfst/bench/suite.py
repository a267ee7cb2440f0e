"""The benchmarks by name, as tables: what `dfst bench` prints."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

from dfst.errors import InputError, MissingExtra
from dfst.paper import TASKS

What = Literal["all", "training", "rollouts", "simulation", "memory", "learning"]
Device = Literal["cpu", "cuda"]
Rows = list[dict[str, Any]]
Tell = Callable[[str], None]


def run_suite(
    what: What = "all", device: Device = "cpu", tell: Tell = lambda text: None
) -> list[tuple[str, Rows]]:
    """(title, rows) of each table asked for; every row of a table has the same keys."""
    if device == "cuda":
        if what not in ("all", "training"):
            raise InputError(f"--device cuda measures training only, found {what}; use: dfst bench training")
        return [("A training step on the GPU, in milliseconds", list(_gpu_training(tell)))]
    makers: dict[str, list[tuple[str, Callable[[Tell], Iterator[dict[str, Any]]]]]] = {
        "training": [("A training step on two cores, in milliseconds", _training)],
        "rollouts": [
            ("Closed loops on one core, in steps a second", _rollouts),
            ("Tables of experts on one core, in steps a second", _tables),
        ],
        "simulation": [("Machines on one core, in steps a second", _simulation)],
        "memory": [("The paper's longest test of addition, 25 inputs", _memory)],
        "learning": [("From nothing to a proved model, beside the paper's schedule, in seconds", _learning)],
    }
    chosen = list(makers) if what == "all" else [what]
    return [(title, list(rows(tell))) for name in chosen for title, rows in makers[name]]


def _training(tell: Tell) -> Iterator[dict[str, Any]]:
    training = _needing_torch("dfst.bench.training")
    for task in TASKS:
        tell(f"training {task} …")
        row, (loop, lstm) = training.measure(task), training.BARS[task]
        yield {
            "task": task,
            "d": row.d,
            "steps": row.steps,
            "ours": row.ours,
            "torch loop": row.loop,
            "torch LSTM": row.lstm,
            "over loop": row.over_loop,
            "bar": loop,
            "over LSTM": row.over_lstm,
            "LSTM bar": lstm,
            "passes": row.passes,
        }


def _rollouts(tell: Tell) -> Iterator[dict[str, Any]]:
    rollouts = _needing_torch("dfst.bench.rollouts")
    for task in rollouts.DIGITS:
        tell(f"closed loop of {task} …")
        row = rollouts.measure(task)
        yield {
            "task": task,
            "d": row.d,
            "computed": round(row.computed),
            "remembered": round(row.remembered),
            "torch loop": round(row.torch),
            "over loop": row.over_torch,
            "bar": rollouts.BARS.get(task),
            "passes": row.passes,
        }


def _tables(tell: Tell) -> Iterator[dict[str, Any]]:
    rollouts = _needing_torch("dfst.bench.rollouts")
    for task in rollouts.DIGITS:
        tell(f"expert:{task} …")
        row = rollouts.measure_table(task)
        yield {
            "expert": task,
            "states": row.states,
            "table": round(row.table),
            "plain Python": round(row.python),
            "over Python": row.over_python,
            "bar": rollouts.TABLE_BAR,
            "passes": row.passes,
        }


def _simulation(tell: Tell) -> Iterator[dict[str, Any]]:
    from dfst.bench import machines

    for agent, text, most_steps in machines.cases():
        tell(f"{agent.name} …")
        row = machines.measure(agent, text, most_steps)
        yield {
            "machine": row.machine,
            "steps": row.steps,
            "interpreted": round(row.interpreted),
            "generated": round(row.generated),
            "flat tape": None if row.flat_tape is None else round(row.flat_tape),
            "generated over interpreted": row.speedup,
            "compile seconds": row.compile_seconds,
            "cost of the plane": row.tiles_cost,
        }


def _memory(tell: Tell) -> Iterator[dict[str, Any]]:
    from dfst.bench.memory import DIGITS, SUBJECT, measure

    tell(f"evaluating {SUBJECT} at {DIGITS:,} digits …")
    yield measure().as_json()


def _learning(tell: Tell) -> Iterator[dict[str, Any]]:
    from dfst.bench.learning import TASKS, measure

    for task in TASKS:
        tell(f"learning {task} …")
        row = measure(task)
        yield {
            "task": task,
            "our steps": row.steps,
            "ours": row.ours,
            "strength": row.strength,
            "paper's steps": row.paper_steps,
            "paper's training": row.paper,
            "ratio": row.ratio,
            "passes": row.strength == "proved",
        }


def _gpu_training(tell: Tell) -> Iterator[dict[str, Any]]:
    from dfst.learning.engines import pick_device

    pick_device("cuda")
    training = _needing_torch("dfst.bench.training_gpu")
    for task in TASKS:
        tell(f"training {task} on the GPU …")
        row = training.measure(task)
        yield {
            "task": task,
            "d": row.d,
            "steps": row.steps,
            **{f"{seeds} seed{'s' if seeds > 1 else ''}": ms for seeds, ms in row.ours.items()},
            "torch loop": row.loop,
            "cuDNN LSTM": row.lstm,
            "scan": row.scan,
            "bar": training.BARS[task],
            "steps a second": round(max(row.steps_a_second.values())),
            "of the latency limit": row.of_limit,
            "passes": row.passes,
        }


def _needing_torch(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("this benchmark", "torch", "train") from error
