"""Judging what was learnt of a machine without a task: on inputs that were held out, action by action.

Agreement on many inputs says little of a rule that none of them meets. So the report also says which rules
the held-out inputs met that the lesson never showed, which leaves the model right by chance at best, and
which rules of the machine no input met at all, of which nothing is known.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dfst.agents.agent import MISSING, Agent
from dfst.agents.compiled import record
from dfst.agents.rejections import rejections
from dfst.counted import all_of, counted
from dfst.evaluation.length import Failure, LengthReport, Subject
from dfst.languages import Language
from dfst.traces.inputs import HELD_OUT, ONLY_BLANK, held_out_inputs, rules_used
from dfst.world.grid import Limits
from dfst.world.run import Run

JUDGED = Limits(steps=100_000)
"""How far a run is compared; one that goes on is right so far."""
MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class HeldOutReport(LengthReport):
    """The outcome on the inputs that were held out; `digits` is the length of the longest of them."""

    language: str
    """The inputs that are meant, as a pattern"""
    unshown: tuple[tuple[str, str], ...] = ()
    """(rule, an input that meets it) that the lesson never showed"""
    unmet: tuple[str, ...] = ()
    """Rules of the machine that no input met, shown or held out"""
    endless: int = 0
    """Runs that had not ended where they were cut off"""

    @property
    def right(self) -> bool:
        return not self.failures and not self.unshown

    @property
    def few(self) -> bool:
        """Whether the language has fewer inputs than a judgement should rest on."""
        return self.inputs < HELD_OUT

    def sentence(self) -> str:
        """On how much it rests, and what it leaves out."""
        alone = self.language == ONLY_BLANK
        if not self.inputs:
            inputs = "its one input, the blank tape" if alone else "every input there is"
            said = f"{all_of(self.steps, 'step')} of {inputs}"
        elif self.few:
            inputs = counted(self.inputs, "held-out input")
            said = f"{all_of(self.steps, 'step')} of {inputs}, all that {self.language} has"
        else:
            inputs = f"{counted(self.inputs, 'held-out input')} of up to {counted(self.digits, 'symbol')}"
            said = f"{all_of(self.steps, 'step')} of {inputs} ({self.language})"
        if self.endless:
            had = "which had" if alone or self.endless == self.inputs else f"{self.endless:,} of which had"
            said = f"{said}, {had} not ended after {counted(JUDGED.steps, 'step')}"
        return f"{said}; {_some(self.unmet)} met on none of them" if self.unmet else said

    def problem(self) -> str | None:
        """What speaks against the model besides its failures, and what to do about it."""
        if not self.unshown:
            return None
        rules = _some([rule for rule, _ in self.unshown])
        shortest = min((text for _, text in self.unshown), key=len)
        return (
            f"{rules} never shown, but met on {shortest or 'the blank tape'}; "
            "raise --samples, or give it with --inputs"
        )


def judge(
    subject: Subject, agent: Agent, language: Language, shown: Sequence[str], max_steps: int, seed: int
) -> HeldOutReport:
    """Hold a model against the machine it was learnt from, rejections included.

    shown: the inputs of the lesson, none where no lesson is known, and then no rule is called unshown;
    max_steps: where their runs were cut off. Where the language has no other inputs, those of them that are
    in it are run once more, further.
    """
    began = time.perf_counter()

    def spelt(text: str) -> list[int]:
        symbols: list[int] = agent.encode(text)[0].tolist()
        return symbols

    inputs = held_out_inputs(language, shown, spelt, seed)
    asked = inputs or tuple(text for text in shown if language.accepts(spelt(text)))
    runs = list(subject.run_each(asked, JUDGED, agent))
    failures = [f for text, run in zip(asked, runs, strict=True) if (f := _failure(text, run))]
    taught = _met(agent, shown, Limits(steps=max_steps))
    met = _met(agent, asked, JUDGED)
    known = np.argwhere((agent.next != MISSING) & ~rejections(agent)).tolist()
    return HeldOutReport(
        subject=agent.name,
        digits=max(len(agent.encode(text)[0]) for text in asked),
        plg=not failures,
        rlg=not failures,
        inputs=len(inputs),
        steps=sum(run.steps for run in runs),
        seconds=time.perf_counter() - began,
        margin=min((run.margin for run in runs if run.margin is not None), default=float("inf")),
        failures=failures,
        language=language.pattern,
        unshown=tuple(
            (_named(agent, *rule), text) for rule, text in met.items() if shown and rule not in taught
        ),
        unmet=tuple(_named(agent, q, x) for q, x in known if (q, x) not in met | taught),
        endless=sum(not run.halted and run.steps == JUDGED.steps for run in runs),
    )


def _failure(text: str, run: Run) -> Failure | None:
    """What is wrong with a run that was held against the machine's, if anything."""
    if run.difference is not None:
        return Failure("held-out input", text, f"differs from the machine at {run.difference}", run.steps)
    if not run.halted and run.steps < JUDGED.steps:
        return Failure("held-out input", text, "the hidden state overflowed", run.steps)
    return None


def _met(agent: Agent, inputs: Sequence[str], limits: Limits) -> dict[tuple[int, int], str]:
    """The rules that runs on these inputs meet, each with the first input that does."""
    met: dict[tuple[int, int], str] = {}
    for text in inputs:
        for rule in set(rules_used(agent, record(agent, text, limits))):
            met.setdefault(rule, text)
    return met


def _named(agent: Agent, state: int, symbol: int) -> str:
    return f"({agent.states[state]}, {agent.alphabet[symbol]})"


def _some(rules: Sequence[str]) -> str:
    more = f" and {len(rules) - MOST_NAMED} more" if len(rules) > MOST_NAMED else ""
    return f"{', '.join(rules[:MOST_NAMED])}{more} {'was' if len(rules) == 1 else 'were'}"
