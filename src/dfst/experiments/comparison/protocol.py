"""One learner, one task, one seed: trained in a folder of its own, and measured as every other.

Every learner of grid agents sees the traces of the plan that `dfst learn` follows. The folder keeps

    assignment.json       what was asked; another assignment is refused
    result.json           the outcome; once it is there, a call returns it at once
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import Assignment, OnProgress
from dfst.experiments.baselines.registry import find_learner
from dfst.experiments.comparison.measure import measure
from dfst.experiments.comparison.merging import merged_machine, merged_verdict
from dfst.experiments.comparison.result import Result, read_result
from dfst.experiments.comparison.tasks import plan_of
from dfst.experiments.settings import taken_by
from dfst.files import write_json
from dfst.files.plain import read_plain
from dfst.train.engines import Device, pick_device
from dfst.train.runfolder import RunFolder


def run_learner(
    learner: str,
    task: str,
    seed: int,
    folder: str | Path,
    *,
    device: str = "auto",
    digits: Sequence[int] = (),
    progress: OnProgress | None = None,
    **changes: Any,
) -> Result:
    """Train one learner on one task from one seed, measure it, and keep the result in `folder`.

    changes: settings of `dfst learn`, such as steps and data_seed
    """
    check(learner, task, seed, device, **changes)
    folder = Path(folder)
    asked = {"learner": learner, "task": task, "seed": seed, "set": changes}
    with RunFolder(folder).locked():
        _claim(folder, asked)
        file = folder / "result.json"
        if file.exists():
            return read_result(_read_object(file), str(file))
        where = pick_device(cast(Device, device))
        known = find_learner(learner)
        plan = plan_of(task, seed, known.preset, **changes)
        assignment = Assignment(plan, seed, folder, where, progress)
        trained = known.load()(assignment)
        merged = merged_verdict(merged_machine(trained, assignment), plan.problem.agent)
        result = measure(known.name, plan.problem, seed, where, trained, digits, merged)
        write_json(file, result.as_json())
    return result


def check(learner: str, task: str, seed: int, device: str, **changes: Any) -> str:
    """Refuse an assignment that cannot be carried out, before any work; the problem's name."""
    found, taken = find_learner(learner), taken_by(learner)
    if seed < 0:
        raise InputError(f"seed must not be negative, found {seed}")
    if device not in ("auto", "cpu", "cuda"):
        raise InputError(f"device must be auto, cpu or cuda, found {device!r}")
    for name in changes:
        if name not in taken:
            raise InputError(f"{learner} takes no {name}; leave it out")
    problem = plan_of(task, seed, found.preset, **changes).problem
    pick_device(cast(Device, device))
    found.load()
    return problem.name


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
        held = json.loads(read_plain(file, "give another folder"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read as JSON ({error}); give another folder") from error
    if not isinstance(held, dict):
        raise InputError(f"{file}: expected a JSON object, found {held!r:.40}; give another folder")
    return held
