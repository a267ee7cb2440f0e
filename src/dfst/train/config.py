"""What a run folder was made with: the problem, the recipe and the sizes of the final evaluation."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.model.weights import Shape
from dfst.problems import Problem, problem_from_json
from dfst.traces.traceset import TraceSet
from dfst.train.fit import Fit
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder

FORMAT = "dfst-run/3"


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides the outcome of a run."""

    problem: Problem
    recipe: Recipe
    sizes: tuple[int, ...] = ()
    """Of the final evaluation; none: the problem's own"""

    def shape(self, traces: TraceSet) -> Shape:
        """Of a model with the recipe's hidden size, or with a dimension for each state of the problem."""
        size = self.recipe.hidden_size
        if not isinstance(size, int):
            size = self.problem.known_size or self.problem.hidden_size(None) or 1
        return Shape(len(traces.alphabet), len(traces.motions), size)

    def as_json(self, traces: TraceSet, fit: Fit | None = None) -> dict[str, Any]:
        """What config.json holds. traces: the training set; fit: how the hidden size was found."""
        return {
            "format": FORMAT,
            "problem": self.problem.as_json(),
            "recipe": asdict(self.recipe),
            "sizes": list(self.sizes),
            "fit": fit.as_json() if fit else None,
            "data": {"traces": len(traces), "tokens": traces.tokens, "sha256": traces.fingerprint},
            "versions": versions(),
        }


def read_config(path: str | Path, problem: Problem | None = None) -> RunConfig:
    """The configuration of a run folder. problem: where it is known better than the folder can tell."""
    config: Mapping[str, Any] = RunFolder(path).read_config()
    try:
        if config["format"] != FORMAT:
            raise InputError(f"{path}: expected a run of format {FORMAT!r}, found {config['format']!r}")
        known = problem or problem_from_json(config["problem"], Path(path))
        return RunConfig(known, Recipe(**config["recipe"]), tuple(config["sizes"]))
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{path} holds another configuration than this version writes ({error}); start anew"
        ) from error


def versions() -> dict[str, str]:
    """What the run was made with."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("dfst", "numpy", "numba", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
