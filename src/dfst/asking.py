"""Learning by asking: what the answers leave open is put to the teacher, answered and learnt."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.learning import ROUNDS, in_order, keep, learn, machine_of, moved, onward
from dfst.machines.agent import Agent
from dfst.problems import Problem
from dfst.problems.recording import recorded_problem
from dfst.proof.verdict import SETTLED
from dfst.states.doubt import Question, doubtful, foretells, untold
from dfst.states.fewest import fewest_states_of_traces, smallest_machine
from dfst.traces.recording import Recording
from dfst.traces.traceset import gather
from dfst.train.choose import prove_seeds
from dfst.train.config import RunConfig
from dfst.train.learnt import Learnt
from dfst.train.measure import measure_seeds
from dfst.train.progress import Narrator, Tell
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder
from dfst.world.trace import Trace

FIRST, TRIED, TESTED, LONGEST = 5, 2_000, 40, 30
"""Inputs that whoever asks begins with; those among which questions are sought, the shortest; the fewest that
test what leaves nothing open; symbols of the longest of them."""


def learn_asking(
    config: RunConfig,
    out: str | Path,
    narrator: Narrator | None = None,
    *,
    questions: int,
    first: Sequence[str] = (),
) -> Learnt:
    """Learn from few inputs, ask the teacher what the answers leave open, and learn on with the answers.

    The smallest machine that merging finds asks first, since it costs no training (`Asked.settle`). Then the
    seeds learn, and where their machines part, that is asked too. It ends where none do and the chosen one
    foretells the test, or so many questions were asked. first: inputs to begin with, in place of the shortest
    """
    began, tell = time.monotonic(), (narrator or Narrator()).stage
    problem, folder = config.problem, RunFolder(out, tell)
    if folder.exists():
        raise InputError(f"{folder.path} already holds a run; give another --out")
    short = problem.shortest(TRIED)
    if not short:
        raise InputError(f"{problem.name} was only recorded; there is no expert to ask")
    asked = Asked(problem, short, {text: problem.answer(text) for text in first or short[:FIRST]}, questions)
    begun, learnt = len(asked.answers), None
    while True:
        merged, tested = asked.settle(tell)
        recording = asked.recording()
        recipe = _sized_for(config.recipe, recording)
        start = onward(learnt, tell) if learnt else None
        place = folder.path / ROUNDS / str(len(asked.answers))
        this = RunConfig(recorded_problem(recording), recipe, device=config.device)
        learnt = learn(this, place, narrator, start=start)
        best = machine_of(learnt.chosen, learnt.traces)
        seeds = [machine_of(outcome, learnt.traces) for outcome in learnt.outcomes]
        machines = [machine for machine in (*seeds, merged) if machine]
        settled = learnt.chosen.polished is not None or not recipe.polish
        foretold = best and settled and all(foretells(best, trace) for trace in tested.values())
        unseen = [text for text in asked.unseen() if text not in tested]
        doubts = doubtful(machines, unseen, asked.at_once())
        if (foretold and not doubts) or not (doubts or tested):
            break
        asked.answers |= tested
        asked.ask(doubts, tell)
    shown = list(asked.answers)
    problem = problem.with_settings(inputs=tuple(shown))
    proved = prove_seeds(problem, [learnt.chosen], tell)
    [chosen] = measure_seeds(problem, proved, config.sizes, "cpu", tell)
    learnt = replace(
        moved(learnt, folder.path),
        problem=problem,
        outcomes=in_order((*learnt.outcomes, chosen)),
        chosen=chosen,
        seconds=time.monotonic() - began,
        warnings=() if chosen.strength in SETTLED and chosen.exact else learnt.warnings,
        questions=(*shown[begun:], *tested),
    )
    keep(learnt, folder)
    return learnt


@dataclass
class Asked:
    """What was asked, and how the teacher answered."""

    problem: Problem
    short: list[str]
    answers: dict[str, Trace]
    left: int
    """Questions that may still be asked"""
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def recording(self) -> Recording:
        of, answers = self.problem, list(self.answers.values())
        about = of.name, of.alphabet, of.blank, of.layout, of.task
        return Recording(*about, gather(answers, of.name, of.alphabet), taught=len(answers))

    def unseen(self) -> list[str]:
        return [text for text in self.short if text not in self.answers]

    def at_once(self) -> int:
        """Questions of a round: up to a quarter as many as there are answers."""
        return min(self.left, max(1, len(self.answers) // 4))

    def ask(self, questions: Sequence[Question], tell: Tell) -> None:
        for question in questions:
            tell(f"asks {question.input!r}: {question.why}")
            self.answers[question.input] = self.problem.answer(question.input)
        self.left -= len(questions)

    def settle(self, tell: Tell) -> tuple[Agent | None, dict[str, Trace]]:
        """Ask for what merging leaves open, until a machine leaves nothing open and foretells a test.

        Few examples make a small machine that is sure of itself, so agreement is no evidence, and tests are.
        Returns the machine, where merging has an end, and the test, which has not been learnt from.
        """
        while True:
            recording, unseen, most = self.recording(), self.unseen(), self.at_once()
            merged = smallest_machine(recording)
            if merged and (
                doubts := doubtful([merged], unseen, most) or untold(merged, recording.traces, unseen, most)
            ):
                self.ask(doubts, tell)
                continue
            tested = self._test(unseen, max(TESTED, merged.rule_count if merged else 0))
            if merged is None or all(foretells(merged, trace) for trace in tested.values()):
                return merged, tested
            tell(f"{counted(len(tested), 'input')} tested, and not all were foretold")
            self.answers |= tested

    def _test(self, unseen: list[str], count: int) -> dict[str, Trace]:
        """Inputs nobody has asked for, and what is right: half are short, half of any length."""
        drawn = self.problem.drawn(self.rng, count // 2, LONGEST)
        some = [unseen[i] for i in self.rng.permutation(len(unseen))[: count // 2].tolist()]
        texts = [text for text in dict.fromkeys((*some, *drawn)) if text not in self.answers][: self.left]
        self.left -= len(texts)
        return {text: self.problem.answer(text) for text in texts}


def _sized_for(recipe: Recipe, recording: Recording) -> Recipe:
    """With a dimension for each state that the answers need, and some to spare, unless a size is given."""
    states = fewest_states_of_traces(recording.traces)[1]
    if recipe.hidden_size is not None or states is None:
        return recipe
    return replace(recipe, hidden_size=recorded_problem(recording).hidden_size(states))
