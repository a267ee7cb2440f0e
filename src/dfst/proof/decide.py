"""Two machines without a task: the same Mealy machine on their common domain, or not, as a verdict.

A shortest sequence of symbols read after which they differ is always found; whether some input makes both
read it is another question. Short inputs are tried, so that there is something to replay where there can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

import numpy as np

from dfst.agents.agent import Agent
from dfst.counted import all_of
from dfst.errors import MissingRule
from dfst.proof.ends import comparable, explained
from dfst.proof.equivalence import Equivalence, equivalent
from dfst.proof.refute import Counterexample
from dfst.proof.verdict import Verdict
from dfst.world.grid import Limits

TRIED_INPUTS = 300
TRIED_STEPS = 10_000
COMMON_DOMAIN = "where one of the two has no rule, nothing is said"


def decide(subject: Agent, reference: Agent) -> Verdict:
    """Whether both act alike on every sequence of symbols for which both have rules."""
    return explained(_decide(*comparable(subject, reference)), subject, reference)


def _decide(subject: Agent, reference: Agent) -> Verdict:
    subject = _with_blank_of(reference, subject)
    found = equivalent(subject, reference)
    names, size = (subject.name, reference.name), len(subject.states)
    if found.equivalent:
        assumptions = () if found.same_domain else (COMMON_DOMAIN,)
        return Verdict(
            *names, "proved", size, f"{all_of(found.pairs, 'pair')} of states that can meet", assumptions
        )
    example = _example(subject, reference)
    told = _difference(found)
    if example is None:
        told += f"; none of the first {TRIED_INPUTS} inputs leads there"
    return Verdict(*names, "refuted", size, told, counterexample=example)


def short_inputs(machine: Agent) -> Iterator[str]:
    """Every input of a machine without a task, the shorter first, from the blank grid on."""
    between = " " if any(len(symbol) > 1 for symbol in machine.alphabet) else ""
    for length in range(TRIED_INPUTS):
        for symbols in product(machine.alphabet, repeat=length):
            yield between.join(symbols)


def _with_blank_of(reference: Agent, subject: Agent) -> Agent:
    """Models call the blank λ, machines from elsewhere 0 or _: what it is called makes no difference."""
    blank = reference.alphabet[reference.blank]
    if blank in subject.alphabet:
        return subject
    alphabet = list(subject.alphabet)
    alphabet[subject.blank] = blank
    return replace(subject, alphabet=tuple(alphabet))


def _example(subject: Agent, reference: Agent) -> Counterexample | None:
    finished = True
    for text in islice(short_inputs(reference), TRIED_INPUTS):
        try:
            mine, wanted = (
                machine.trace(text, Limits(steps=TRIED_STEPS)) for machine in (subject, reference)
            )
        except MissingRule:
            finished = False
            continue
        n = min(len(mine), len(wanted))
        written = [[run.alphabet[s] for s in run.s[:n]] for run in (mine, wanted)]
        unlike = (np.array(written[0]) != np.array(written[1])) | (mine.m[:n] != wanted.m[:n])
        if unlike.any():
            return Counterexample(
                text, f"the runs differ at step {int(np.argmax(unlike)):,}", shortest=finished
            )
        finished &= n < TRIED_STEPS
    return None


def _difference(found: Equivalence) -> str:
    return f"after reading {' '.join(found.word or ())} they differ: {found.reason}"
