"""What a run folder was made with: the problem, the recipe, and the options that a resumed run keeps."""

import hashlib
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.files.plain import open_plain
from dfst.files.sealed import Damaged, check_format
from dfst.model.weights import Shape
from dfst.problems import Problem, problem_from_json
from dfst.problems.problem import RECORDING
from dfst.traces.traceset import TraceSet
from dfst.train.engines import Device
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder

FORMAT = "dfst-run/3"


@dataclass(frozen=True)
class Corrections:
    """Inputs on which earlier rounds of a run erred, and which became examples."""

    most: int  # how many there may be
    recipe: Recipe  # of every round, without the hidden size that was found for one of them
    added: tuple[str, ...] = ()  # so far

    @property
    def left(self) -> int:
        return self.most - len(self.added)


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides the outcome of a run."""

    problem: Problem
    recipe: Recipe
    sizes: tuple[int, ...] = ()  # of the final evaluation; none: the problem's own
    every_seed: bool = False  # whether every seed is proved or measured at the end
    device: Device = "auto"  # where it was to be trained
    loggers: tuple[str, ...] = ()  # where else its progress is logged
    corrections: Corrections | None = None  # none where nothing is to be corrected

    def shape(self, traces: TraceSet) -> Shape:
        """Of a model with the recipe's hidden size, or with a dimension for each state of the problem."""
        problem = self.problem
        size = self.recipe.hidden_size or problem.known_size or problem.hidden_size(None) or 1
        return Shape(len(traces.alphabet), len(traces.motions), size)

    def as_json(
        self, traces: TraceSet, recording: str | None = None, own_start: bool = False
    ) -> dict[str, Any]:
        """What config.json holds.

        traces: the training set; recording: the hash of the recording in
        the folder; own_start: whether it began from weights that only its checkpoint holds
        """
        return {
            "format": FORMAT,
            "problem": self.problem.as_json(),
            "recipe": asdict(self.recipe),
            "sizes": list(self.sizes),
            "every_seed": self.every_seed,
            "device": self.device,
            "loggers": list(self.loggers),
            "own_start": own_start,
            "corrections": asdict(self.corrections) if self.corrections else None,
            "data": {
                "traces": len(traces), "tokens": traces.tokens, "sha256": traces.fingerprint,
                "recording": recording,
            },
            "versions": versions(),
        }  # fmt: skip


def read_config(path: str | Path, problem: Problem | None = None) -> RunConfig:
    """The configuration of a run folder. problem: where it is known better than the folder can tell."""
    config: Mapping[str, Any] = RunFolder(path).read_config()
    try:
        check_format(config["format"], FORMAT, str(path), "start anew")
        if recording_hash(Path(path)) != config["data"]["recording"]:
            raise Damaged(f"{Path(path) / RECORDING} is damaged: its hash is another; the run cannot go on")
        return RunConfig(
            problem or problem_from_json(config["problem"], Path(path)), Recipe(**config["recipe"]),
            tuple(config["sizes"]), config["every_seed"], config["device"], tuple(config["loggers"]),
            _corrections(config.get("corrections")),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        raise InputError(
            f"{path} holds another configuration than this version writes ({error}); start anew"
        ) from error


def _corrections(found: Mapping[str, Any] | None) -> Corrections | None:
    """As a run folder holds them."""
    if found is None:
        return None
    return Corrections(found["most"], Recipe(**found["recipe"]), tuple(found["added"]))


def recording_hash(folder: Path) -> str | None:
    """Of the recording in a run folder, None where there is none."""
    file = folder / RECORDING
    if not file.exists():
        return None
    with open_plain(file, "start anew") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def versions() -> dict[str, str]:
    """What the run was made with."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("dfst", "numpy", "numba", "torch"):
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
