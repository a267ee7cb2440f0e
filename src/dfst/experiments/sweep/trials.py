"""What a sweep consists of: every seed × task × learner × recipe, each a trial with a folder of its own.

A recipe (a preset, perhaps with numbers changed) says how a DFST is trained; the other learners have recipes
of their own, so each of them gives one trial for a task and a seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dfst.agents.agent import Agent
from dfst.errors import InputError
from dfst.evaluation.cases import check_digits
from dfst.experiments.rivals.registry import find_learner
from dfst.experiments.sweep.settings import OWN, Settings, taken_by
from dfst.learning.plan import Plan, make_plan
from dfst.subjects import resolve_agent
from dfst.traces.sample import sample_inputs


@dataclass(frozen=True)
class NamedRecipe:
    """A preset with some values changed, under a name for folders and tables."""

    name: str
    preset: str
    changes: Settings = ()


@dataclass(frozen=True)
class Sweep:
    """What decides the outcome of a sweep, and nothing about where it runs. What is empty was not said."""

    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    recipes: tuple[NamedRecipe, ...] = ()
    seeds: tuple[int, ...] = ()
    changes: Settings = ()
    """Settings for every trial whose learner knows them; a recipe's own go before."""
    digits: tuple[int, ...] = ()
    """Lengths at which every model is measured; empty for those of `dfst compare`."""

    def over(self, other: Sweep) -> Sweep:
        """This sweep where it says something, the other where it does not; settings of both."""
        said = {name: value for name, value in vars(self).items() if value and name != "changes"}
        return replace(
            other, **said, changes=tuple(sorted({**dict(other.changes), **dict(self.changes)}.items()))
        )

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
            recipes=self.recipes or (NamedRecipe("quick", "quick"),),
            seeds=tuple(dict.fromkeys(self.seeds)) or (0,),
        )


def _whole_path(task: str) -> str:
    """A machine file by its whole path, so that the sweep can go on from another folder."""
    return str(Path(task).resolve()) if Path(task).is_file() else task


@dataclass(frozen=True)
class Trial:
    """One training: it ends in one folder and one line of the results."""

    name: str
    """Also the name of its folder."""
    task: str
    learner: str
    recipe: str
    """The recipe's name; empty for a learner with a recipe of its own."""
    preset: str
    changes: Settings
    seed: int
    digits: tuple[int, ...] = ()


def trials_of(sweep: Sweep) -> list[Trial]:
    """Every trial, all of the first seed before the second, so that a table fills evenly."""
    own = [NamedRecipe("", "")]
    trials = [
        _trial(sweep, task, learner, recipe, seed)
        for seed in sweep.seeds
        for task in sweep.tasks
        for learner in sweep.learners
        for recipe in (sweep.recipes if learner == OWN else own)
    ]
    if not trials:
        raise InputError("a sweep needs at least one task, learner, recipe and seed")
    return trials


def _trial(sweep: Sweep, task: str, learner: str, recipe: NamedRecipe, seed: int) -> Trial:
    known = taken_by(learner, find_learner(learner).timed)
    changes = {**{k: v for k, v in sweep.changes if k in known}, **dict(recipe.changes)}
    words = [_file_name(task), learner, recipe.name, f"seed-{seed}"]
    return Trial(
        name="-".join(word for word in words if word),
        task=task,
        learner=learner,
        recipe=recipe.name,
        preset=recipe.preset,
        changes=tuple(sorted(changes.items())),
        seed=seed,
        digits=sweep.digits,
    )


def _file_name(task: str) -> str:
    """A task's name, or a machine file's without its ending."""
    return task if "/" not in task else Path(task).stem


def plan_of(trial: Trial, agent: Agent) -> Plan:
    """What `dfst learn` would carry out."""
    values: dict[str, Any] = dict(trial.changes)
    return make_plan(agent, trial.preset, seeds=1, first_seed=trial.seed, **values)


def check(sweep: Sweep) -> list[str]:
    """Refuse a sweep of which some trial could not begin, before any work; gives remarks worth saying."""
    for n in sweep.digits:
        check_digits(n)
    for seed in sweep.seeds:
        if seed < 0:
            raise InputError(f"seeds must not be negative, found {seed}")
    known = {name: taken_by(name, find_learner(name).timed) for name in sweep.learners}
    for recipe in sweep.recipes:
        for name, _ in recipe.changes:
            if OWN in known and name not in known[OWN]:
                raise InputError(f"the recipe {recipe.name} changes {name}, which no DFST has; leave it out")
    for task in sweep.tasks:
        resolve_agent(task)
    trials = trials_of(sweep)
    names = [trial.name for trial in trials]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two trials would be called {twice}; give machine files different names")
    for trial in trials:
        if trial.seed == trials[0].seed:
            _check_trial(trial)
    return _deaf(sweep, known)


def _check_trial(trial: Trial) -> None:
    agent = resolve_agent(trial.task)
    if trial.learner == OWN:
        plan = plan_of(trial, agent)
        if agent.task and plan.sampling:
            sample_inputs(agent.task, plan.sampling)
        return
    from dfst.experiments.comparison.protocol import check as check_assignment

    if agent.task is None:
        raise InputError(
            f"{trial.learner} learns tasks with digits, found the machine {trial.task}; "
            f"give it to the learner {OWN}"
        )
    values: dict[str, Any] = dict(trial.changes)
    check_assignment(
        trial.learner, trial.task, trial.seed, "cpu", values.get("iterations"), values.get("seconds")
    )


def _deaf(sweep: Sweep, known: dict[str, set[str]]) -> list[str]:
    """Which learners take no notice of which setting; one that none of them takes is refused."""
    said = []
    for name, value in sweep.changes:
        takers = [learner for learner in sweep.learners if name in known[learner]]
        if not takers:
            raise InputError(f"{name}={value} means nothing to {', '.join(sweep.learners)}; leave it out")
        if len(takers) < len(sweep.learners):
            said.append(f"{name}={value} is for {', '.join(takers)} alone")
    return said
