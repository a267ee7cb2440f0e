"""The learners by name, each imported only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from dfst.errors import MissingExtra, UnknownName
from dfst.experiments.rivals.assignment import Train

Needs = Literal["torch", "aalpy", ""]
EXTRAS = {"torch": "train", "aalpy": "compare"}


@dataclass(frozen=True)
class Learner:
    """Where a learner lives and what is said of it."""

    name: str
    title: str
    module: str
    """The module of this package in which its training function is."""
    function: str = "train"
    needs: Needs = "torch"
    timed: bool = True
    """Whether a wall-time budget can end its training."""
    tasks: tuple[str, ...] = ()
    """The tasks it is made for; empty for any."""
    trained_digits: int | None = None
    """Digits of its longest example; None where it learns from the task's traces."""

    def load(self) -> Train:
        """Its training function."""
        try:
            train: Train = getattr(import_module(f"dfst.experiments.rivals.{self.module}"), self.function)
        except ModuleNotFoundError as error:
            if self.needs and error.name and error.name.split(".")[0] == self.needs:
                raise MissingExtra(f"the learner {self.name}", self.needs, EXTRAS[self.needs]) from error
            raise
        return train


UNTIMED: dict[str, Any] = {"needs": "", "timed": False}
LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("dfst", "DFST, trained and polished", "dfst", **UNTIMED),
        Learner("dfst-raw", "DFST, trained only", "dfst", "train_raw", **UNTIMED),
        Learner(
            "dfst-spectral",
            "DFST, trained from the spectral solution",
            "dfst",
            "train_from_spectral",
            **UNTIMED,
        ),
        Learner("elman", "Elman RNN", "recurrent", "train_elman"),
        Learner("lstm", "LSTM", "recurrent", "train_lstm"),
        Learner("gru", "GRU", "recurrent", "train_gru"),
        Learner("transformer", "causal Transformer", "transformer"),
        Learner("diagonal", "diagonal linear recurrence", "diagonal"),
        Learner("diagonal-gated", "diagonal recurrence, gated by its input", "gated_diagonal"),
        Learner(
            "neural-gpu",
            "Neural GPU, examples up to 20 digits",
            "neural_gpu.learner",
            tasks=("add2", "mult2"),
            trained_digits=20,
        ),
        Learner("rpni", "state merging (RPNI)", "state_merging", needs="aalpy", timed=False),
        Learner("spectral", "spectral learning (Hankel, SVD)", "spectral", **UNTIMED),
    )
}


def find_learner(name: str) -> Learner:
    """The learner called `name`."""
    if name not in LEARNERS:
        raise UnknownName("learner", name, LEARNERS)
    return LEARNERS[name]
