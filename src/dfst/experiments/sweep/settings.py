"""What a sweep may change, by name: `iterations=2000`, `rate=0.02`; of which type it is, and for whom.

A DFST's trial takes every number of its recipe and of its plan. The other learners keep their own recipes
and take a budget. Values come as text, from the command line and from files alike, and are read by the type
of the field they replace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args, get_type_hints

from dfst.errors import InputError, UnknownName
from dfst.experiments.rivals.registry import find_learner
from dfst.learning.plan import RENAMED
from dfst.learning.recipe import Recipe

Value = int | float | str
Settings = Mapping[str, Any]
"""Names and values, which are of type `Value`."""

OWN = "dfst"
"""The learner whose trials are ordinary `dfst learn` runs."""
OF_THE_SWEEP = {"preset": "presets", "seeds": "seeds", "first_seed": "seeds"}
"""What a trial has one of, decided by the sweep; with the option that decides it."""

RECIPE: dict[str, Any] = {n: t for n, t in get_type_hints(Recipe).items() if n not in OF_THE_SWEEP}
PLAN: dict[str, Any] = {"hidden_size": int, "samples": int, "max_digits": int, "data_seed": int}
BUDGET: dict[str, Any] = {"iterations": int, "seconds": float}
TYPES = {**RECIPE, **PLAN, **BUDGET}
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
READERS: dict[Any, tuple[Callable[[str], Value], str]] = {
    int: (int, "a whole number"),
    float: (float, "a number"),
    bool: (lambda text: TRUTHS[text.lower()], "true or false"),
}
"""Type → how a text becomes one, and what the text must be."""


def settings(pairs: Mapping[str, str]) -> Settings:
    """Values by the names of the fields they replace, read by their types."""
    return {name: _value(name, text) for name, text in sorted(pairs.items())}


def parse_assignments(words: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` words, as typed after --set."""
    pairs = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise InputError(f"--set takes NAME=VALUE, found {word!r}; try --set iterations=2000")
        pairs[name] = text
    return pairs


def taken_by(learner: str) -> set[str]:
    """The names that mean something to a learner."""
    if learner == OWN:
        return {*RECIPE, *PLAN}
    found = find_learner(learner)
    takes = {"iterations": found.stepped, "seconds": found.timed}
    return {name for name in BUDGET if takes[name]}


def _value(name: str, text: str) -> Value:
    if name in OF_THE_SWEEP:
        raise InputError(
            f"{name} is not a setting of a trial; the sweep itself says which: --{OF_THE_SWEEP[name]}"
        )
    if name in RENAMED:
        raise InputError(f"{name} is called {RENAMED[name]} now")
    if name not in TYPES:
        raise UnknownName("setting", name, TYPES)
    kind = TYPES[name]
    words = get_args(kind)
    if text in words:
        return text
    read, expected = READERS.get(kind, (words.index, " or ".join(words)))
    try:
        return read(text)
    except (KeyError, ValueError):
        raise InputError(f"{name} takes {expected}, found {text!r}") from None
