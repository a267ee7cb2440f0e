"""Traces that somebody recorded: the truth is in them alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.problems.problem import RECORDING, Case, Problem, TestSet, TrainingSet, about
from dfst.traces.recording import Recording, write_recording


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedProblem(Problem):
    """Recorded traces, some of them held out."""

    recording: Recording

    @property
    def may_err(self) -> bool:
        return self.recording.errors

    def place(self, trace: int) -> str:
        return f"line {self.recording.line(self.recording.shown[trace])}"

    def training_set(self) -> TrainingSet:
        traces = self.recording.traces.subset(self.recording.shown)
        open_steps = traces.tokens - int(traces.known.sum())
        unknown = f", {counted(open_steps, 'action')} unknown" if open_steps else ""
        lost = self.recording.lost
        cut = f", {counted(lost, 'step')} left out after a symbol that is not known" if lost else ""
        new = " ".join(self.alphabet[x] for x in np.setdiff1d(self.recording.traces.x, traces.x))
        unseen = f"; held-out traces alone read {new}, of which nothing is learnt" if new else ""
        return TrainingSet(traces, f"recorded{unknown}{cut}{unseen}")

    def tests(self, sizes: Sequence[int], seed: int, *, hard: bool = True) -> list[TestSet]:
        """The traces that were held out, if any, and those that were shown."""
        self.check_sizes(sizes)
        made = ((self.recording.held_out, "held-out traces"), (self.recording.shown, "training traces"))
        return [self._test(chosen, kind) for chosen, kind in made if chosen]

    def _test(self, chosen: Sequence[int], kind: str) -> TestSet:
        traces, role = self.recording.traces, "held out" if kind.startswith("held") else "shown"
        cases = []
        for i in chosen:
            where = f"line {self.recording.line(i)}" if self.recording.taught is None else kind[:-1]
            cases.append(Case(where, traces.inputs[i], role, traces[i]))  # type: ignore[arg-type]
        size = max((len(case.input) for case in cases), default=0)
        return TestSet(size, tuple(cases), kind, errors=self.recording.errors)

    def as_json(self) -> dict[str, Any]:
        return {"kind": "recording", "name": self.name}

    def save(self, folder: Path) -> None:
        traces = self.recording.traces
        every = [traces[i] for i in range(len(traces))]
        write_recording(folder / RECORDING, self.recording, every, self.recording.taught)


def recorded_problem(
    recording: Recording, allow_errors: bool | None = None, **settings: Any
) -> RecordedProblem:
    """The problem of recorded traces, which nobody can be asked for others."""
    if allow_errors:
        recording = replace(recording, errors=True)
    given = next((name for name, value in settings.items() if value), None)
    if given is not None:
        raise InputError(f"{given} asks an expert, and {recording.name} was only recorded; leave it out")
    example = recording.task.example if recording.task else next(iter(recording.traces.inputs), "")
    return RecordedProblem(**about(recording), example=example, called="the trace", recording=recording)
