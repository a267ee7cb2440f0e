"""The subject and the reference in step: one machine whose states are pairs of theirs.

A pair has a rule for a symbol only where both have one and both write, move and halt alike. So as long as
a run of the paired machine goes on, subject and reference do the same; and if no run of it on any input
meets a missing rule, they do the same on every input. Pairs come from following the rules from the start.

A model always does something. Where its reference has no rule there is nothing to hold it against: the run of
the pair ends there, and whatever is proved is said "as long as the reference has a rule".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.world.grid import S

MAX_PAIRS = 50_000


@dataclass(frozen=True, eq=False)
class Pairing:
    """The paired machine, and what stands behind each of its states."""

    machine: Agent
    subject: list[int]
    """The subject's state of each pair."""
    reference: list[int]
    """The reference's state of each pair."""
    disagreements: list[tuple[int, int]]
    """(pair, symbol) where both have a rule and the rules differ."""
    stops: frozenset[tuple[int, int]]
    """(pair, symbol) where the reference of a model has no rule."""

    @property
    def alike(self) -> bool:
        """Whether both act alike in every pair, whatever they read."""
        return bool((self.machine.next != MISSING).all())


def pair_up(subject: Agent, reference: Agent, *, is_model: bool = False) -> Pairing:
    """Follow both machines from the start, over the rules on which they agree.

    A model halts by a motion of its own, so how the reference would still move when it halts cannot be
    compared; and where the reference lacks a rule, the pair stops. Of two machines, a rule that both lack is
    one on which they agree: both stop there.
    """
    if subject.alphabet != reference.alphabet or subject.blank != reference.blank:
        raise InputError(
            f"{subject.name} and {reference.name} cannot run in step: their alphabets are "
            f"{' '.join(subject.alphabet)} and {' '.join(reference.alphabet)}"
        )
    number = {(0, 0): 0}
    pairs = [(0, 0)]
    rules: list[tuple[int, int, int, int, int]] = []
    disagreements: list[tuple[int, int]] = []
    stops: list[tuple[int, int]] = []
    for p, (c, q) in enumerate(pairs):
        lacked = reference.next[q] == MISSING
        if is_model:
            stops += [(p, x) for x in np.flatnonzero(lacked).tolist()]
        else:
            rules += [
                (p, x, x, S, HALT) for x in np.flatnonzero(lacked & (subject.next[c] == MISSING)).tolist()
            ]
        for x in np.flatnonzero((subject.next[c] != MISSING) & (reference.next[q] != MISSING)).tolist():
            mine, wanted = int(subject.next[c, x]), int(reference.next[q, x])
            write, motion = int(subject.write[c, x]), int(subject.motion[c, x])
            halts = (mine == HALT, wanted == HALT)
            moves_alike = motion == reference.motion[q, x] or (is_model and all(halts))
            if write != reference.write[q, x] or not moves_alike or halts[0] != halts[1]:
                disagreements.append((p, x))
                continue
            target = HALT
            if mine != HALT:
                target = number.setdefault((mine, wanted), len(pairs))
                if target == len(pairs):
                    pairs.append((mine, wanted))
            if len(pairs) > MAX_PAIRS:
                raise InputError(
                    f"{subject.name} and {reference.name} have more than {MAX_PAIRS:,} pairs of states"
                )
            rules.append((p, x, write, motion, target))
    rules += [(p, x, x, S, HALT) for p, x in stops]
    shape = (len(pairs), len(subject.alphabet))
    write_table, motion_table = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    next_table = np.full(shape, MISSING, dtype=np.int32)
    for p, x, write, motion, target in rules:
        write_table[p, x], motion_table[p, x], next_table[p, x] = write, motion, target
    names = tuple(f"{subject.states[c]}/{reference.states[q]}" for c, q in pairs)
    machine = replace(
        reference, name=subject.name, states=names, write=write_table, motion=motion_table, next=next_table
    )
    return Pairing(machine, [c for c, _ in pairs], [q for _, q in pairs], disagreements, frozenset(stops))
