"""Acceptance as something that shows: whoever compares actions then compares it, too.

Before two machines that both say what they accept are compared, every end that rejects is given one more
step: the rule that would halt there goes on, to a state that halts whatever it reads. Then one that accepts
and one that rejects part at that very rule, and neither the prover nor the checker has to know of acceptance.
Of two finite automata, which only read from left to right, the languages are compared: each reads on to the
end of the input before it says whether it accepts; where and why one rejects makes no difference.
"""

from dataclasses import replace

import numpy as np

from dfst.errors import Stuck
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.formats.fit import spare_name
from dfst.machines.rejections import one_more_step, rejecting_rules
from dfst.proof.verdict import Verdict
from dfst.world.grid import Limits, R, S

REJECTS = "rejects"
ENDS = ("accepts", REJECTS, "rejected")
ONLY_ACTIONS = "which inputs are accepted is compared only as far as it shows in actions"
LANGUAGES = "both only read, from left to right, so what is compared is which inputs they accept"
SILENT = "an end that says neither is taken for one that accepts"
REPLAYED = 1_000_000  # steps in which a counterexample is replayed, to say what differs


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
    if is_automaton(subject) and is_automaton(reference):
        return reads_all(subject), reads_all(reference)
    unlike = subject.stuck_rejects != reference.stuck_rejects
    one, two = (ends_as_actions(machine, unlike) for machine in (subject, reference))
    return one, two


def is_automaton(machine: Agent) -> bool:
    """Whether it is a finite automaton: it changes nothing, moves right to the blank, and decides."""
    given, goes = machine.next != MISSING, machine.next >= 0
    keeps = (machine.write == np.arange(len(machine.alphabet)))[given].all()
    onward = (machine.motion == R)[goes].all() and not goes[:, machine.blank].any()
    told = machine.end is not None and all(end.accepts is not None for end in machine.ends)
    decides = (machine.stuck_rejects or given.all()) and (told or not (machine.next == HALT).any())
    return bool(keeps and onward and decides and machine.layout == "first")


def reads_all(machine: Agent) -> Agent:
    """The automaton, reading on to the blank; there it halts to accept, and to reject takes one more step."""
    count, every = len(machine.states), np.arange(len(machine.alphabet))
    accepts = np.zeros(machine.next.shape, dtype=bool)
    if machine.end is not None:
        accepts = (machine.next == HALT) & np.array([bool(end.accepts) for end in machine.ends])[machine.end]
    accepting, rejecting, rejected = range(count, count + 3)
    following = np.where(accepts, accepting, np.where(machine.next < 0, rejecting, machine.next))
    following = np.vstack(
        [following, *(np.full_like(every, state) for state in (accepting, rejecting, HALT))]
    )
    at_end = following[:, machine.blank]
    following[:, machine.blank] = np.where(at_end == rejecting, rejected, HALT)
    moves = np.where(every == machine.blank, S, R)
    return replace(
        plain(machine),
        states=(*machine.states, *(spare_name(name, machine.states) for name in ENDS)),
        write=np.tile(every, (count + 3, 1)).astype(np.uint8),
        motion=np.vstack([np.tile(moves, (count + 2, 1)), np.full_like(every, S)]).astype(np.uint8),
        next=following.astype(np.int32),
    )


def plain(machine: Agent) -> Agent:
    """The same table, without a word on how runs end."""
    return replace(machine, ends=(), end=None, stuck_rejects=False)


def ends_as_actions(machine: Agent, stuck_too: bool = False) -> Agent:
    """The machine with one more step wherever it halts to reject; with `stuck_too`, also where it lacks a
    rule and thereby rejects."""
    rejecting = rejecting_rules(machine)
    stuck = (machine.next == MISSING) & (stuck_too and machine.stuck_rejects)
    if not (rejecting | stuck).any():
        return plain(machine)
    return plain(one_more_step(machine, stuck, rejecting, spare_name(REJECTS, machine.states)))


def assumed_of_ends(subject: Agent | None, reference: Agent) -> tuple[str, ...]:
    """What a proof about the two says of acceptance, where it says less than all; subject None: a model."""
    speaks = subject is not None and says(subject)
    if says(reference) != speaks:
        return (ONLY_ACTIONS,)
    if subject is not None and speaks and is_automaton(subject) and is_automaton(reference):
        return (LANGUAGES,)
    ends = (*subject.ends, *reference.ends) if subject is not None and speaks else ()
    return (SILENT,) if any(end.accepts is None for end in ends) else ()


def explained(verdict: Verdict, subject: Agent | None, reference: Agent) -> Verdict:
    """The verdict on what the prover was given, told of the two as they are; subject None: a model.

    It says what a counterexample shows of acceptance, or that none was compared.
    """
    if subject is not None:  # as it is, without the state that an end may have been given
        verdict = replace(verdict, states=len(subject.states))
    if verdict.shown is not None:
        caveats = assumed_of_ends(subject, reference)
        checked = "; ".join((verdict.checked, *caveats))  # the sentence says it, too
        return replace(verdict, checked=checked, assumptions=(*verdict.assumptions, *caveats))
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
