"""Two subjects on the inputs of a regular language: machines without a task, or some of a task's inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.agents.agent import Agent
from dfst.errors import InputError
from dfst.languages import parse
from dfst.model.weights import Weights
from dfst.proof.decide import decide
from dfst.proof.ends import comparable, explained, plain
from dfst.proof.inputs import RegularInputs
from dfst.proof.prove import prove
from dfst.proof.verdict import Verdict
from dfst.states.extract import Extraction


def prove_on_language(subject: Agent | Weights | Extraction, reference: Agent, pattern: str) -> Verdict:
    """The strongest statement about the subject acting as the reference does on what the pattern matches."""
    if not isinstance(subject, Agent):
        unit = subject.graph.weights if isinstance(subject, Extraction) else subject
        spelt, inputs = on_language(unit, reference, pattern)
        return explained(prove(subject, spelt, inputs=inputs), None, reference)
    one, two = comparable(subject, reference)
    two, inputs = on_language(one, two, pattern)
    verdict = prove(one, two, inputs=inputs)
    if verdict.strength == "tested":
        # The abstraction was too coarse; equal tables need none.
        decided = decide(one, two)
        if decided.strength == "proved" and not decided.assumptions:
            verdict = decided
    return explained(verdict, subject, reference)


def on_language(subject: Agent | Weights, reference: Agent, pattern: str) -> tuple[Agent, RegularInputs]:
    """The reference in the subject's alphabet, and the inputs that the pattern means for both."""
    if subject.layout != reference.layout:
        raise InputError(
            f"{subject.name} starts on the {subject.layout} cell of its input and {reference.name} on the "
            f"{reference.layout}; give two that start alike"
        )
    reference = in_alphabet_of(subject, plain(reference))
    return reference, RegularInputs(parse(pattern, reference.alphabet, reference.blank), reference)


def in_alphabet_of(subject: Agent | Weights, machine: Agent) -> Agent:
    """The same machine, its symbols in the subject's order; what the blank is called makes no difference."""
    names = list(machine.alphabet)
    names[machine.blank] = subject.alphabet[subject.blank]
    if sorted(names) != sorted(subject.alphabet):
        raise InputError(
            f"{subject.name} and {machine.name} cannot be compared: their alphabets are "
            f"{' '.join(subject.alphabet)} and {' '.join(machine.alphabet)}"
        )
    old = [names.index(symbol) for symbol in subject.alphabet]
    new = [subject.alphabet.index(name) for name in names]
    return replace(
        machine,
        alphabet=subject.alphabet,
        blank=subject.blank,
        write=np.array(new, dtype=np.uint8)[machine.write][:, old],
        motion=machine.motion[:, old],
        next=machine.next[:, old],
    )
