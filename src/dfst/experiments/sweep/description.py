"""A sweep in words: the short file a person writes (docs/how-to/cluster.md, examples/sweep.yaml).

Its folder keeps the same, complete, as JSON. A field nobody knows is refused with the nearest one.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dfst.errors import InputError, UnknownName, placed
from dfst.experiments.sweep.trials import NamedRecipe, Settings, Sweep, presets, seed_range, trial_settings
from dfst.files import write_json
from dfst.files.plain import read_text
from dfst.machines.formats.yaml_tree import Node, read_mapping
from dfst.train.recipe import find_recipe
from dfst.train.runfolder import RunFolder

FORMAT = "dfst-sweep/2"
KEPT_AS = "sweep.json"
FIELDS = ("tasks", "learners", "presets", "recipes", "seeds", "set", "digits")
MOST_BYTES = 1 << 20  # of a sweep in words
SAFE_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


def read_file(path: Path) -> Sweep:
    """The sweep a person wrote down, or as much of it as they said."""
    advice = "give a sweep file or --tasks; a sweep goes on with --resume FOLDER"
    return _parse(read_text(path, advice, MOST_BYTES), str(path), FIELDS)


def read_kept(folder: Path) -> Sweep:
    """The sweep that a folder holds."""
    file = folder / KEPT_AS
    if not file.is_file():
        raise InputError(f"{folder} is not a sweep: it has no {KEPT_AS}; give the folder of a sweep")
    text = read_text(file, "start in another folder", MOST_BYTES)
    if f'"{FORMAT}"' not in text:
        raise InputError(f"{file} is damaged or of another version than {FORMAT}; start in another folder")
    return _parse(text, str(file), ("format", *FIELDS)).complete()


def keep(sweep: Sweep, folder: Path) -> None:
    """Write the sweep into its folder; refuse a folder that holds another one."""
    file, mine = folder / KEPT_AS, as_json(sweep)
    if not file.exists():
        if RunFolder(folder).exists():
            raise InputError(f"{folder} already holds a run of dfst learn; give another --out")
        write_json(file, mine)
        return
    held = as_json(read_kept(folder))
    for name, value in mine.items():
        if held[name] != value:
            old, new = (
                ", ".join(map(str, v)) or "none" if isinstance(v, list) else v for v in (held[name], value)
            )
            raise InputError(
                f"{folder} holds another sweep ({name}: {old}; asked for {new}); "
                f"go on with --resume {folder} or give another --out"
            )


def as_json(sweep: Sweep) -> dict[str, Any]:
    """The fields of a file that says it all."""
    return {
        "format": FORMAT,
        "tasks": list(sweep.tasks),
        "learners": list(sweep.learners),
        "recipes": {recipe.name: {"preset": recipe.preset, **recipe.changes} for recipe in sweep.recipes},
        "seeds": list(sweep.seeds),
        "set": dict(sweep.changes),
        "digits": list(sweep.digits),
    }


def digest(sweep: Sweep) -> str:
    """A short name that belongs to this sweep alone."""
    return hashlib.sha256(json.dumps(as_json(sweep), sort_keys=True).encode()).hexdigest()[:8]


def _parse(text: str, origin: str, fields: tuple[str, ...]) -> Sweep:
    try:
        found = read_mapping(text)
        for name in found:
            if name not in fields:
                raise UnknownName("field", name, fields)
        if "presets" in found and "recipes" in found:
            raise found["presets"].wrong("expected presets or recipes, found both; name a preset's recipe")
        seeds = _numbers(found, "seeds")
        is_count = "seeds" in found and found["seeds"].kind == "scalar"
        return Sweep(
            tasks=_words(found, "tasks"),
            learners=_words(found, "learners"),
            recipes=_recipes(found["recipes"]) if "recipes" in found else presets(_words(found, "presets")),
            seeds=seed_range(seeds[0]) if is_count else seeds,
            changes=_settings(_texts(found["set"], "set")) if "set" in found else {},
            digits=_numbers(found, "digits"),
        )
    except InputError as error:
        raise placed(origin, error) from None


def _words(found: Mapping[str, Node], name: str) -> tuple[str, ...]:
    """A list's words; a single value is a list of one."""
    node = found.get(name)
    items = [] if node is None else node.items if node.kind == "sequence" else [node]
    return tuple(item.word(name) for item in items)


def _numbers(found: Mapping[str, Node], name: str) -> tuple[int, ...]:
    words = _words(found, name)
    wrong = next((word for word in words if not word.removeprefix("-").isdecimal()), None)
    if wrong is not None:
        raise found[name].wrong(f"{name}: expected a whole number, found {wrong!r}")
    return tuple(map(int, words))


def _texts(node: Node, what: str) -> dict[str, str]:
    return {key.word(what): value.word(what) for key, value in node.pairs(what)}


def _settings(texts: Mapping[str, str]) -> Settings:
    return trial_settings(f"{name}={text}" for name, text in texts.items())


def _recipes(node: Node) -> tuple[NamedRecipe, ...]:
    recipes = []
    for key, value in node.pairs("recipes"):
        name = key.word("recipes")
        if not SAFE_NAME.fullmatch(name):
            raise key.wrong(f"expected a recipe's name of letters, digits, . _ + -, found {name!r}")
        changes = {} if value.is_empty else _texts(value, name)
        preset = changes.pop("preset", name if value.is_empty else "quick")
        find_recipe(preset, "")
        recipes.append(NamedRecipe(name, preset, _settings(changes)))
    return tuple(recipes)
