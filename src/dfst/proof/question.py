"""What is asked: whether a subject acts as a reference does, and on which inputs. `prove` finds an answer to
it, `--check` holds a proof against it; both ask it here, so that they are of one mind."""

from dataclasses import dataclass, replace

import numpy as np

from dfst.errors import InputError
from dfst.languages import parse
from dfst.machines.agent import Agent, check_start
from dfst.model.weights import Weights
from dfst.proof.ends import comparable, plain
from dfst.proof.inputs import EveryInput, Inputs, RegularInputs, TaskInputs
from dfst.tasks.task import Layout


@dataclass(frozen=True)
class Question:
    """Both as the prover takes them: in one alphabet, their ends as actions where acceptance is compared."""

    subject: Agent | Weights
    reference: Agent
    inputs: Inputs


def question(
    subject: Agent | Weights, reference: Agent, pattern: str | None = None, inputs: Inputs | None = None
) -> Question:
    """On the inputs given, or those that match the pattern; else on those of the task; two machines without
    one, on all."""
    check_start(subject.name, subject.layout, subject.task)
    if (mine := start_of(subject)) != (theirs := start_of(reference)):
        raise InputError(
            f"{subject.name} starts on the {mine} cell of its input and {reference.name} on the {theirs}; "
            "give two that start alike"
        )
    if isinstance(subject, Agent):
        subject, reference = comparable(subject, reference)
    else:
        reference = plain(reference)
    task = reference.task or subject.task
    if inputs is not None:
        return Question(subject, in_alphabet_of(subject, reference), inputs)
    if pattern is None and task is not None:
        if (subject.alphabet, subject.blank) != (reference.alphabet, reference.blank):
            raise _unlike(subject, reference)
        return Question(subject, reference, TaskInputs(task))
    reference = in_alphabet_of(subject, reference)
    if pattern is not None:
        words = parse(pattern, reference.alphabet, reference.blank)
        return Question(subject, reference, RegularInputs(words, reference))
    if isinstance(subject, Weights):
        raise InputError(
            f"{subject.name} and {reference.name} have no task, so there is no set of inputs to prove; "
            "give a language, such as 'a+b+'"
        )
    return Question(subject, reference, EveryInput.of(reference))


def start_of(unit: Agent | Weights) -> Layout:
    """Where the head starts on its inputs."""
    return unit.task.layout if unit.task else unit.layout


def in_alphabet_of(subject: Agent | Weights, machine: Agent) -> Agent:
    """The same machine, its symbols in the subject's order; what the blank is called makes no difference."""
    names = list(machine.alphabet)
    names[machine.blank] = subject.alphabet[subject.blank]
    if sorted(names) != sorted(subject.alphabet):
        raise _unlike(subject, machine)
    old = [names.index(symbol) for symbol in subject.alphabet]
    new = [subject.alphabet.index(name) for name in names]
    return replace(
        machine, alphabet=subject.alphabet, blank=subject.blank,
        write=np.array(new, dtype=np.uint8)[machine.write][:, old], motion=machine.motion[:, old],
        next=machine.next[:, old],
    )  # fmt: skip


def _unlike(subject: Agent | Weights, reference: Agent) -> InputError:
    return InputError(
        f"{subject.name} and {reference.name} cannot be compared: their alphabets are {_symbols(subject)} "
        f"and {_symbols(reference)}"
    )


def _symbols(unit: Agent | Weights) -> str:
    return f"{' '.join(unit.alphabet)} (blank {unit.alphabet[unit.blank]!r})"
