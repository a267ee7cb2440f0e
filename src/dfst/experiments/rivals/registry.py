"""The learners by name, each imported only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from dfst.errors import MissingExtra, UnknownName
from dfst.experiments.rivals.assignment import Train

Needs = Literal["torch", "aalpy", ""]
EXTRAS = {"torch": "train", "aalpy": "compare"}


@dataclass(frozen=True)
class Learner:
    """Where a learner lives and what is said of it."""

    name: str
    module: str
    """The module in which its training function is."""
    title: str
    needs: Needs = "torch"
    timed: bool = True
    """Whether a wall-time budget can end its training."""
    tasks: tuple[str, ...] = ()
    """The tasks it is made for; empty for any."""
    function: str = "train"
    trained_digits: int | None = None
    """Digits of its longest example; None where it learns from the task's traces."""

    def load(self) -> Train:
        """Its training function."""
        try:
            train: Train = getattr(import_module(self.module), self.function)
        except ModuleNotFoundError as error:
            if self.needs and error.name and error.name.split(".")[0] == self.needs:
                raise MissingExtra(f"the learner {self.name}", self.needs, EXTRAS[self.needs]) from error
            raise
        return train


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("dfst", "dfst.experiments.rivals.dfst", "DFST, trained and polished", "", timed=False),
        Learner(
            "dfst-raw",
            "dfst.experiments.rivals.dfst",
            "DFST, trained only",
            "",
            timed=False,
            function="train_raw",
        ),
        Learner(
            "dfst-spectral",
            "dfst.experiments.rivals.dfst",
            "DFST, trained from the spectral solution",
            "",
            timed=False,
            function="train_from_spectral",
        ),
        Learner("elman", "dfst.experiments.rivals.elman", "Elman RNN"),
        Learner("lstm", "dfst.experiments.rivals.lstm", "LSTM"),
        Learner("gru", "dfst.experiments.rivals.gru", "GRU"),
        Learner("transformer", "dfst.experiments.rivals.transformer", "causal Transformer"),
        Learner("diagonal", "dfst.experiments.rivals.diagonal", "diagonal linear recurrence"),
        Learner(
            "diagonal-gated",
            "dfst.experiments.rivals.gated_diagonal",
            "diagonal recurrence, gated by its input",
        ),
        Learner(
            "neural-gpu",
            "dfst.experiments.rivals.neural_gpu.learner",
            "Neural GPU, examples up to 20 digits",
            tasks=("add2", "mult2"),
            trained_digits=20,
        ),
        Learner(
            "rpni", "dfst.experiments.rivals.state_merging", "state merging (RPNI)", "aalpy", timed=False
        ),
        Learner(
            "spectral", "dfst.experiments.rivals.spectral", "spectral learning (Hankel, SVD)", "", timed=False
        ),
    )
}


def find_learner(name: str) -> Learner:
    """The learner called `name`."""
    if name not in LEARNERS:
        raise UnknownName("learner", name, LEARNERS)
    return LEARNERS[name]
