"""dfst plot"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import tyro

from dfst.cli.arguments import OutFile, option
from dfst.cli.output import answer, check_place
from dfst.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dfst.machines.agent import Agent
    from dfst.model.weights import Weights
    from dfst.train.runfolder import RunFolder
    from dfst.viewer.plots.compare import LearningCurve


@dataclass(frozen=True)
class Plot:
    """Draw learning curves, how far seeds go, hidden states, the spectra of a model, or a machine as a graph.

    The kinds of figure:
      curves      training loss and RLG against iterations, for all seeds of a run,
                  or several runs side by side, as in the paper's appendix
      reach       how many seeds of a run with --every-seed go how far
      trajectory  the learnt states that a run visits, and the steps between them
      spectra     the eigenvalues of each A[x] against the unit circle; symbols with
                  the same ones share a picture
      machine     states and rules; of a model, those of the machine it became

    Examples:
      dfst plot runs/add2-long
      dfst plot runs/add2-3-digits runs/add2-5-digits -o lengths.pdf
      dfst plot runs/add2-100k runs/add2-500k runs/mult2-1m runs/mult2-3m
      dfst plot runs/add2-paper runs/add2-descent --kind reach -o reach.svg
      dfst plot add2 --kind trajectory --input 1011+111 -o hidden.svg
      dfst plot expert:add2 --kind machine -o adder.svg
    """

    of: Annotated[tuple[str, ...], tyro.conf.Positional, option("RUN [RUN …]")]
    """Run folders for curves and reach; for the other kinds, one subject."""
    kind: Literal["curves", "reach", "trajectory", "spectra", "machine"] = "curves"
    """What to draw."""
    input: Annotated[Union[str, None], option("TEXT")] = None  # noqa: UP007
    """The input whose trajectory is drawn; by default an example of the task."""
    out: OutFile = None
    """The file to write, .png, .svg or .pdf; by default KIND.png."""

    def execute(self) -> int:
        from dfst.viewer.plots import check_figure_name, save_figure

        if self.input is not None and self.kind != "trajectory":
            raise InputError(f"--input is for --kind trajectory, found --kind {self.kind}; leave it out")
        out = self.out or Path(f"{self.kind}.png")
        check_place(out)
        check_figure_name(out)
        save_figure(self._figure(), out)
        answer(str(out))
        return 0

    def _figure(self) -> Figure:
        from dfst.viewer.plots import (
            compared_curves,
            hidden_trajectory,
            learning_curves,
            machine_graph,
            reached,
            spectra,
        )

        if self.kind == "machine":
            return machine_graph(self._machine())
        if self.kind == "curves":
            runs = [learning_curve(Path(path)) for path in self._several()]
            if len(runs) > 1:
                return compared_curves(runs)
            return learning_curves(runs[0].metrics, runs[0].chosen, runs[0].name)
        if self.kind == "reach":
            return reached([learning_curve(Path(path)) for path in self._several()])
        model = self._model()
        if self.kind == "spectra":
            return spectra(model)
        text = self.input
        if text is None:
            text = model.task.example if model.task else ""
        return hidden_trajectory(model, text)

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
    from dfst.viewer.plots.compare import LearningCurve

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
