"""Settings by name: fields of the recipe and what decides the training set, read and checked in one place.

`--set NAME=VALUE` of learn, compare, sweep and bench, the keyword arguments of `dfst.learn` and the lines of
a sweep all come here. A field is documented once, where it is defined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from dfst.errors import InputError, UnknownName
from dfst.fields import field_docs, kinds_of, read_value
from dfst.problems import TrainingData, as_problem
from dfst.train.config import RunConfig
from dfst.train.recipe import Recipe, find_recipe

MEANT = {
    "lr": "learning_rate", "rate": "learning_rate", "epochs": "steps", "iterations": "steps",
    "d": "hidden_size", "n": "samples", "q": "max_digits", "seed": "first_seed",
}  # fmt: skip
"""What people call some of them elsewhere."""


@dataclass(frozen=True)
class Running:
    """How a run is carried out."""

    corrections: int = 0
    """As long as the model is known to err, at most so often: learn an input on which it does, and go on."""
    stop_after: float | None = None
    """Save and stop after this many seconds, with exit status 3; --resume continues."""
    logger: tuple[str, ...] = ()
    """Also log the training to tensorboard or wandb; the run folder has it as JSON lines in any case."""


@dataclass(frozen=True)
class Setting:
    """One field that can be set."""

    name: str
    type: Any
    default: Any
    doc: str
    owner: type  # the class that has it: Recipe, TrainingData or Running

    @property
    def of_data(self) -> bool:
        return self.owner is TrainingData

    @property
    def takes(self) -> str:
        return " or ".join(map(_takes, kinds_of(self.type)))

    def in_preset(self, preset: str) -> str:
        """Its value there, as people type it; empty where the problem decides."""
        value = getattr(find_recipe(preset), self.name, self.default)
        return "" if value in (None, ()) else str(value).lower()


@cache
def settings() -> dict[str, Setting]:
    """Every setting by name, in the order of their definition."""
    found = {}
    for owner in (Recipe, TrainingData, Running):
        docs, hints = field_docs(owner), get_type_hints(owner)
        for field in fields(owner):
            name, default = field.name, None if field.default is MISSING else field.default
            found[name] = Setting(name, hints[name], default, docs.get(name, ""), owner)
    del found["preset"]
    return found


def read_settings(words: Iterable[str]) -> dict[str, Any]:
    """NAME=VALUE words as values of the fields' types."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise InputError(f"--set takes NAME=VALUE, found {word!r}; --set help lists the names")
        setting = known_setting(name.strip())
        found[setting.name] = read_setting(setting, text.strip())
    return found


def known_setting(name: str) -> Setting:
    """The setting of that name, with a hint where there is none."""
    known = settings()
    plain = name.replace("-", "_")
    if plain in known:
        return known[plain]
    if plain in MEANT:
        raise InputError(f"unknown setting {name!r}: did you mean {MEANT[plain]}?")
    raise UnknownName("setting", name, known, listed="dfst learn --set help")


def configure(thing: object, preset: str = "quick", **changes: Any) -> RunConfig:
    """A problem, by name or as `as_problem` takes it, and the preset's recipe for it, with settings changed.

    What is None is left as it is.
    """
    data: dict[str, Any] = {}
    overrides: dict[str, Any] = {}
    for name, value in changes.items():
        setting = known_setting(name)
        if value is None:
            continue
        if setting.owner is Running:
            raise InputError(f"{setting.name} is a setting of dfst learn alone; leave it out")
        (data if setting.of_data else overrides)[setting.name] = value
    if "hidden_size" in overrides:
        data["bounded"] = False  # who gives a size knows that it will do
    if "path" in overrides:
        overrides.setdefault("steps", 0)  # as many as follow from the path
    problem = as_problem(thing, **data)
    return RunConfig(problem, replace(find_recipe(preset, problem.name), **overrides))


def settings_help() -> str:
    """Every setting with what it takes, what it means, and its value in the presets."""
    lines = []
    for setting in settings().values():
        quick, descent = setting.in_preset("quick"), setting.in_preset("descent")
        usual = (
            f" Default: {quick}" + f"; with descent: {descent}" * (descent != quick) + "." if quick else ""
        )
        lines.append(f"{setting.name}={setting.takes}\n    {setting.doc}{usual}")
    return "\n".join(lines)


def read_setting(setting: Setting, text: str) -> Any:
    """A text as the value of a field; of a field that holds several, those between commas."""
    if get_origin(setting.type) is tuple:
        return tuple(text.split(","))
    try:
        return read_value(setting.type, text)
    except ValueError:
        raise InputError(f"{setting.name} takes {setting.takes}, found {text!r}") from None


def _takes(kind: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    return names.get(kind, "texts with commas between them")
