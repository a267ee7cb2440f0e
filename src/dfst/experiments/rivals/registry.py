"""The learners by name, each imported only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module

from dfst.errors import MissingExtra, UnknownName
from dfst.experiments.rivals.assignment import Train

EXTRAS = {"torch": "train", "aalpy": "compare"}
"""What a learner may need → the extra that brings it."""


@dataclass(frozen=True)
class Learner:
    """Where a learner lives and what is said of it."""

    name: str
    title: str
    place: str
    """`module:name` of its training function, or of its network, in this package."""
    needs: str = ""
    stepped: bool = True
    """Whether it trains step by step, as many as asked for."""
    timed: bool = False
    """Whether a wall-time budget can end its training."""
    tasks: tuple[str, ...] = ()
    """The tasks it is made for; empty for any."""
    trained_digits: int | None = None
    """Digits of its longest example; None where it learns from the task's traces."""
    preset: str = "quick"
    """The recipe that a DFST follows, and whose steps are a network's budget."""

    def load(self) -> Train:
        """Its training function."""
        module, _, name = self.place.partition(":")
        try:
            found = getattr(import_module(f"dfst.experiments.rivals.{module}"), name)
            if not isinstance(found, type):
                train: Train = found
                return train
            from dfst.experiments.rivals.training import train_network

            return partial(train_network, kind=found)
        except ModuleNotFoundError as error:
            if self.needs and error.name and error.name.split(".")[0] == self.needs:
                raise MissingExtra(f"the learner {self.name}", self.needs, EXTRAS[self.needs]) from error
            raise


def _network(name: str, title: str, place: str) -> Learner:
    return Learner(name, title, place, needs="torch", timed=True)


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("dfst-descent", "DFST, gradient descent alone", "dfst:train_raw", preset="descent"),
        Learner("dfst", "DFST, trained and polished", "dfst:train"),
        Learner("dfst-raw", "DFST, trained briefly, not polished", "dfst:train_raw"),
        Learner("dfst-spectral", "DFST, trained from the spectral solution", "dfst:train_from_spectral"),
        _network("elman", "Elman RNN", "recurrent:Elman"),
        _network("lstm", "LSTM", "recurrent:LSTM"),
        _network("gru", "GRU", "recurrent:GRU"),
        _network("transformer", "causal Transformer", "transformer:Transformer"),
        _network("diagonal", "diagonal linear recurrence", "diagonal:Diagonal"),
        _network("diagonal-gated", "diagonal recurrence, gated by its input", "diagonal:GatedDiagonal"),
        _network("selective-dense", "selective dense state-space model", "state_space:SelectiveDense"),
        _network("permuted", "permutation–diagonal state-space model", "state_space:Permuted"),
        _network("delta-product", "products of Householder steps (DeltaProduct)", "state_space:DeltaProduct"),
        Learner(
            "neural-gpu", "Neural GPU, examples up to 20 digits", "neural_gpu.learner:train",
            needs="torch", timed=True, tasks=("add2", "mult2"), trained_digits=20,
        ),
        Learner("rpni", "state merging (RPNI)", "state_merging:train", needs="aalpy", stepped=False),
        Learner(
            "edsm", "state merging by evidence (EDSM)", "state_merging:train_by_evidence",
            needs="aalpy", stepped=False,
        ),
        Learner("spectral", "spectral learning (Hankel, SVD)", "spectral:train", stepped=False),
    )
}  # fmt: skip


def find_learner(name: str) -> Learner:
    """The learner called `name`."""
    if name not in LEARNERS:
        raise UnknownName("learner", name, LEARNERS, listed="dfst compare --help")
    return LEARNERS[name]
