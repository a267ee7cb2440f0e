"""What a sweep consists of: every seed × task × learner × recipe, each a trial with a folder of its own.

A recipe (a preset, perhaps with numbers changed) says how a DFST is trained; the other learners have recipes
of their own, so each of them gives one trial for a task and a seed. A DFST's trial takes every setting of
`dfst learn`. The other learners take the training set, the hidden size that sets their number of parameters,
and the number of steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.experiments.baselines.registry import find_learner
from dfst.experiments.lines import Line
from dfst.plugins import is_python_file
from dfst.problems import Problem, find_problem
from dfst.train.config import RunConfig
from dfst.train.recipe import find_recipe
from dfst.train.settings import Running, configure, read_settings
from dfst.train.settings import settings as known_settings

Settings = Mapping[str, Any]
OWN = "dfst"  # the learner whose trials are ordinary `dfst learn` runs
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


@dataclass(frozen=True)
class NamedRecipe:
    """A preset with some values changed, under a name for folders and tables."""

    name: str
    preset: str
    changes: Settings = field(default_factory=dict)


def presets(names: tuple[str, ...]) -> tuple[NamedRecipe, ...]:
    """Presets as they are, each a recipe of its own name."""
    for name in names:
        find_recipe(name, "")
    return tuple(NamedRecipe(name, name) for name in dict.fromkeys(names))


MOST_SEEDS = 100_000


def seed_range(count: int) -> tuple[int, ...]:
    if not 1 <= count <= MOST_SEEDS:
        raise InputError(f"seeds must be from 1 to {MOST_SEEDS:,}, found {count:,}")
    return tuple(range(count))


@dataclass(frozen=True)
class Sweep:
    """What decides the outcome of a sweep, and nothing about where it runs. What is empty was not said."""

    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    recipes: tuple[NamedRecipe, ...] = ()
    seeds: tuple[int, ...] = ()
    changes: Settings = field(default_factory=dict)
    """Settings for every trial whose learner knows them; a recipe's own go before."""
    digits: tuple[int, ...] = ()
    """Lengths at which every model is measured; empty for those of `dfst compare`."""

    def over(self, other: Sweep) -> Sweep:
        """This sweep where it says something, the other where it does not; settings of both."""
        said = {name: value for name, value in vars(self).items() if value}
        return replace(other, **{**said, "changes": {**other.changes, **self.changes}})

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
    changes: Settings
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
        names = ("task", "learner", "recipe", "preset")
        said = {name: getattr(self, name) for name in names}
        return {"trial": self.name, **said, "set": dict(self.changes), "seed": self.seed}

    def plan(self) -> RunConfig:
        """What `dfst learn` would carry out; the other learners share its traces and its steps."""
        preset = self.preset or find_learner(self.learner).preset
        plan = configure(self.task, preset, **{**self.changes, "seeds": 1, "first_seed": self.seed})
        return replace(plan, sizes=self.digits)


def trials_of(sweep: Sweep) -> list[Trial]:
    """Every trial, all of the first seed before the second, so that a table fills evenly."""
    own = (NamedRecipe("", ""),)
    known = {learner: taken_by(learner) for learner in sweep.learners}
    trials = []
    for seed in sweep.seeds:
        for task in sweep.tasks:
            for learner in sweep.learners:
                usual = {name: value for name, value in sweep.changes.items() if name in known[learner]}
                for recipe in sweep.recipes if learner == OWN else own:
                    how = recipe.name, recipe.preset, {**usual, **recipe.changes}
                    trials.append(Trial(task, learner, *how, seed, sweep.digits))
    return trials


def check(sweep: Sweep) -> list[str]:
    """Refuse a sweep of which some trial could not begin, before any work; gives remarks worth saying."""
    for seed in sweep.seeds:
        if seed < 0:
            raise InputError(f"seeds must not be negative, found {seed}")
    problems = {task: find_problem(task) for task in sweep.tasks}
    for problem in problems.values():
        problem.check_sizes(sweep.digits)
    trials = trials_of(sweep)
    name, times = Counter(trial.name for trial in trials).most_common(1)[0]
    if times > 1:
        raise InputError(f"two trials would be called {name}; give machine files different names")
    for trial in trials:
        if trial.seed == sweep.seeds[0]:
            _check_trial(trial, problems[trial.task])
    return _deaf(sweep)


def _check_trial(trial: Trial, problem: Problem) -> None:
    plan = trial.plan()
    if trial.learner == OWN:
        plan.problem.training_set()
    elif not problem.sizes:
        raise InputError(
            f"{trial.learner} learns tasks with digits, found the machine {trial.task}; "
            f"give it to the learner {OWN}"
        )
    else:
        find_learner(trial.learner).load()


def _deaf(sweep: Sweep) -> list[str]:
    """Which learners take no notice of which setting; one that none of them takes is refused."""
    said = []
    for name, value in sweep.changes.items():
        takers = [learner for learner in sweep.learners if name in taken_by(learner)]
        if not takers:
            raise InputError(f"{name}={value} means nothing to {', '.join(sweep.learners)}; leave it out")
        if len(takers) < len(sweep.learners):
            said.append(f"{name}={value} is for {', '.join(takers)} alone")
    return said
