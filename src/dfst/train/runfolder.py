"""The run folder: everything one training run was, is and became.

One process at a time holds the folder. Every file is checked where it is read, here: its checksum, and
whether shapes, types and ranges are such as were written. A damaged one is named, with what is lost and what
to do. docs/reference/files.md lists the files.
"""

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from dfst.counted import counted
from dfst.errors import InputError
from dfst.files import hold_folder, write_atomically
from dfst.files.plain import MOST_BYTES
from dfst.files.sealed import Damaged, read_sealed, sealed, unsealed, write_sealed
from dfst.files.tensors import LONGEST_HEADER, TensorFormat, read_tensors, write_tensors
from dfst.model.weights import Shape, Weights, load_weights
from dfst.train.state import ARRAYS, TrainingState

CHECKPOINT = TensorFormat(
    "dfst-checkpoint/3", "checkpoint", ARRAYS, ("iteration", "shape", "device"),
    "remove it to train again from step 0", sealed=True, most_bytes=1 << 34,
)  # fmt: skip
CONFIG = {
    "format": str, "problem": dict, "recipe": dict, "sizes": [int], "every_seed": bool, "device": str,
    "loggers": [str], "own_start": bool,
    "data": {"sha256": str, "recording": (str, None)},
}  # fmt: skip
LINE = {"iteration": int, "loss": [(float, None)]}  # of metrics.jsonl, whichever learner wrote it
REPORT = {
    "agent": str,
    "strength": str,
    "exact": bool,
    "seconds": float,
    "device": str,
    "candidates": [{"strength": str, "measured": [{"digits": int, "right": bool}], "reach": (int, None)}],
    "evaluation": [{"digits": int, "margin": (float, None), "failures": list}],
}


