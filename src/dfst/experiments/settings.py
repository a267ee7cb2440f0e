"""What a sweep or a comparison may change by NAME=VALUE, and for whom.

A DFST's trial takes every setting of `dfst learn`. The other learners keep their own recipes and take the
training set, the hidden size that sets their number of parameters, and a budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dfst.errors import InputError
from dfst.experiments.baselines.registry import find_learner
from dfst.train.settings import known_setting, read_setting
from dfst.train.settings import settings as known_settings

Settings = Mapping[str, Any]
OWN = "dfst"
"""The learner whose trials are ordinary `dfst learn` runs."""
OF_THE_SWEEP = {"preset": "presets", "seeds": "seeds", "first_seed": "seeds"}
"""What a trial has one of, decided by the sweep; with the option that decides it."""
SECONDS = "seconds"
"""The time limit of a network, which no recipe has."""


def settings(words: Mapping[str, str]) -> Settings:
    """Values by the names of the fields they replace, read by their types."""
    found: dict[str, Any] = {}
    for name, text in sorted(words.items()):
        if name in OF_THE_SWEEP:
            raise InputError(
                f"{name} is not a setting of a trial; the sweep itself says which: --{OF_THE_SWEEP[name]}"
            )
        if name == SECONDS:
            try:
                found[name] = float(text)
            except ValueError:
                raise InputError(f"{SECONDS} takes a number, found {text!r}") from None
        else:
            setting = known_setting(name)
            found[setting.name] = read_setting(setting, text)
    return found


def parse_assignments(words: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE` words, as typed after --set."""
    for word in words:
        if "=" not in word:
            raise InputError(f"--set takes NAME=VALUE, found {word!r}; try --set steps=2000")
    return {name: text for name, _, text in (word.partition("=") for word in words)}


def taken_by(learner: str) -> set[str]:
    """The names that mean something to a learner."""
    known = {name for name in known_settings() if name not in OF_THE_SWEEP}
    if learner.startswith(OWN):
        return known
    found = find_learner(learner)
    data = {name for name in known if known_settings()[name].of_data} | {"hidden_size"}
    budget = {"steps": found.stepped, SECONDS: found.timed}
    return data | {name for name, taken in budget.items() if taken}
