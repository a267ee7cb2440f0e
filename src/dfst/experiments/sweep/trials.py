"""What a sweep consists of: every seed × task × learner × recipe, each a trial with a folder of its own.

It is written down in a short file (docs/how-to/cluster.md) or said by options; its folder keeps the same,
complete, as JSON. A recipe (a preset, perhaps with numbers changed) says how a DFST is trained. The other
learners have recipes of their own, so each of them gives one trial for a task and a seed, and takes the
training set, the hidden size that sets its number of parameters, and the number of steps.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dfst.errors import InputError, UnknownName, placed
from dfst.experiments.baselines.registry import find_learner
from dfst.experiments.lines import Line
from dfst.files import write_json
from dfst.files.plain import read_text
from dfst.machines.formats.yaml_tree import Node, read_mapping
from dfst.plugins import is_python_file
from dfst.problems import find_problem
from dfst.train.config import RunConfig
from dfst.train.recipe import find_recipe
from dfst.train.runfolder import RunFolder
from dfst.train.settings import Running, configure, read_settings
from dfst.train.settings import settings as known_settings

Settings = Mapping[str, Any]
OWN = "dfst"  # the learner whose trials are ordinary `dfst learn` runs
FORMAT = "dfst-sweep/2"
KEPT_AS = "sweep.json"
FIELDS = ("tasks", "learners", "presets", "recipes", "seeds", "set", "digits")
MOST_BYTES = 1 << 20  # of a sweep in words
MOST_SEEDS = 100_000
SAFE_NAME = re.compile(r"[A-Za-z0-9_.+-]+")
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


def presets(names: Iterable[str]) -> dict[str, Settings]:
    """Presets as they are, each a recipe of its own name."""
    for name in names:
        find_recipe(name, "")
    return {name: {"preset": name} for name in names}


def seed_range(count: int) -> tuple[int, ...]:
    if not 1 <= count <= MOST_SEEDS:
        raise InputError(f"seeds must be from 1 to {MOST_SEEDS:,}, found {count:,}")
    return tuple(range(count))


@dataclass(frozen=True)
class Sweep:
    """What decides the outcome of a sweep, and nothing about where it runs. What is empty was not said."""

    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    recipes: Mapping[str, Settings] = field(default_factory=dict)
    """Name for folders and tables → a preset, and the values that it changes."""
    seeds: tuple[int, ...] = ()
    set: Settings = field(default_factory=dict)
    """For every trial whose learner knows them; a recipe's own go before."""
    digits: tuple[int, ...] = ()
    """Lengths at which every model is measured; empty for those of `dfst compare`."""

    def over(self, other: Sweep) -> Sweep:
        """This sweep where it says something, the other where it does not; settings of both."""
        said = {name: value for name, value in vars(self).items() if value}
        return replace(other, **{**said, "set": {**other.set, **self.set}})

    def complete(self) -> Sweep:
        """With the usual values for what was not said."""
        if not self.tasks:
            raise InputError("a sweep needs tasks, such as: dfst sweep --tasks add2 --seeds 4")
        for name in self.learners:
            find_learner(name)
        return replace(
            self,
            tasks=tuple(dict.fromkeys(map(_whole_path, self.tasks))),
            learners=tuple(dict.fromkeys(self.learners)) or (OWN,),
            recipes=self.recipes or presets(("quick",)),
            seeds=tuple(dict.fromkeys(self.seeds)) or (0,),
        )


def _whole_path(task: str) -> str:
    """A file by its whole path, so that the sweep can go on from another folder."""
    file = task.rpartition(":")[0] or task if is_python_file(task) else task
    return str(Path(task).resolve()) if Path(file).is_file() else task


