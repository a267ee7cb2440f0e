"""A sweep in words: the short file a person writes, and the exact copy that its folder keeps.

    tasks: [add2, add3]
    learners: [dfst, gru]
    seeds: 8                     # 0 to 7; or a list of them
    recipes:                     # how a DFST is trained; `presets: [quick, paper]` is the short form
      quick:
      hot: {preset: quick, rate: 0.03}
    set: {iterations: 2000}      # for every trial whose learner knows it
    digits: [20, 100]            # lengths of a DFST's final evaluation

Every field but `tasks` may be left out; a field nobody knows is refused with the nearest one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dfst.errors import InputError, UnknownName
from dfst.experiments.rivals.registry import find_learner
from dfst.experiments.sweep.settings import OWN, settings
from dfst.experiments.sweep.trials import NamedRecipe, Sweep
from dfst.files import write_json
from dfst.formats.yaml_tree import Node, YamlReader
from dfst.learning.recipe import find_recipe

FORMAT = "dfst-sweep/1"
KEPT_AS = "sweep.json"
FIELDS = ("tasks", "learners", "presets", "recipes", "seeds", "set", "digits")
SAFE_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


@dataclass(frozen=True)
class Draft:
    """What was said of a sweep so far; what is empty was not said."""

    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    recipes: tuple[NamedRecipe, ...] = ()
    seeds: tuple[int, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)
    digits: tuple[int, ...] = ()

    def over(self, other: Draft) -> Draft:
        """This draft where it says something, the other where it does not; settings of both."""
        said = {name: value for name, value in vars(self).items() if value and name != "changes"}
        return replace(other, **said, changes={**other.changes, **self.changes})

    def finished(self) -> Sweep:
        """The sweep, with the usual values for what nobody said."""
        if not self.tasks:
            raise InputError("a sweep needs tasks, such as: dfst sweep --tasks add2 --seeds 4")
        learners = self.learners or (OWN,)
        for name in learners:
            find_learner(name)
        return Sweep(
            tasks=tuple(dict.fromkeys(map(_whole_path, self.tasks))),
            learners=tuple(dict.fromkeys(learners)),
            recipes=self.recipes or presets(["quick"]),
            seeds=tuple(dict.fromkeys(self.seeds)) or (0,),
            changes=settings(self.changes),
            digits=self.digits,
        )


def _whole_path(task: str) -> str:
    """A machine file by its whole path, so that the sweep can go on from another folder."""
    return str(Path(task).resolve()) if Path(task).is_file() else task


def presets(names: list[str]) -> tuple[NamedRecipe, ...]:
    """Presets as they are, each a recipe of its own name."""
    for name in names:
        find_recipe(name, "")
    return tuple(NamedRecipe(name, name) for name in dict.fromkeys(names))


def seed_range(count: int) -> tuple[int, ...]:
    if count < 1:
        raise InputError(f"seeds must be at least 1, found {count}")
    return tuple(range(count))


def read_file(path: Path) -> Draft:
    """The sweep a person wrote down."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"cannot read {path}: no such file; give a sweep file or --tasks") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path} ({error}); give a sweep file in UTF-8") from None
    return _Reader(str(path)).draft(text)


