"""The run folder: everything one training run was, is and became.

    config.json               the plan: task, sampling, recipe, seeds, data hash, versions
    traces.safetensors        the training set
    checkpoint.safetensors    the state of training, replaced atomically
    metrics.jsonl             a JSON object for each logging point
    seed-N.safetensors        the weights of each seed after training
    model.safetensors         the chosen weights
    proof.json                the proof about it, where there is one
    recording.jsonl           where there is no expert: all traces, those held out among them
    machine.json              the machine that was learnt from them
    report.json               what was measured at the end
    report.html, replay.html  the same for people

One process at a time holds the folder.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.files import hold_folder, write_atomically, write_json
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors
from dfst.model.weights import Shape
from dfst.train.state import TrainingState

STATE_ARRAYS = ("seeds", "theta", "first", "second", "norm", "slowdown", "good", "alive")
CHECKPOINT = TensorFormat(
    "dfst-checkpoint/2", "checkpoint", STATE_ARRAYS, ("iteration", "shape"), "remove it to start anew"
)


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config_file = self.path / "config.json"
        self.traces_file = self.path / "traces.safetensors"
        self.checkpoint_file = self.path / "checkpoint.safetensors"
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

    def read_config(self) -> dict[str, Any]:
        try:
            config = json.loads(self.config_file.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"{self.path} is not a run folder: it has no config.json; give the folder of a run"
            ) from None
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self.config_file} cannot be read as JSON ({error}); the folder is damaged"
            ) from error
        if not isinstance(config, dict):
            raise InputError(f"{self.config_file} must hold a JSON object; the folder is damaged")
        return config

    def write_config(self, config: dict[str, Any]) -> None:
        write_json(self.config_file, config)

    def write_checkpoint(self, state: TrainingState) -> None:
        """Save the state of training, all or nothing."""
        shape = state.shape
        metadata = {
            "iteration": str(state.iteration),
            "shape": f"{shape.symbols} {shape.motions} {shape.d}",
        }
        arrays = {name: getattr(state, name) for name in STATE_ARRAYS}
        write_tensors(self.checkpoint_file, CHECKPOINT, arrays, metadata)

    def read_checkpoint(self) -> TrainingState | None:
        """The saved state, or None where there is none yet."""
        if not self.checkpoint_file.exists():
            return None
        arrays, metadata = read_tensors(self.checkpoint_file, CHECKPOINT)
        try:
            shape = Shape(*(int(n) for n in metadata["shape"].split()))
            iteration = int(metadata["iteration"])
        except (ValueError, TypeError) as error:
            raise InputError(
                f"{self.checkpoint_file} is not a checkpoint ({error}); remove it to start anew"
            ) from error
        return TrainingState(shape, iteration=iteration, **{name: arrays[name] for name in STATE_ARRAYS})

    def append_metrics(self, record: dict[str, Any]) -> None:
        with open(self.metrics_file, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def read_metrics(self) -> list[dict[str, Any]]:
        """Every logging point; a line cut off by a crash is left out."""
        records = []
        if self.metrics_file.exists():
            for line in self.metrics_file.read_text("utf-8").splitlines():
                try:
                    records.append(json.loads(line))
                except ValueError:
                    continue
        return records

    def drop_metrics_after(self, iteration: int) -> list[dict[str, Any]]:
        """Forget logging points that a resumed run will make again; gives those that are kept."""
        kept = [record for record in self.read_metrics() if record["iteration"] <= iteration]
        write_atomically(self.metrics_file, "".join(json.dumps(record) + "\n" for record in kept))
        return kept