class RunFolder:
    """Paths and files of one run. tell: takes what is said of files that are damaged, but not needed"""

    def __init__(self, path: str | Path, tell: Callable[[str], object] = lambda text: None) -> None:
        self.path, self.tell = Path(path), tell
        self.config_file = self.path / "config.json"
        self.traces_file = self.path / "traces.safetensors"
        self.checkpoint_file = self.path / "checkpoint.safetensors"
        self.older_checkpoint_file = self.path / "checkpoint.older.safetensors"
        self.metrics_file = self.path / "metrics.jsonl"
        self.model_file = self.path / "model.safetensors"
        self.machine_file = self.path / "machine.json"
        self.proof_file = self.path / "proof.json"
        self.report_file = self.path / "report.json"
        self.report_page = self.path / "report.html"
        self.replay_page = self.path / "replay.html"

    def seed_file(self, seed: int) -> Path:
        return self.path / f"seed-{seed}.safetensors"

    def locked(self, patience: float = 0.0) -> AbstractContextManager[None]:
        """Hold the folder; refuse if another process does."""
        return hold_folder(self.path, patience)

    def exists(self) -> bool:
        return self.config_file.exists()

    @property
    def again(self) -> str:
        """How to have a file at the end of a run written again."""
        return f"write it again: dfst learn --resume {self.path}"

    def read_config(self) -> dict[str, Any]:
        if not self.exists():
            raise InputError(
                f"{self.path} is not a run folder: it has no config.json; give the folder of a run"
            )
        left = f"; its model can be used: {self.model_file}" if self.model_file.exists() else ""
        return read_sealed(self.config_file, CONFIG, f"the run cannot go on{left}")

    def write_config(self, config: dict[str, Any]) -> None:
        write_sealed(self.config_file, config)

    def read_report(self) -> dict[str, Any]:
        """What was measured at the end of a finished run."""
        return read_sealed(self.report_file, REPORT, self.again)

    def write_report(self, report: dict[str, Any]) -> None:
        write_sealed(self.report_file, report)

    def read_weights(self, file: Path) -> Weights:
        """A model at the end of a finished run."""
        try:
            return load_weights(file)
        except Damaged as error:
            raise Damaged(f"{error}; {self.again}") from error

    def write_checkpoint(self, state: TrainingState) -> None:
        """Save the state of training, all or nothing; the one before it stays beside it."""
        shape = state.shape
        metadata = {
            "iteration": str(state.iteration),
            "shape": f"{shape.symbols} {shape.motions} {shape.d}",
            "device": state.device,
        }
        arrays = {name: getattr(state, name) for name in ARRAYS}
        write_tensors(self.checkpoint_file, CHECKPOINT, arrays, metadata, self.older_checkpoint_file)

    def read_checkpoint(self, like: TrainingState | None = None, steps: int = 0) -> TrainingState | None:
        """The newest saved state that is whole, None where there is none yet.

        like: how the training began; the state must be one of it, after so many steps at most
        """
        files = [file for file in (self.checkpoint_file, self.older_checkpoint_file) if file.exists()]
        refused: InputError | None = None
        for file in files:
            try:
                state = _state_in(file, like, steps)
            except InputError as error:
                refused = refused or error
                continue
            if refused:
                said = str(refused).removesuffix(f"; {CHECKPOINT.advice}")
                self.tell(f"warning: {said}; going on from the one before it, step {state.iteration:,}")
            os.replace(file, self.checkpoint_file)
            return state
        if refused:
            raise refused
        return None

    def append_metrics(self, record: dict[str, Any]) -> None:
        with open(self.metrics_file, "a", encoding="utf-8") as file:
            file.write(json.dumps(sealed(record)) + "\n")

    def read_metrics(self, kind: dict[str, Any] = LINE) -> list[dict[str, Any]]:
        """Every logging point. Damaged lines are left out; one that a crash cut off is not worth a word."""
        if not self.metrics_file.exists():
            return []
        records: list[dict[str, Any]] = []
        readable = self.metrics_file.is_file() and self.metrics_file.stat().st_size <= MOST_BYTES
        lines = [b""] if not readable else self.metrics_file.read_bytes().split(b"\n")[:-1]
        for line in lines:
            try:
                record = unsealed(line, kind)
            except Damaged:
                continue
            if not records or records[-1]["iteration"] < record["iteration"]:
                records.append(record)
        if lost := len(lines) - len(records):
            told = f"{counted(lost, 'line')} of {self.metrics_file} {'is' if lost == 1 else 'are'} damaged"
            self.tell(f"warning: {told} and left out of the curve; the training is not affected")
        return records

    def drop_metrics_after(self, iteration: int, kind: dict[str, Any] = LINE) -> list[dict[str, Any]]:
        """Forget logging points that a resumed run will make again; gives those that are kept."""
        kept = [record for record in self.read_metrics(kind) if record["iteration"] <= iteration]
        write_atomically(self.metrics_file, "".join(json.dumps(sealed(record)) + "\n" for record in kept))
        return kept


def _state_in(file: Path, like: TrainingState | None, steps: int) -> TrainingState:
    """The state that a file holds, checked."""
    most = CHECKPOINT.most_bytes if like is None else sum(getattr(like, name).nbytes for name in ARRAYS)
    if file.stat().st_size > most + LONGEST_HEADER:
        raise InputError(f"{file} belongs to another configuration; {CHECKPOINT.advice}")
    arrays, metadata = read_tensors(file, CHECKPOINT)
    try:
        shape = Shape(*(int(n) for n in metadata["shape"].split()))
        iteration, device = int(metadata["iteration"]), metadata["device"]
        state = TrainingState(shape, iteration=iteration, device=device, **{n: arrays[n] for n in ARRAYS})
        wrong = state.misfit(like, steps) if like else None
    except (ValueError, TypeError, IndexError) as error:
        wrong = str(error)
    if wrong:
        raise InputError(f"{file} cannot be gone on from: {wrong}; {CHECKPOINT.advice}")
    return state
