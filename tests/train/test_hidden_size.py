"""The hidden size: the paper's, one for each state, or several for each that is needed at least."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence import slow

from dfst.errors import InputError
from dfst.experts import expert
from dfst.learning import learn
from dfst.problems.find import find_problem
from dfst.states.fewest import fewest_states_of_traces
from dfst.traces.recording import read_recording, write_recording
from dfst.train import prepare as preparing
from dfst.train.progress import Narrator
from dfst.train.settings import configure


@pytest.mark.parametrize(
    ("problem", "preset", "asked", "taken"),
    [
        ("add2", "paper", None, 12),
        ("add2", "quick", None, 12),
        ("bb3", "descent", None, 5),
        ("bb3", "quick", None, 5),
        ("bb3", "paper", 4, 4),
    ],
)
def test_the_papers_or_one_for_each_state_and_some_to_spare(
    monkeypatch, tmp_path, problem, preset, asked, taken
):
    class Stop(Exception):
        """Nothing needs to be trained for this."""

    def stop(config, *more):
        raise Stop(config.recipe.hidden_size)

    monkeypatch.setattr(preparing, "_begun", stop)
    plan = configure(problem, preset, hidden_size=asked)
    with pytest.raises(Stop, match=f"^{taken}$"):
        learn(replace(plan, device="cpu"), tmp_path / "run")


def test_where_states_cannot_be_counted_there_is_room_for_more_than_are_needed(monkeypatch, tmp_path):
    """A recording on which merging finds no machine: that some states are needed is all that is known."""
    monkeypatch.setattr(preparing, "fewest_states_of_traces", lambda traces: (3, None))
    traces = [expert("increment2").trace(str(n)) for n in (0, 1, 10, 11, 100, 101)]
    write_recording(tmp_path / "log.jsonl", expert("increment2"), traces)
    told: list[str] = []
    narrator = Narrator(told.append)
    plan = configure(read_recording(tmp_path / "log.jsonl"), steps=10)
    learnt = learn(replace(plan, device="cpu"), tmp_path / "run", narrator)
    assert (learnt.recipe.hidden_size, learnt.weights.shape.d) == (12, 12)
    assert any("3 states are needed at least: hidden size 12, 4 times as large" in line for line in told)


def test_what_was_a_search_is_refused_and_told():
    with pytest.raises(InputError, match="takes a whole number, found 'fit'; left out, it is found from"):
        configure("add2", hidden_size="fit")


@pytest.mark.parametrize("task", slow("maze", "gcd10", "sqrt10", "div10", "mult10"))
def test_the_room_is_enough_for_the_tasks_whose_states_merging_cannot_count(task: str) -> None:
    """The number was taken from these five, which need 1.5 to 3.6 times as many."""
    problem = find_problem(task)
    traces = problem.training_set().traces
    traces = traces.subset(range(min(1_000, len(traces))))
    least, counted = fewest_states_of_traces(traces)
    needed = fewest_states_of_traces(traces, problem.agent)[1]
    assert counted is None
    assert needed is not None
    assert 1.5 * least <= needed <= preparing.ROOM * least
