"""What a sweep or a comparison may change by NAME=VALUE, and for whom.

A DFST's trial takes every setting of `dfst learn`. The other learners keep their own recipes and take the
training set, the hidden size that sets their number of parameters, and the number of steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dfst.errors import InputError
from dfst.experiments.baselines.registry import find_learner
from dfst.train.settings import Running, read_settings
from dfst.train.settings import settings as known_settings

Settings = Mapping[str, Any]
OWN = "dfst"
"""The learner whose trials are ordinary `dfst learn` runs."""
OF_THE_SWEEP = {"preset": "presets", "seeds": "seeds", "first_seed": "seeds"}
"""What a trial has one of, decided by the sweep; with the option that decides it."""


def trial_settings(words: Iterable[str]) -> Settings:
    """NAME=VALUE words as values of the fields' types."""
    words = sorted(words)
    for name in (word.partition("=")[0] for word in words):
        if name in OF_THE_SWEEP:
            raise InputError(
                f"{name} is not a setting of a trial; the sweep itself says which: --{OF_THE_SWEEP[name]}"
            )
    return read_settings(words)


def taken_by(learner: str) -> set[str]:
    """The names that mean something to a learner."""
    settings = known_settings().items()
    known = {name: one for name, one in settings if name not in OF_THE_SWEEP and one.owner is not Running}
    if find_learner(learner).own:
        return set(known)
    data = {name for name, setting in known.items() if setting.of_data}
    return data | {"hidden_size"} | ({"steps"} if find_learner(learner).stepped else set())
