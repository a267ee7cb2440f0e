"""One learner on one task from one seed, as `dfst compare` trains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.experiments.comparison.results import Result
from dfst.experiments.sweep.conduct import jobs_of
from dfst.experiments.sweep.trials import Sweep, check
from dfst.experiments.sweep.work import finished_result, work


def one_result(learner: str, task: str, folder: Path, seed: int = 0, **changes: Any) -> Result:
    """Trained and measured in a folder."""
    sweep = Sweep((task,), (learner,), seeds=(seed,), set=changes).complete()
    check(sweep)
    [job] = jobs_of(sweep, folder, device="cpu")
    line = work(job)
    if line["status"] == "failed":
        raise InputError(line["error"])
    return finished_result(job.folder)
