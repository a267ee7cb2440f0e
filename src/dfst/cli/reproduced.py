"""What `dfst reproduce` measures of the shipped models or, with --train, learns anew; one table for both.

Each training set of each task is a `dfst learn` of its own, in a folder of its own. Several share a GPU; a
CPU takes one after another. What is finished is read, what was broken off goes on, so the command can be
stopped and given again. `records.jsonl` holds a line for each run, from which the table is made.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from dfst.cli.output import answer, answer_json, console, stopped
from dfst.cli.tables import draw
from dfst.counted import counted
from dfst.evaluation.board import BOARD, DIGITS, Mode
from dfst.evaluation.evaluate import evaluate
from dfst.experiments.lines import JsonLines
from dfst.experts import expert
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Shape
from dfst.paper import TASKS
from dfst.problems import find_problem
from dfst.proof.verdict import SETTLED
from dfst.subjects import DESCENT, note, shipped
from dfst.train.engines import make_engine, pick_device
from dfst.train.recipe import find_recipe
from dfst.train.runfolder import RunFolder
from dfst.train.state import initial_state
from dfst.train.workers import GRACE_SECONDS

Found = dict[str, Any]  # a task's model as JSON: agent, evaluation, strength, exact, seconds, …
OUT = Path("runs/reproduce")
SHARING_A_GPU = 5  # runs at once on a GPU: polish and proof of one keep the cores busy while others train
RECORDS = "records.jsonl"
TRIED_SECONDS = 0.3  # how long the first steps of a task are timed


def measured(name: str, mode: Mode, descent: bool, tell: Callable[[str], None]) -> Found:
    """What the shipped model of a task does now."""
    weights = shipped(model := f"{name}{DESCENT}" if descent else name)
    if mode == "far" or not descent:
        weights = weights.astype(np.float64 if mode == "far" else np.float32)
    if name in BOARD:
        sizes = BOARD[name].lengths(mode == "quick")
    else:
        paper = TASKS[name].tested_digits
        sizes = (paper if descent and mode == "paper" else DIGITS[mode][name],)
    report = evaluate(Rollout(weights), find_problem(name), sizes, name=model, progress=tell)
    told = weights.provenance
    return {
        "agent": name,
        "evaluation": report.as_json(),
        "strength": f"{told.exact_seeds} seeds exact" if descent else told.strength,
        "exact": report.right,
        "seconds": report.seconds,
        "samples": weights.examples,
        "parameters": weights.shape.size,
    }


def table(rows: Mapping[str, Found], title: str) -> str:
    """A row for each model, with what others have published."""
    lines = [{"task": called, **_cells(found)} for called, found in rows.items()]
    below = note(line["for every length"] for line in lines)
    return draw(lines, title, below, prose=("task", "published"), spare=("seconds", "parameters"))


def _cells(found: Found) -> dict[str, str]:
    asked, name = found["evaluation"], found["agent"]
    margins = [m["margin"] for m in asked if m["margin"] is not None]
    sizes = {"examples": "samples", "parameters": "parameters"}
    if name in TASKS:
        gpu = TASKS[name].neural_gpu_rlg
        published = f"paper ≥ {TASKS[name].tested_digits:,}" + (f"; Neural GPU {gpu}" if gpu else "")
    else:
        published = BOARD[name].published or "–"
    return {
        **{heading: f"{found[key]:,}" for heading, key in sizes.items() if key in found},
        "right": " ".join(f"{'<' if m['failures'] else '≥'} {m['digits']:,}" for m in asked),
        "for every length": found["strength"],
        "smallest margin": f"{min(margins):.2g}" if margins else "–",
        "seconds": f"{found['seconds']:.0f}",
        "published": published,
    }


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
        rows = {run.called: {**found, "strength": _seeds_right(found)} for run, found in reports}
        answer(table(rows, f"Learnt anew by the preset {preset}"))
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