@dataclass(frozen=True)
class Trial:
    """One training: it ends in one folder and one line of the results."""

    task: str
    learner: str
    recipe: str  # the recipe's name; empty for a learner with a recipe of its own
    preset: str
    set: Settings
    seed: int
    digits: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Also the name of its folder."""
        own = self.task.rpartition(":")[2] if is_python_file(self.task) else self.task
        task = own if "/" not in own else Path(own).stem
        learner = find_learner(self.learner).name
        return "-".join(word for word in (task, learner, self.recipe, f"seed-{self.seed}") if word)

    def columns(self) -> Line:
        """What a line of the results says of the trial itself."""
        said = asdict(self)
        del said["digits"]
        return {"trial": self.name, **said}

    def plan(self) -> RunConfig:
        """What `dfst learn` would carry out; the other learners share its traces and its steps."""
        preset = self.preset or find_learner(self.learner).preset
        plan = configure(self.task, preset, **{**self.set, "seeds": 1, "first_seed": self.seed})
        return replace(plan, sizes=self.digits)


def trials_of(sweep: Sweep) -> list[Trial]:
    """Every trial, all of the first seed before the second, so that a table fills evenly."""
    known = {learner: taken_by(learner) for learner in sweep.learners}
    trials = []
    for seed in sweep.seeds:
        for task in sweep.tasks:
            for learner in sweep.learners:
                usual = {name: value for name, value in sweep.set.items() if name in known[learner]}
                for recipe, changes in (sweep.recipes if learner == OWN else {"": {}}).items():
                    how = {**usual, **changes}
                    preset = how.pop("preset", "")
                    trials.append(Trial(task, learner, recipe, preset, how, seed, sweep.digits))
    return trials


def check(sweep: Sweep) -> list[str]:
    """Refuse a sweep of which some trial could not begin, before any work; gives remarks worth saying."""
    for seed in sweep.seeds:
        if seed < 0:
            raise InputError(f"seeds must not be negative, found {seed}")
    for task in sweep.tasks:
        find_problem(task).check_sizes(sweep.digits)
    trials = trials_of(sweep)
    name, times = Counter(trial.name for trial in trials).most_common(1)[0]
    if times > 1:
        raise InputError(f"two trials would be called {name}; give machine files different names")
    for trial in (trial for trial in trials if trial.seed == sweep.seeds[0]):
        plan = trial.plan()
        if trial.learner == OWN:
            plan.problem.training_set()
        elif not plan.problem.sizes:
            raise InputError(
                f"{trial.learner} learns tasks with digits, found the machine {trial.task}; "
                f"give it to the learner {OWN}"
            )
        else:
            find_learner(trial.learner).load()
    return _deaf(sweep)


def _deaf(sweep: Sweep) -> list[str]:
    """Which learners take no notice of which setting; one that none of them takes is refused."""
    said = []
    for name, value in sweep.set.items():
        takers = [learner for learner in sweep.learners if name in taken_by(learner)]
        if not takers:
            raise InputError(f"{name}={value} means nothing to {', '.join(sweep.learners)}; leave it out")
        if len(takers) < len(sweep.learners):
            said.append(f"{name}={value} is for {', '.join(takers)} alone")
    return said


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
                ", ".join(map(str, v)) or "none" if isinstance(v, tuple) else v for v in (held[name], value)
            )
            raise InputError(
                f"{folder} holds another sweep ({name}: {old}; asked for {new}); "
                f"go on with --resume {folder} or give another --out"
            )


def as_json(sweep: Sweep) -> dict[str, Any]:
    """The fields of a file that says it all."""
    return {"format": FORMAT, **asdict(sweep)}


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
            set=_settings(found["set"], "set") if "set" in found else {},
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


def _settings(node: Node, what: str, but: str = "") -> Settings:
    pairs = {key.word(what): value.word(what) for key, value in node.pairs(what)}
    return trial_settings(f"{name}={text}" for name, text in pairs.items() if name != but)


def _recipes(node: Node) -> dict[str, Settings]:
    recipes: dict[str, Settings] = {}
    for key, value in node.pairs("recipes"):
        name = key.word("recipes")
        if not SAFE_NAME.fullmatch(name):
            raise key.wrong(f"expected a recipe's name of letters, digits, . _ + -, found {name!r}")
        if name in recipes:
            raise key.wrong(f"the recipe {name!r} is there twice; keep one")
        if value.is_empty:
            recipes |= presets([name])
            continue
        preset = next((text.word(name) for key, text in value.pairs(name) if key.text == "preset"), "quick")
        recipes[name] = {**presets([preset])[preset], **_settings(value, name, but="preset")}
    return recipes
