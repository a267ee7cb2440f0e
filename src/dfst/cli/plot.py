"""dfst plot"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from dfst.cli.arguments import OutFile, option
from dfst.cli.output import answer, check_place
from dfst.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dfst.machines.agent import Agent
    from dfst.model.weights import Weights
    from dfst.train.runfolder import RunFolder
    from dfst.viewer.plots import LearningCurve


@dataclass(frozen=True)
class Plot:
    """Draw learning curves, how far seeds go, the spectra of a model, or a machine as a graph.

    The kinds of figure:
      curves      training loss and RLG against iterations, for all seeds of a run,
                  or several runs side by side, as in the paper's appendix
      reach       how many seeds of a run with --every-seed go how far
      spectra     the eigenvalues of each A[x] against the unit circle; symbols with
                  the same ones share a picture
      machine     states and rules; of a model, those of the machine it became

    Examples:
      dfst plot runs/add2-long
      dfst plot runs/add2-3-digits runs/add2-5-digits -o lengths.pdf
      dfst plot runs/add2-100k runs/add2-500k runs/mult2-1m runs/mult2-3m
      dfst plot runs/add2-paper runs/add2-descent --kind reach -o reach.svg
      dfst plot expert:add2 --kind machine -o adder.svg
    """

    of: Annotated[tuple[str, ...], tyro.conf.Positional, option("RUN [RUN …]")]
    """Run folders for curves and reach; for the other kinds, one subject."""
    kind: Literal["curves", "reach", "spectra", "machine"] = "curves"
    """What to draw."""
    out: OutFile = None
    """The file to write, .png, .svg or .pdf; by default KIND.png."""

    def execute(self) -> int:
        from dfst.viewer.plots import check_figure_name, save_figure

        out = self.out or Path(f"{self.kind}.png")
        check_place(out)
        check_figure_name(out)
        save_figure(self._figure(), out)
        answer(str(out))
        return 0

    def _figure(self) -> Figure:
        from dfst.viewer.plots import learning_curves, machine_graph, reached, spectra

        if self.kind == "machine":
            return machine_graph(self._machine())
        if self.kind == "spectra":
            return spectra(self._model())
        runs = [learning_curve(Path(path)) for path in self._several()]
        return learning_curves(runs) if self.kind == "curves" else reached(runs)

    def _several(self) -> tuple[str, ...]:
        if not self.of:
            raise InputError(f"plot --kind {self.kind} needs something to draw; try dfst plot runs/my-run")
        return self.of

    def _one(self) -> Agent | Weights:
        from dfst.subjects import resolve

        if len(self._several()) > 1:
            raise InputError(
                f"plot --kind {self.kind} takes one subject, found {len(self.of)}; draw them one by one"
            )
        return resolve(self.of[0])

    def _model(self) -> Weights:
        from dfst.model.weights import Weights

        subject = self._one()
        if not isinstance(subject, Weights):
            raise InputError(
                f"plot --kind {self.kind} takes a model, found the machine {self.of[0]}; try --kind machine, "
                f"or compiled:{subject.name}"
            )
        return subject

    def _machine(self) -> Agent:
        from dfst.api import extract
        from dfst.machines.agent import Agent

        subject = self._one()
        return subject if isinstance(subject, Agent) else extract(self.of[0])


def learning_curve(path: Path) -> LearningCurve:
    """What a run folder has logged."""
    from dfst.model.weights import load_weights
    from dfst.train.config import read_config
    from dfst.train.runfolder import RunFolder
    from dfst.viewer.plots import LearningCurve

    folder, config = RunFolder(path), read_config(path)
    problem, recipe, chosen = config.problem, config.recipe, None
    if folder.model_file.exists():
        chosen = recipe.seed_numbers.index(load_weights(folder.model_file).provenance.seed or 0)
    candidates = _candidates(folder) if problem.sizes else []
    return LearningCurve(
        path.resolve().name,
        folder.read_metrics(),
        chosen,
        recipe.steps,
        problem.name,
        problem.trained_size,
        [_furthest(candidate) for candidate in candidates],
        recipe.preset,
        max((report["digits"] for c in candidates for report in c.get("measured", [])), default=0),
    )


def _candidates(folder: RunFolder) -> list[dict[str, Any]]:
    """The final figures of each seed."""
    if not folder.report_file.exists():
        return []
    found: list[dict[str, Any]] = json.loads(folder.report_file.read_text("utf-8")).get("candidates", [])
    return found


def _furthest(candidate: dict[str, Any]) -> int | None:
    """The largest length that a seed's final figures show no failure at."""
    right = [report["digits"] for report in candidate.get("measured", []) if report["right"]]
    return max([*right, candidate.get("reach") or 0]) if candidate.get("measured") else None
