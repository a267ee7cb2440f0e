"""Acceptance as something that shows: whoever compares actions then compares it, too.

Proofs are about actions: what is written, how the head moves, when it halts. Whether a machine halts in a
state that accepts is no action. So, before two machines that both say what they accept are compared, every
end that rejects is given one more step: the rule that would halt there goes on, to a state that halts
whatever it reads. Then one that accepts and one that rejects part at that very rule, and neither the prover
nor the trusted checker has to know of acceptance. Ends that say nothing halt as they did.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.errors import Stuck
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.formats.fit import spare_name
from dfst.proof.verdict import Verdict
from dfst.world.grid import Limits, S

REJECTS = "rejects"
ONLY_ACTIONS = "which inputs are accepted is compared only as far as it shows in actions"
SILENT = "an end that says neither is taken for one that accepts"
REPLAYED = 1_000_000
"""Steps in which a counterexample is replayed, to say what differs."""


def says(machine: Agent) -> bool:
    """Whether a machine says of some end that it accepts or rejects; to lack a rule may be one."""
    stuck = machine.stuck_rejects and bool((machine.next == MISSING).any())
    return stuck or any(end.accepts is not None for end in machine.ends)


def comparable(subject: Agent, reference: Agent) -> tuple[Agent, Agent]:
    """Two machines as the prover takes them: ends are actions if both say what they accept, else left out.

    Where one rejects for lack of a rule and to the other that is an error, to lack one is an action, too.
    """
    if not (says(subject) and says(reference)):
        return plain(subject), plain(reference)
    unlike = subject.stuck_rejects != reference.stuck_rejects
    one, two = (ends_as_actions(machine, unlike) for machine in (subject, reference))
    return one, two


def plain(machine: Agent) -> Agent:
    """The same table, without a word on how runs end."""
    return replace(machine, ends=(), end=None, stuck_rejects=False)


def ends_as_actions(machine: Agent, stuck_too: bool = False) -> Agent:
    """The machine with one more step wherever it halts to reject; with `stuck_too`, also where it lacks a
    rule and thereby rejects."""
    rejecting = np.zeros(machine.next.shape, dtype=bool)
    if machine.end is not None:
        rejects = np.array([end.accepts is False for end in machine.ends])
        rejecting = (machine.next == HALT) & rejects[machine.end]
    stuck = (machine.next == MISSING) & (stuck_too and machine.stuck_rejects)
    if not (rejecting | stuck).any():
        return plain(machine)
    every = np.arange(len(machine.alphabet))
    return replace(
        plain(machine),
        states=(*machine.states, spare_name(REJECTS, machine.states)),
        write=np.vstack([np.where(stuck, every, machine.write), every]).astype(np.uint8),
        motion=np.vstack([np.where(stuck, S, machine.motion), np.full_like(every, S)]).astype(np.uint8),
        next=np.vstack(
            [np.where(rejecting | stuck, len(machine.states), machine.next), np.full_like(every, HALT)]
        ).astype(np.int32),
    )


def assumed_of_ends(subject: Agent | None, reference: Agent) -> tuple[str, ...]:
    """What a proof about the two says of acceptance, where it says less than all; subject None: a model."""
    speaks = subject is not None and says(subject)
    if says(reference) != speaks:
        return (ONLY_ACTIONS,)
    ends = (*subject.ends, *reference.ends) if subject is not None and speaks else ()
    return (SILENT,) if any(end.accepts is None for end in ends) else ()


def explained(verdict: Verdict, subject: Agent | None, reference: Agent) -> Verdict:
    """The verdict on what the prover was given, told of the two as they are; subject None: a model.

    It says what a counterexample shows of acceptance, or that none was compared.
    """
    if subject is not None:  # as it is, without the state that an end may have been given
        verdict = replace(verdict, states=len(subject.states))
    if verdict.shown is not None:
        return replace(verdict, assumptions=(*verdict.assumptions, *assumed_of_ends(subject, reference)))
    example = verdict.counterexample
    if example is None or subject is None or not says(subject) or not says(reference):
        return verdict
    try:
        runs = [unit.run(example.input, Limits(steps=REPLAYED)) for unit in (subject, reference)]
    except Stuck:
        return verdict
    if runs[0].accepted is runs[1].accepted and runs[0].ending == runs[1].ending:
        return verdict
    told = f"{example.what}: {runs[0].ending} by {subject.name}, {runs[1].ending} by {reference.name}"
    if runs[0].accepted is runs[1].accepted:
        told += "; actions are compared, and not only what is accepted"
    return replace(verdict, checked=told, counterexample=replace(example, what=told))
