"""`dfst reproduce --train`: all tasks of a table learnt anew, proved and measured.

Each training set of each task is a `dfst learn` of its own, in a folder of its own. Several share a GPU; a
CPU takes one after another. What is finished is read, what was broken off goes on, so the command can be
stopped and given again. `records.jsonl` holds a line for each run, from which the table is made.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from dfst.cli.output import answer, answer_json, console, stopped
from dfst.cli.reproduced import figures, published
from dfst.cli.tables import draw
from dfst.counted import counted
from dfst.evaluation.board import BOARD
from dfst.experiments.lines import JsonLines
from dfst.experts import expert
from dfst.model.weights import Shape
from dfst.problems import find_problem
from dfst.proof.verdict import SETTLED
from dfst.train.engines import make_engine, pick_device
from dfst.train.recipe import find_recipe
from dfst.train.runfolder import RunFolder
from dfst.train.state import initial_state
from dfst.train.workers import GRACE_SECONDS

OUT = Path("runs/reproduce")
SHARING_A_GPU = 5  # runs at once on a GPU: polish and proof of one keep the cores busy while others train
RECORDS = "records.jsonl"
TRIED_SECONDS = 0.3  # how long the first steps of a task are timed


class Children:
    """Commands under way, out of the terminal's reach: a signal comes to this process, which passes it on."""

    def __init__(self) -> None:
        self._lock, self._over = threading.Lock(), False
        self._running: list[subprocess.Popen[bytes]] = []

    def run(self, command: Sequence[str], out: IO[str] | int | None, err: IO[str] | None) -> int:
        """The exit status; that of a stopped command where none begins any more."""
        with self._lock:
            if self._over:
                return 128 + signal.SIGINT
            process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
            self._running.append(process)
        return process.wait()

    def stop(self) -> None:
        """Let each save and end; no other begins."""
        with self._lock:
            self._over = True
        until = time.monotonic() + GRACE_SECONDS
        for process in self._running:
            process.send_signal(signal.SIGINT)
        for process in self._running:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass(frozen=True)
class Run:
    """One task on one training set."""

    name: str
    data_seed: int | None
    folder: Path
    words: tuple[str, ...]
    """Of `dfst learn`"""

    @property
    def called(self) -> str:
        return self.name if self.data_seed is None else f"{self.name}, data seed {self.data_seed}"

    @property
    def report(self) -> dict[str, Any] | None:
        """What report.json says, once it is there."""
        folder = RunFolder(self.folder)
        return folder.read_report() if folder.report_file.exists() else None

    def learn(self, log: Path | None, children: Children) -> int:
        """Learn it, or go on; the exit status. log: what is told meanwhile; None: the terminal."""
        begun = RunFolder(self.folder).exists()
        words = ("--resume", str(self.folder)) if begun else (self.name, "--out", str(self.folder))
        command = [sys.executable, "-m", "dfst", "learn", *words, *(() if begun else self.words)]
        if log is None:
            return children.run(command, subprocess.DEVNULL, None)
        with log.open("a", encoding="utf-8") as told:
            return children.run(command, told, told)


def retrain(asked: Any, names: Sequence[str]) -> int:
    """Learn these tasks and print what became of them; 1 where one is not exact. asked: a `Reproduce`"""
    device, screen, out = pick_device(asked.device), console(), asked.out or OUT
    preset = "descent" if asked.descent else "quick"
    out.mkdir(parents=True, exist_ok=True)
    runs = [
        _planned(name, asked, preset, device, out, data_seed)
        for data_seed in (asked.data_seeds or (None,))
        for name in sorted(names, key=lambda name: -len(expert(name).states))
    ]
    at_once = SHARING_A_GPU if device == "cuda" else 1
    left = [run for run in runs if run.report is None]
    screen.print(f"{len(runs)} runs, {len(runs) - len(left)} of them learnt already, {at_once} at a time")
    if at_once == 1 and left:
        minutes = max(1, round(sum(_foretold(run.name, preset, asked.seeds) for run in left) / 60))
        told = counted(minutes, "minute") if minutes < 90 else f"{minutes / 60:.1f} hours"
        screen.print(
            f"training takes about {told} here, by a few steps of each task; "
            "polish, proof and figures come on top"
        )
    children = Children()

    def learnt(run: Run) -> tuple[Run, int]:
        if at_once == 1:
            screen.print(f"[bold]{run.called}[/bold]")
        return run, run.learn(None if at_once == 1 else out / f"{run.folder.name}.log", children)

    with ThreadPoolExecutor(at_once) as pool:
        try:
            for number, (run, status) in enumerate(pool.map(learnt, left), 1):
                found = run.report
                said = _seeds_right(found) if found else f"ended with status {status}"
                screen.print(f"{run.called}: {said}; {number} of {len(left)} done")
        except BaseException as error:
            children.stop()
            if not isinstance(error, KeyboardInterrupt):
                raise
            return stopped(f"; everything so far is saved in {out}. Go on with the same command")
    reports = [(run, found) for run in runs if (found := run.report)]
    records = [{"preset": preset, "data_seed": run.data_seed, **found} for run, found in reports]
    JsonLines(out / RECORDS).replace(records)
    if asked.json:
        answer_json(*(found for _, found in reports))
    else:
        lines = [
            {"task": run.called, **figures(found, _seeds_right(found)), "published": published(run.name)}
            for run, found in reports
        ]
        answer(draw(lines, f"Learnt anew by the preset {preset}", prose=("task", "published")))
    return 0 if len(reports) == len(runs) and all(found["exact"] for _, found in reports) else 1


def _foretold(name: str, preset: str, seeds: int | None) -> float:
    """Seconds that the training of a task takes on these cores, by the first steps of it."""
    problem = find_problem(name).with_settings(told_apart=0)
    traces, size = problem.training_set().traces, problem.known_size or len(expert(name).states)
    recipe = find_recipe(preset, name)
    recipe = replace(recipe, seeds=seeds or recipe.seeds).for_size(size)
    shape = Shape(len(traces.alphabet), len(traces.motions), size)
    state = initial_state(shape, recipe.seed_numbers, recipe.dtype)
    engine = make_engine("cpu", shape, traces, recipe)
    engine.advance(state, 1)
    count, began = 0, time.monotonic()
    while (spent := time.monotonic() - began) < TRIED_SECONDS:
        engine.advance(state, 1)
        count += 1
    return spent / count * recipe.steps


def _planned(name: str, asked: Any, preset: str, device: str, out: Path, data_seed: int | None) -> Run:
    words = ["--preset", preset, "--device", device]
    if name in BOARD:
        words += ["--digits", *map(str, BOARD[name].lengths(asked.quick))]
    if asked.seeds is not None:
        words += ["--seeds", str(asked.seeds), "--every-seed"]
    if data_seed is not None:
        words += ["--set", f"data_seed={data_seed}"]
    drawn = "" if data_seed is None else f"-{data_seed}"
    return Run(name, data_seed, out / f"{name}-{preset}{drawn}", tuple(words))


def _seeds_right(found: dict[str, Any]) -> str:
    """What is known of the chosen model, and how many seeds are proved, or, without a polish, right."""
    candidates = found["candidates"]
    proved = sum(candidate["strength"] in SETTLED for candidate in candidates)
    right = sum(candidate["right"] is True for candidate in candidates)
    told = f"{proved} of {len(candidates)} seeds proved" if proved else f"{right} of {len(candidates)} right"
    return f"{found['strength']}, {told}"
