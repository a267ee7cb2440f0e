"""How busy an evaluation keeps the cores: inputs handed out singly, beside groups of four at a time.

A core is busy while a run is on it; the rest of the time it waits for others to end. Both ways make the same
runs, in turns, and the shortest turn of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from os import cpu_count

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.bench.turns import Row
from dfst.evaluation.length import evaluate
from dfst.evaluation.subject import weights_of_subject
from dfst.rollout.compiled import Rollout
from dfst.world.grid import Limits
from dfst.world.run import Run

GROUP = 4
DIGITS = {"add2": 1500, "add10": 700, "mult2": 400, "mult10": 200}


class Watched:
    """A rollout whose runs are added up. group: inputs at a time; 0 for all."""

    def __init__(self, rollout: Rollout, group: int) -> None:
        self.rollout, self.group, self.busy = rollout, group, 0.0

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> Iterator[Run]:
        for first in range(0, len(texts), self.group or len(texts)):
            for run in self.rollout.run_each(texts[first:][: self.group or None], limits, against):
                self.busy += run.seconds
                yield run


def row(
    task: str, digits: int, inputs: int, singly: tuple[float, float], grouped: tuple[float, float]
) -> Row:
    """Seconds of an evaluation, and the share of them that a core was busy, each way."""
    return {
        "task": task,
        "digits": digits,
        "inputs": inputs,
        "seconds": singly[0],
        "idle": 1 - singly[1],
        "seconds in fours": grouped[0],
        "idle in fours": 1 - grouped[1],
    }


def measure(task: str, digits: int = 0, repeats: int = 3) -> Row:
    """Evaluate an expert's exact model."""
    agent, digits = expert(task), digits or DIGITS[task]
    rollout = Rollout(weights_of_subject(agent))
    evaluate(rollout, task, agent, 1)
    best: dict[int, tuple[float, float]] = {}
    inputs = 0
    for _ in range(repeats):
        for group in (0, GROUP):
            watched = Watched(rollout, group)
            began = time.perf_counter()
            inputs = evaluate(watched, task, agent, digits).inputs
            seconds = time.perf_counter() - began
            turn = (seconds, watched.busy / (seconds * (cpu_count() or 1)))
            best[group] = min(best.get(group, turn), turn)
    return row(task, digits, inputs, best[0], best[GROUP])
