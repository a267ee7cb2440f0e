"""One learner, one task, one seed: trained in a folder of its own, and measured as every other.

Every learner of grid agents sees the traces of the plan that `dfst learn` follows. The folder keeps

    assignment.json       what was asked; another assignment is refused
    (checkpoints)         of the learner's own, so that a call on the same folder goes on
    result.json           the outcome; once it is there, a call returns it at once
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from dfst.errors import InputError
from dfst.experiments.comparison.measure import measure
from dfst.experiments.comparison.result import Result, read_result
from dfst.experiments.comparison.tasks import find_agent, parameters_of, plan_of
from dfst.experiments.rivals.assignment import Assignment, OnProgress
from dfst.experiments.rivals.registry import find_learner
from dfst.files import write_json
from dfst.learning.engines import Device, pick_device
from dfst.learning.runfolder import RunFolder


def run_learner(
    learner: str,
    task: str,
    seed: int,
    folder: str | Path,
    *,
    device: str = "auto",
    iterations: int | None = None,
    seconds: float | None = None,
    digits: Sequence[int] = (),
    progress: OnProgress | None = None,
) -> Result:
    """Train one learner on one task from one seed, measure it, and keep the result in `folder`."""
    check(learner, task, seed, device, iterations, seconds)
    folder = Path(folder)
    asked = {
        "learner": learner, "task": task, "seed": seed, "iterations": iterations, "seconds": seconds,
    }  # fmt: skip
    with RunFolder(folder).locked():
        _claim(folder, asked)
        file = folder / "result.json"
        if file.exists():
            return read_result(_read_object(file), str(file))
        where = pick_device(cast(Device, device))
        known = find_learner(learner)
        train = known.load()
        plan = plan_of(task, seed, known.preset)
        trained = train(
            Assignment(plan, seed, folder, where, iterations, seconds, progress, parameters_of(task))
        )
        result = measure(learner, plan.agent, seed, where, trained, digits)
        write_json(file, result.as_json())
    return result


def check(
    learner: str, task: str, seed: int, device: str, iterations: int | None, seconds: float | None
) -> None:
    """Refuse an assignment that cannot be carried out, before any work."""
    found = find_learner(learner)
    find_agent(task)
    if found.tasks and task not in found.tasks:
        raise InputError(f"{learner} learns {' and '.join(found.tasks)}, found {task}; give one of those")
    if seed < 0:
        raise InputError(f"seed must not be negative, found {seed}")
    if device not in ("auto", "cpu", "cuda"):
        raise InputError(f"device must be auto, cpu or cuda, found {device!r}")
    if iterations is not None and iterations < 1:
        raise InputError(f"iterations must be at least 1, found {iterations}")
    if iterations is not None and not found.stepped:
        raise InputError(f"{learner} takes no steps of training; leave out --iterations")
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds must be above 0 and finite, found {seconds:g}")
    if seconds is not None and not found.timed:
        raise InputError(f"{learner} takes no time budget; leave out --seconds")
    pick_device(cast(Device, device))
    found.load()


def _claim(folder: Path, asked: dict[str, object]) -> None:
    """Make the folder this assignment's, or refuse if it is another's."""
    note = folder / "assignment.json"
    if not note.exists():
        write_json(note, asked)
        return
    held = _read_object(note)
    for name, value in asked.items():
        if held.get(name) != value:
            raise InputError(
                f"{folder} holds a training with {name} {held.get(name)}, asked for {value}; "
                "give another folder"
            )


def _read_object(file: Path) -> dict[str, Any]:
    try:
        held = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as JSON ({error}); give another folder") from error
    if not isinstance(held, dict):
        raise InputError(f"{file}: expected a JSON object, found {held!r:.40}; give another folder")
    return held
