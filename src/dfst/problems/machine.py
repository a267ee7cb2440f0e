"""A machine with a language: inputs come from a regular expression, and the machine itself is the truth.

The training set is chosen so that it shows every rule that is met on any input tried (`traces/inputs.py`).
Agreement on many inputs says little of a rule that none of them meets. So the tests also tell which rules
they meet that the training set never shows, and which rules of the machine no input meets at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dfst.languages import Language
from dfst.machines.agent import MISSING, Agent
from dfst.machines.compiled import record
from dfst.machines.formats import format_machine
from dfst.machines.rejections import REJECTS, rejections, with_rejections
from dfst.problems.problem import (
    Case,
    Examples,
    Problem,
    TestSet,
    TrainingData,
    TrainingSet,
    about,
    chosen_examples,
    rule_name,
    way_on,
)
from dfst.proof.inputs import RegularInputs
from dfst.proof.question import in_alphabet_of
from dfst.proof.verdict import ITS_MACHINE
from dfst.traces.inputs import (
    Choice,
    candidates_of_machine,
    held_out_inputs,
    language_of_machine,
    lesson_of_machine,
    rules_used,
)
from dfst.traces.replay import replayed_states
from dfst.traces.sample import MOST_STEPS, record_all
from dfst.traces.teaching_set import topped_up
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits, S
from dfst.world.unit import ControlUnit

JUDGED = Limits(steps=100_000)  # how far a run is compared; one that goes on is right so far
USUAL = Choice()
BOARDS = 100  # that are drawn, where boards are learnt from, to judge a model by
PROOF_OF_A_MACHINE = 30_000
"""Abstract configurations after which the proof about a machine without a task is given up."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MachineProblem(Problem):
    """A machine without a task; its reference has a rule for whatever it reads (`machines/rejections.py`)."""

    pattern: str | None = None  # the inputs it is meant for; None: every string over its input symbols
    given: tuple[str, ...] = ()  # inputs of the training set; none where they are chosen
    choice: Choice = USUAL
    told_apart: int | None = None
    """How often the lesson is topped up to tell everything apart; None as often as usual"""
    examples: Examples | None = None
    """So many examples are chosen in place of the usual lesson"""
    max_steps: int = JUDGED.steps  # where runs on given inputs are cut off
    untrained: bool = False  # whether what is tested learnt from something else than this training set

    @cached_property
    def language(self) -> Language:
        return language_of_machine(self.agent, self.pattern)

    @property
    def way_on(self) -> str | None:
        return way_on(self.examples, self.told_apart or 1)

    @property
    def input_pattern(self) -> str:
        return self.language.pattern

    @property
    def inputs(self) -> RegularInputs:
        return RegularInputs(self.language, self.agent)

    @cached_property
    def lesson(self) -> tuple[tuple[str, ...], int, str]:
        """The inputs of the training set, where their runs are cut off, and how they were chosen."""
        if self.given:
            return self.given, self.max_steps, self.chosen or "given"
        lesson = lesson_of_machine(self.agent, self.language, self.choice)
        if self.examples is not None:
            found = chosen_examples(self.agent, self.candidates(), self.examples, self.told_apart or 1)
            return found.traces.inputs, lesson.max_steps, found.chosen
        shown, said = lesson.inputs, f"chosen among {lesson.tried:,} inputs"
        if self.told_apart != 0:
            drawn = record_all(self.agent, list(shown), Limits(steps=lesson.max_steps), MOST_STEPS)
            traces, more = topped_up(self.agent, drawn, self.candidates(), self.told_apart)
            shown, said = traces.inputs, f"{said}: {more}"
        return shown, lesson.max_steps, said

    def candidates(self) -> TraceSet:
        return self._candidates

    @cached_property
    def _candidates(self) -> TraceSet:
        return candidates_of_machine(self.agent, self.language, self.choice)

    def training_set(self) -> TrainingSet:
        shown, max_steps, chosen = self.lesson
        traces = record_all(self.agent, list(shown), Limits(steps=max_steps), MOST_STEPS)
        return TrainingSet(traces, f"{chosen}{self._without_a_rule(traces)}")

    def _without_a_rule(self, traces: TraceSet) -> str:
        """How many runs end for want of a rule, meant or forgotten, and where the first does."""
        states, missing = replayed_states(self.agent, traces), rejections(self.agent)
        missing[-1] &= self.agent.states[-1] != REJECTS  # the step after it
        ends = np.flatnonzero(missing[states, traces.x])
        if not len(ends):
            return ""
        first = rule_name(self.agent, int(states[ends[0]]), int(traces.x[ends[0]]))
        text = traces.inputs[int(np.searchsorted(traces.start, ends[0], side="right")) - 1]
        return f"; {len(ends):,} of them end where it has no rule, such as {first} on {text!r}"

    def tests(self, sizes: Sequence[int], seed: int, *, hard: bool = True) -> list[TestSet]:
        self.check_sizes(sizes)
        agent, language = self.agent, self.language
        shown, max_steps = ((), 1) if self.untrained else self.lesson[:2]

        def spelt(text: str) -> list[int]:
            symbols: list[int] = agent.encode(text)[0].tolist()
            return symbols

        lines = [text for text in shown if agent.encode(text)[0].ndim == 1]  # boards are no words
        unseen = held_out_inputs(language, lines, spelt, seed)
        # Where the language has no other inputs, those of the training set are run once more, further.
        asked = unseen or tuple(text for text in lines if language.accepts(spelt(text)))
        size, boards = max(len(spelt(text)) for text in asked), self._boards_like(shown, seed)
        asked += boards
        taught, met = self._met(shown, Limits(steps=max_steps)), self._met(asked, JUDGED)
        known = np.argwhere((agent.next != MISSING) & ~rejections(agent)).tolist()
        kinds = ["held-out input"] * (len(asked) - len(boards)) + ["held-out board"] * len(boards)
        cases = tuple(Case(kind, text) for kind, text in zip(kinds, asked, strict=True))
        met_first = met.items() if shown else ()
        unshown = tuple((rule_name(agent, *rule), text) for rule, text in met_first if rule not in taught)
        unmet = tuple(rule_name(agent, q, x) for q, x in known if (q, x) not in met | taught)
        about_them = language.pattern, len(unseen) + len(boards), unshown, unmet
        return [TestSet(size, cases, "held-out inputs", JUDGED, *about_them)]

    def _boards_like(self, shown: Sequence[str], seed: int) -> tuple[str, ...]:
        """Boards of other symbols, up to a row and a column larger than those of the training set."""
        given = [board for text in shown if (board := self.agent.encode(text)[0]).ndim == 2]
        if not given:
            return ()
        symbols = np.unique(np.concatenate([board.ravel() for board in given]))
        sizes = np.max([board.shape for board in given], axis=0) + 1
        apart = " " if any(len(x) > 1 for x in self.alphabet) else ""
        below = "\n" if "/" in self.alphabet else "/"
        rng, found, known = (
            np.random.default_rng(seed),
            dict[str, None](),
            [board.tolist() for board in given],
        )
        for _ in range(BOARDS):
            board = rng.choice(symbols, size=(rng.integers(2, sizes[0] + 1), rng.integers(1, sizes[1] + 1)))
            if (rows := board.tolist()) not in known:
                found[below.join(apart.join(self.alphabet[x] for x in row) for row in rows)] = None
        return tuple(found)

    def _met(self, inputs: Sequence[str], limits: Limits) -> dict[tuple[int, int], str]:
        """The rules that runs on these inputs meet, each with the first input that does."""
        met: dict[tuple[int, int], str] = {}
        for text in inputs:
            for rule in set(rules_used(self.agent, record(self.agent, text, limits))):
                met.setdefault(rule, text)
        return met

    def for_unit(self, unit: ControlUnit) -> MachineProblem:
        agent = in_alphabet_of(unit, self.agent)  # type: ignore[arg-type]
        return replace(self, alphabet=agent.alphabet, blank=agent.blank, reference=agent)

    def with_settings(self, **settings: Any) -> MachineProblem:
        shown, max_steps, chosen = self.lesson
        if set(settings) != {"language"}:
            other = machine_problem(self.agent, **{"language": self.pattern, **settings})
            return replace(other, called=self.called)
        return replace(self, pattern=settings["language"], given=shown, max_steps=max_steps, chosen=chosen)

    def with_examples(self, added: Sequence[str]) -> MachineProblem:
        """Where runs of the lesson are cut off, so are those that are added."""
        (shown, cut, chosen), traces = self.lesson, self.training_set().traces
        whole = bool((traces.m[traces.start[1:] - 1] == S).all())
        given, max_steps = (*shown, *added), JUDGED.steps if whole else cut
        return replace(self, examples=None, given=given, chosen=chosen, max_steps=max_steps)

    def as_json(self) -> dict[str, Any]:
        shown, max_steps, chosen = self.lesson
        return {
            "kind": "machine",
            "name": self.name,
            "machine": format_machine(self.agent, "json"),
            "language": self.pattern,
            "inputs": list(shown),
            "chosen": chosen,
            "max_steps": max_steps,
            "called": self.called,
        }


def machine_problem(
    agent: Agent, *, max_steps: int = JUDGED.steps, untrained: bool = False, **settings: Any
) -> MachineProblem:
    """The problem of a machine without a task. settings: `TrainingData`"""
    data = TrainingData(**settings)
    agent = with_rejections(agent)
    return MachineProblem(
        **about(agent), reference=agent, example=next(iter(agent.sample_inputs), ""), called=ITS_MACHINE,
        most_configurations=PROOF_OF_A_MACHINE, pattern=data.language, given=data.inputs,
        told_apart=0 if data.samples and data.told_apart is None else data.told_apart, examples=data.examples,
        choice=Choice(data.samples or Choice.samples, data.max_digits, data.data_seed or 0),
        max_steps=max_steps, untrained=untrained,
    )  # fmt: skip