class _Reader(YamlReader):
    """Fields of a sweep file."""

    def draft(self, text: str) -> Draft:
        found = self.mapping(text)
        for name in found:
            if name not in FIELDS:
                raise InputError(f"{self.format}: {UnknownName('field', name, FIELDS)}")
        if "presets" in found and "recipes" in found:
            raise self.wrong(
                found["presets"], "expected presets or recipes, found both; name a preset's recipe"
            )
        try:
            return Draft(
                tasks=self._words(found, "tasks"),
                learners=self._words(found, "learners"),
                recipes=self._recipes(found),
                seeds=self._seeds(found),
                changes=self._changes(found),
                digits=tuple(self._number(node, "digits") for node in self._list(found, "digits")),
            )
        except InputError as error:
            known = str(error).startswith(self.format)
            raise (error if known else InputError(f"{self.format}: {error}")) from None

    def _list(self, found: Mapping[str, Node], name: str) -> list[Node]:
        """A list's items; a single value is a list of one."""
        node = found.get(name)
        if node is None:
            return []
        return node.items if node.kind == "sequence" else [node]

    def _words(self, found: Mapping[str, Node], name: str) -> tuple[str, ...]:
        return tuple(self.text(node, name) for node in self._list(found, name))

    def _number(self, node: Node, what: str) -> int:
        try:
            return int(self.text(node, what))
        except ValueError:
            raise self.wrong(node, f"{what}: expected a whole number, found {node.text!r}") from None

    def _seeds(self, found: Mapping[str, Node]) -> tuple[int, ...]:
        numbers = tuple(self._number(node, "seeds") for node in self._list(found, "seeds"))
        is_count = "seeds" in found and found["seeds"].kind == "scalar"
        return seed_range(numbers[0]) if is_count else numbers

    def _texts(self, node: Node, what: str) -> dict[str, str]:
        return {self.text(key, what): self.text(value, what) for key, value in self.pairs(node, what)}

    def _changes(self, found: Mapping[str, Node]) -> dict[str, str]:
        changes = self._texts(found["set"], "set") if "set" in found else {}
        settings(changes)
        return changes

    def _recipes(self, found: Mapping[str, Node]) -> tuple[NamedRecipe, ...]:
        if "recipes" not in found:
            return presets(list(self._words(found, "presets")))
        recipes = []
        for key, value in self.pairs(found["recipes"], "recipes"):
            name = self.text(key, "recipes")
            if not SAFE_NAME.fullmatch(name):
                raise self.wrong(key, f"expected a recipe's name of letters, digits, . _ + -, found {name!r}")
            changes = {} if value.is_empty else self._texts(value, name)
            preset = changes.pop("preset", name if value.is_empty else "quick")
            find_recipe(preset, "")
            recipes.append(NamedRecipe(name, preset, settings(changes)))
        return tuple(recipes)


def as_json(sweep: Sweep) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "tasks": list(sweep.tasks),
        "learners": list(sweep.learners),
        "recipes": [{"name": r.name, "preset": r.preset, "set": dict(r.changes)} for r in sweep.recipes],
        "seeds": list(sweep.seeds),
        "set": dict(sweep.changes),
        "digits": list(sweep.digits),
    }


def digest(sweep: Sweep) -> str:
    """A short name that belongs to this sweep alone."""
    return hashlib.sha256(json.dumps(as_json(sweep), sort_keys=True).encode()).hexdigest()[:8]


def keep(sweep: Sweep, folder: Path) -> None:
    """Write the sweep into its folder; refuse a folder that holds another one."""
    file, mine = folder / KEPT_AS, as_json(sweep)
    if not file.exists():
        write_json(file, mine)
        return
    held = as_json(read_kept(folder))
    for name, value in mine.items():
        if held[name] != value:
            raise InputError(
                f"{folder} holds another sweep ({name}: {_shown(held[name])}; asked for {_shown(value)}); "
                f"go on with --resume {folder} or give another --out"
            )


def read_kept(folder: Path) -> Sweep:
    """The sweep that a folder holds."""
    file = folder / KEPT_AS
    try:
        held = json.loads(file.read_text("utf-8"))
        if held["format"] != FORMAT:
            raise InputError(f"{file}: expected a sweep of format {FORMAT!r}, found {held['format']!r}")
        return Sweep(
            tasks=tuple(held["tasks"]),
            learners=tuple(held["learners"]),
            recipes=tuple(
                NamedRecipe(r["name"], r["preset"], tuple(sorted(r["set"].items()))) for r in held["recipes"]
            ),
            seeds=tuple(held["seeds"]),
            changes=tuple(sorted(held["set"].items())),
            digits=tuple(held["digits"]),
        )
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is no sweep: it has no {KEPT_AS}; give the folder of a sweep") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file} is damaged ({error!r}); start anew in another folder") from error


def _shown(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text or "none"
