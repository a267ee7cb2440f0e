"""The subject and the reference in step: one machine whose states are pairs of theirs.

A pair has a rule for a symbol only where both have one and both write, move and halt alike. So as long as
a run of the paired machine goes on, subject and reference do the same; and if no run of it on any input
meets a missing rule, they do the same on every input. Pairs come from following the rules from the start.

A model always does something. Where its reference has no rule there is nothing to hold it against: the run of
the pair ends there, and whatever is proved is said "as long as the reference has a rule".
"""

from dataclasses import dataclass, replace

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.proof.checker import by_state
from dfst.world.grid import S

MAX_PAIRS = 50_000


@dataclass(frozen=True, eq=False)
class Pairing:
    """The paired machine, and what stands behind each of its states."""

    machine: Agent
    subject: list[int]  # the subject's state of each pair
    reference: list[int]  # the reference's state of each pair
    disagreements: list[tuple[int, int]]  # (pair, symbol) where both have a rule and the rules differ
    stops: frozenset[tuple[int, int]]  # (pair, symbol) where the reference of a model has no rule

    @property
    def alike(self) -> bool:
        """Whether both act alike in every pair, whatever they read."""
        return bool((self.machine.next != MISSING).all())


def pair_up(subject: Agent, reference: Agent, *, is_model: bool = False) -> Pairing:
    """Follow both machines from the start, over the rules on which they agree; that both lack a rule is one.
    A model halts by a motion of its own, so how the reference would still move then is not compared."""
    if subject.alphabet != reference.alphabet or subject.blank != reference.blank:
        raise InputError(
            f"{subject.name} and {reference.name} cannot run in step: their alphabets are "
            f"{' '.join(subject.alphabet)} and {' '.join(reference.alphabet)}"
        )
    number, pairs = {(0, 0): 0}, [(0, 0)]
    table: list[list[tuple[int, int, int]]] = []
    disagreements: list[tuple[int, int]] = []
    stops: list[tuple[int, int]] = []
    one, two = (by_state((agent.write, agent.motion, agent.next)) for agent in (subject, reference))
    for p, (c, q) in enumerate(pairs):
        table.append([])
        for x, ((write, motion, mine), (wants, moves, wanted)) in enumerate(zip(one[c], two[q], strict=True)):
            target = MISSING
            if wanted == MISSING and (is_model or mine == MISSING):
                write, motion, target = x, S, HALT
                stops += [(p, x)] * is_model
            elif MISSING not in (mine, wanted):
                if write == wants and mine == wanted == HALT and (is_model or motion == moves):
                    target = HALT
                elif write == wants and motion == moves and HALT not in (mine, wanted):
                    target = number.setdefault((mine, wanted), len(pairs))
                    pairs += [(mine, wanted)] * (target == len(pairs))
                else:
                    disagreements.append((p, x))
            table[-1].append((write, motion, target) if target != MISSING else (0, S, MISSING))
        if len(pairs) > MAX_PAIRS:
            raise InputError(
                f"{subject.name} and {reference.name} have more than {MAX_PAIRS:,} pairs of states"
            )
    write_table, motion_table, next_table = np.array(table).transpose(2, 0, 1)
    names = tuple(f"{subject.states[c]}/{reference.states[q]}" for c, q in pairs)
    machine = replace(
        reference, name=subject.name, states=names, write=write_table.astype(np.uint8),
        motion=motion_table.astype(np.uint8), next=next_table.astype(np.int32),
    )  # fmt: skip
    return Pairing(machine, [c for c, _ in pairs], [q for _, q in pairs], disagreements, frozenset(stops))
