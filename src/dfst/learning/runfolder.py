"""The run folder: everything one training run was, is and became.

    config.json               the plan: task, sampling, recipe, seeds, data hash, versions
    traces.safetensors        the training set
    checkpoint.safetensors    the state of training, replaced atomically
    metrics.jsonl             one JSON object a logging point
    seed-N.safetensors        the weights of each seed after training
    model.safetensors         the chosen weights
    proof.json                the proof about it, where there is one
    report.json               what was measured at the end

One process at a time: a lock, freed by the system when its holder dies.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from dfst.errors import InputError
from dfst.files import write_atomically, write_json
from dfst.learning.state import TrainingState
from dfst.model.weights import Shape

CHECKPOINT_FORMAT = "dfst-checkpoint/1"
STATE_ARRAYS = ("seeds", "theta", "first", "second", "good", "alive")


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def config_file(self) -> Path:
        return self.path / "config.json"

    @property
    def traces_file(self) -> Path:
        return self.path / "traces.safetensors"

    @property
    def checkpoint_file(self) -> Path:
        return self.path / "checkpoint.safetensors"

    @property
    def metrics_file(self) -> Path:
        return self.path / "metrics.jsonl"

    @property
    def model_file(self) -> Path:
        return self.path / "model.safetensors"

    @property
    def proof_file(self) -> Path:
        return self.path / "proof.json"

    @property
    def report_file(self) -> Path:
        return self.path / "report.json"

    def seed_file(self, seed: int) -> Path:
        return self.path / f"seed-{seed}.safetensors"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; refuse if another process does."""
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / ".lock", "a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                holder = lock.read().strip() or "unknown"
                raise InputError(
                    f"{self.path} is in use by another run (process {holder}); "
                    "wait for it or give another --out"
                ) from None
            lock.seek(0)
            lock.truncate()
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def exists(self) -> bool:
        return self.config_file.exists()

    def read_config(self) -> dict[str, Any]:
        try:
            config = json.loads(self.config_file.read_text("utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"{self.path} is no run folder: it has no config.json; give the folder of a run"
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
        tensors = {name: np.ascontiguousarray(getattr(state, name)) for name in STATE_ARRAYS}
        shape = state.shape
        metadata = {
            "format": CHECKPOINT_FORMAT,
            "iteration": str(state.iteration),
            "shape": f"{shape.symbols} {shape.motions} {shape.d}",
        }
        write_atomically(self.checkpoint_file, save_tensors(tensors, metadata))

    def read_checkpoint(self) -> TrainingState | None:
        """The saved state, or None where there is none yet."""
        try:
            data = self.checkpoint_file.read_bytes()
        except FileNotFoundError:
            return None
        try:
            tensors = load_tensors(data)
            metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
            if metadata["format"] != CHECKPOINT_FORMAT:
                raise InputError(f"{self.checkpoint_file}: unknown format {metadata['format']!r}")
            arrays = {name: tensors[name] for name in STATE_ARRAYS}
            shape = Shape(*(int(n) for n in metadata["shape"].split()))
            return TrainingState(shape, iteration=int(metadata["iteration"]), **arrays)
        except (SafetensorError, ValueError, KeyError) as error:
            raise InputError(
                f"{self.checkpoint_file} is no checkpoint ({error}); remove it to start anew"
            ) from error

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

    def drop_metrics_after(self, iteration: int) -> None:
        """Forget logging points that a resumed run will make again."""
        kept = [record for record in self.read_metrics() if record["iteration"] <= iteration]
        write_atomically(self.metrics_file, "".join(json.dumps(record) + "\n" for record in kept))
