"""Groups with the state told at each step: the same words, the right arrangements, nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.agents.agent import MISSING
from dfst.agents.groups import GROUPS
from dfst.errors import InputError
from dfst.evaluation.length import evaluate
from dfst.experiments.comparison.tasks import (
    FEWEST,
    find_agent,
    hidden_task,
    parameters_of,
    plan_of,
    trained_length,
    unit_of,
)
from dfst.learning.plan import make_plan
from dfst.model import compile_agent
from dfst.rollout.compiled import Rollout


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_the_agent_tells_the_arrangement_after_each_letter(group) -> None:
    agent = find_agent(f"{group.name}-states")
    word = "abbaababbb"
    trace = agent.trace(word)
    assert [agent.alphabet[k] for k in trace.x] == [*word, agent.alphabet[agent.blank]]
    told = [group.solve(word[: n + 1]) for n in range(len(word))]
    assert [agent.alphabet[k] for k in trace.s[:-1]] == told
    assert agent.run(word).answer == "".join(told)
    read = np.flatnonzero((agent.next != MISSING).any(axis=0))
    assert [agent.alphabet[k] for k in read] == ["a", "b", agent.alphabet[agent.blank]]


def test_an_exact_model_of_it_is_measured_as_exact() -> None:
    agent = find_agent("s3-states")
    report = evaluate(Rollout(compile_agent(agent)), "compiled", agent, 40)
    assert report.right
    assert report.inputs > 20


def test_the_words_and_the_budget_are_those_of_the_hidden_task() -> None:
    told, hidden = plan_of("s3-states", 5), plan_of("s3", 5)
    assert list(told.traces().inputs) == list(hidden.traces().inputs)
    assert (told.recipe, told.seeds) == (hidden.recipe, hidden.seeds) == (hidden.recipe, (5,))
    assert parameters_of("parity") == FEWEST
    assert parameters_of("s3-states") == parameters_of("s3") == hidden.shape(hidden.traces()).size
    assert told.traces().tokens < hidden.traces().tokens


@pytest.mark.parametrize(
    ("task", "length", "unit"),
    [
        ("add2", 3, "digits"),
        ("mult2", 5, "digits"),
        ("a5", 30, "letters"),
        ("s5-states", 40, "letters"),
        ("reverse", 7, "symbols"),
    ],
)
def test_lengths_are_those_of_the_training_set(task: str, length: int, unit: str) -> None:
    assert (trained_length(task), unit_of(task)) == (length, unit)


def test_other_tasks_are_the_experts() -> None:
    assert find_agent("add2").same_table(expert("add2"))
    assert hidden_task("add2") == "add2"
    assert plan_of("add2", 3).recipe == make_plan(expert("add2"), seeds=1, first_seed=3).recipe
    with pytest.raises(InputError, match="unknown task 'add2-states'"):
        find_agent("add2-states")
