"""What is compared on: every task with an expert, and groups with the state told at each step.

`a5` and its like are learnt from the traces of our agent, as everything else. Papers on state tracking give
their models more: the word's letters alone, and after each of them the arrangement it has led to. That is
`a5-states`: the same words, where an agent writes the arrangement in place of each letter, so that traces,
training and measure stay what they are for every other task. Nothing that it writes is ever read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from dfst.agents.agent import Agent
from dfst.agents.groups import GROUPS, Group, written
from dfst.agents.registry import expert
from dfst.agents.rulebook import RuleBook
from dfst.agents.word_tasks import WORD_TASKS
from dfst.experiments.rivals.registry import LEARNERS
from dfst.learning.plan import Plan, make_plan, usual_hidden_size, usual_sampling
from dfst.learning.recipe import find_recipe
from dfst.model.weights import Shape
from dfst.traces.sample import sample_inputs
from dfst.world.grid import BLANK, MOTIONS, R

STATES = "-states"
"""At the end of a group's name: the state is told at each step."""
FEWEST = 1000
"""A network may have so many parameters where the DFST has fewer: on parity it has 62, too few for others."""


def hidden_task(name: str) -> str:
    """The task of the same words whose states stay hidden; itself for every other."""
    told = name.removesuffix(STATES)
    return told if told in GROUPS else name


@cache
def find_agent(name: str) -> Agent:
    """The agent that works a task's examples."""
    return expert(name) if hidden_task(name) == name else _telling(name, GROUPS[hidden_task(name)])


def _telling(name: str, group: Group) -> Agent:
    """The agent that writes down its state."""
    task = replace(
        WORD_TASKS[group.name],
        name=name,
        meaning=f"the arrangement of {written(group.first)} after each letter",
        alphabet=("a", "b", BLANK, *map(written, group.members)),
        answer=partial(_told, group),
        kinds=("ab",),
    )
    rules = RuleBook(task.alphabet)
    for arrangement in group.members:
        for letter in task.letters:
            after = written(group.moved(arrangement, letter))
            rules.on(written(arrangement), letter, R, write=after, to=after)
        rules.halt(written(arrangement), BLANK)
    return rules.agent(name, task)


def _told(group: Group, word: str) -> str:
    """Every arrangement on the way."""
    arrangement, told = group.first, []
    for letter in word:
        arrangement = group.moved(arrangement, letter)
        told.append(written(arrangement))
    return "".join(told)


def plan_of(name: str, seed: int, preset: str = "quick") -> Plan:
    """The plan of one seed: that of `dfst learn`. With states told, words and recipe stay the same."""
    agent, hidden = find_agent(name), hidden_task(name)
    if hidden == name:
        return make_plan(agent, preset, seeds=1, first_seed=seed)
    task = WORD_TASKS[hidden]
    words = [task.write(operands) for operands in sample_inputs(task, usual_sampling(expert(hidden)))]
    plan = make_plan(agent, preset, tuple(words), hidden_size=len(agent.states), seeds=1, first_seed=seed)
    return replace(plan, recipe=find_recipe(preset, hidden).with_overrides(seeds=1))


def parameters_of(name: str) -> int:
    """About how many numbers a network may have: as the DFST that learns the task from traces, or FEWEST."""
    agent = expert(hidden_task(name))
    return max(FEWEST, Shape(len(agent.alphabet), len(MOTIONS), usual_hidden_size(agent)).size)


def dfst_steps(name: str) -> int:
    """Steps that a DFST is trained for before its polish: the most that a network may take."""
    return find_recipe("quick", hidden_task(name)).iterations


def trained_length(task: str, learner: str = "") -> int:
    """Length of the longest operand in the training set, in digits or symbols."""
    known = LEARNERS.get(learner)
    if known and known.trained_digits:
        return known.trained_digits
    return usual_sampling(expert(hidden_task(task))).max_digits


def unit_of(task: str) -> str:
    """What its lengths are counted in: the letters of a group's words, else digits or symbols."""
    task_of = find_agent(task).task
    assert task_of is not None
    return "letters" if hidden_task(task) in GROUPS else task_of.unit
