"""The learners by name: ours, the package's baselines, and those that users bring.

One of a user's own is a function `train(Assignment) → Trained`, or a torch network (`network.Network`), which
is trained as ours are: `FILE.py:NAME`, or an entry point of the group `dfst.learners`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import cast

from dfst.errors import InputError, MissingExtra, UnknownName
from dfst.experiments.baselines.assignment import Train
from dfst.plugins import in_python_file, installed, is_python_file

GROUP = "dfst.learners"
EXTRAS = {"torch": "train", "aalpy": "compare", "pysat": "certify"}
"""What a learner may need → the extra that brings it."""


@dataclass(frozen=True)
class Learner:
    """Where a learner lives and what is said of it."""

    name: str
    title: str
    place: str
    """`module:name` in this package, `FILE.py:NAME`, or `GROUP:name` of an entry point"""
    needs: str = ""
    stepped: bool = True
    """Whether it trains step by step, as many as asked for."""
    preset: str = "quick"
    """The recipe that a DFST follows, and whose steps are a network's budget."""

    @property
    def own(self) -> bool:
        """Whether it is a DFST: then the recipe says how it is trained, and `learn` tells of it."""
        return self.place.startswith("dfst:")

    def load(self) -> Train:
        """Its training function."""
        module, _, name = self.place.partition(":")
        try:
            if is_python_file(self.place):
                hint = "name a network or a training function"
                found = in_python_file(self.place, "learner", callable, hint)
            elif module == GROUP:
                found = installed(GROUP)[name].load()
            else:
                found = getattr(import_module(f"dfst.experiments.baselines.{module}"), name)
            if isinstance(found, type):
                from dfst.experiments.baselines.network import train_network

                return partial(train_network, kind=found)
            return cast(Train, found)
        except ModuleNotFoundError as error:
            if self.needs and error.name and error.name.split(".")[0] == self.needs:
                raise MissingExtra(f"the learner {self.name}", self.needs, EXTRAS[self.needs]) from error
            raise


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("dfst-descent", "DFST, gradient descent alone", "dfst:train_raw", preset="descent"),
        Learner("dfst", "DFST, trained and polished", "dfst:train"),
        Learner("dfst-raw", "DFST, trained briefly, not polished", "dfst:train_raw"),
        Learner("lstm", "LSTM", "network:LSTM", "torch"),
        Learner("gru", "GRU", "network:GRU", "torch"),
        Learner("transformer", "causal Transformer", "transformer:Transformer", "torch"),
        Learner("edsm", "state merging by evidence (EDSM)", "state_merging:train", "aalpy", False),
        Learner("edsm-told", "EDSM, told the number of states", "state_merging:train_told", "aalpy", False),
        Learner("sat", "the fewest states, then rules (SAT)", "smallest:train", "pysat", False),
    )
}
RECORDED = {
    "dfst-spectral": "DFST, trained from the spectral solution",
    "elman": "Elman RNN",
    "diagonal": "diagonal linear recurrence",
    "diagonal-gated": "diagonal recurrence, gated by its input",
    "selective-dense": "selective dense state-space model",
    "delta-product": "products of Householder steps (DeltaProduct)",
    "permuted": "permutation–diagonal state-space model",
    "neural-gpu": "Neural GPU, examples up to 20 digits",
    "rpni": "state merging (RPNI)",
    "spectral": "spectral learning (Hankel, SVD)",
}
"""Learners of earlier versions, of which records are kept: name → title. They cannot be run any more, but for
two that are examples now."""


def title_of(name: str) -> str:
    return LEARNERS[name].title if name in LEARNERS else RECORDED.get(name, name)


def place_of(name: str) -> int:
    """Where a learner stands in tables."""
    names = [*LEARNERS, *RECORDED]
    return names.index(name) if name in names else len(names)


def find_learner(text: str) -> Learner:
    """The learner called so: one of ours, FILE.py:NAME, or one that an installed package names."""
    if text in LEARNERS:
        return LEARNERS[text]
    if is_python_file(text):
        name = text.rpartition(":")[2]
        return Learner(name, f"{name}, a learner of your own", text, needs="torch")
    if text in installed(GROUP):
        return Learner(text, f"{text}, of an installed package", f"{GROUP}:{text}")
    if text in ("selective-dense", "delta-product"):
        kind = "SelectiveDense" if text == "selective-dense" else "DeltaProduct"
        raise InputError(f"{text} is an example now; give examples/state_space.py:{kind}")
    if text in RECORDED:
        raise InputError(f"{text} can no longer be run; its records are kept: dfst compare")
    raise UnknownName("learner", text, {*LEARNERS, *installed(GROUP)}, listed="dfst compare --help")
