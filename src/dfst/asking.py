"""Learning by asking: inputs on which learnt machines part are put to the teacher, answered and learnt."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dfst.errors import InputError
from dfst.learning import in_order, keep, learn, machine_of
from dfst.problems import Problem
from dfst.problems.recording import recorded_problem
from dfst.proof.verdict import SETTLED
from dfst.states.doubt import Question, doubtful, foretells
from dfst.states.fewest import fewest_states_of_traces, smallest_machine
from dfst.traces.recording import Recording
from dfst.traces.sample import gather_traces
from dfst.train.choose import prove_seeds
from dfst.train.engines import Device
from dfst.train.learnt import Learnt
from dfst.train.measure import measure_seeds
from dfst.train.progress import Narrator
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder

FIRST, TRIED, TESTED = 5, 2_000, 20
"""Inputs that whoever asks begins with; those among which questions are sought, the shortest; those that test
what no two learnt machines doubt."""


def learn_asking(
    problem: Problem,
    recipe: Recipe,
    out: str | Path,
    device: Device = "auto",
    sizes: Sequence[int] = (),
    narrator: Narrator | None = None,
    *,
    questions: int,
    first: Sequence[str] = (),
) -> Learnt:
    """Learn from few inputs, ask the teacher where the learnt machines part, and learn on with the answers.

    The teacher is a black box: its table serves to judge what was learnt, at the end. A round asks up to a
    quarter as many questions as there are answers. The seeds' machines and the smallest that merging finds
    are compared; where no two part, inputs drawn from the shortest are asked. It ends where all of these are
    foretold, or so many questions were asked. first: the inputs to begin with, in place of the shortest
    """
    began, tell = time.monotonic(), (narrator or Narrator()).stage
    folder = RunFolder(out, tell)
    if folder.exists():
        raise InputError(f"{folder.path} already holds a run; give another --out")
    short, rng = problem.shortest(TRIED), np.random.default_rng(0)
    if not short:
        raise InputError(f"{problem.name} was only recorded; there is no expert to ask")
    shown = list(dict.fromkeys(first or short[:FIRST]))
    begun = len(shown)
    learnt: Learnt | None = None
    answers = [problem.answer(text) for text in shown]
    about = problem.name, problem.alphabet, problem.blank, problem.layout, problem.task
    while True:
        traces = gather_traces(problem, answers)
        recording = Recording(*about, traces, taught=len(answers))
        sized = _sized_for(recipe, recording)
        alike = learnt is not None and sized.hidden_size == learnt.recipe.hidden_size
        start = np.stack([outcome.raw.flat() for outcome in learnt.outcomes]) if learnt and alike else None
        place = folder.path / "rounds" / str(len(shown))
        learnt = learn(recorded_problem(recording), sized, place, device, (), narrator, start=start)
        seeds = [machine_of(outcome, learnt.traces) for outcome in learnt.outcomes]
        machines = [machine for machine in (*seeds, smallest_machine(recording)) if machine]
        left = min(questions - len(shown) + begun, max(1, len(shown) // 4))
        unseen = [text for text in short if text not in shown]
        asked, tested = doubtful(machines, unseen, left), list[str]()
        if not asked:  # few examples make all machines small, and alike: they are tested
            drawn = rng.permutation(len(unseen))[: min(TESTED, questions - len(shown) + begun)]
            asked = [Question(unseen[i], "no two machines part") for i in sorted(drawn.tolist())]
            tested = [question.input for question in asked]
        found, machine = (
            [problem.answer(question.input) for question in asked],
            machine_of(learnt.chosen, traces),
        )
        if not asked or (tested and machine and all(foretells(machine, trace) for trace in found)):
            break
        for question in asked:
            tell(f"asks {question.input!r}: {question.why}")
        shown += [question.input for question in asked]
        answers += found
    problem = problem.with_settings(inputs=tuple(shown))
    proved = prove_seeds(problem, [learnt.chosen], tell)
    [chosen] = measure_seeds(problem, proved, tuple(sizes), "cpu", tell)
    for file in learnt.folder.iterdir():
        file.rename(folder.path / file.name)
    learnt.folder.rmdir()
    learnt = replace(
        learnt,
        problem=problem,
        folder=folder.path,
        outcomes=in_order((*learnt.outcomes, chosen)),
        chosen=chosen,
        seconds=time.monotonic() - began,
        warnings=() if chosen.strength in SETTLED and chosen.exact else learnt.warnings,
        questions=(*shown[begun:], *tested),
    )
    keep(learnt, folder)
    return learnt


def _sized_for(recipe: Recipe, recording: Recording) -> Recipe:
    """With a dimension for each state that the answers need, and some to spare, unless a size is given."""
    states = fewest_states_of_traces(recording.traces)[1]
    if recipe.hidden_size is not None or states is None:
        return recipe
    return replace(recipe, hidden_size=recorded_problem(recording).hidden_size(states))
