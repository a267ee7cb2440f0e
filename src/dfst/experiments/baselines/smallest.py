"""The smallest machine that explains the traces, by a SAT solver: the fewest states, then the fewest rules.

Exact identification (states/certify.py). It is told nothing but the traces, and is deterministic.
"""

from __future__ import annotations

import time

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import Assignment, Trained, trained_machine
from dfst.states.certify import smallest_machine

SECONDS = 60.0
"""For each question to the solver; where one on rules takes longer, the machine found so far is kept."""


def train(assignment: Assignment) -> Trained:
    began = time.monotonic()
    machine, known = smallest_machine(assignment.agent, assignment.traces, SECONDS)
    if machine is None:
        raise InputError(f"sat found no machine within {SECONDS:g} seconds a question; give fewer examples")
    return trained_machine(machine, assignment, began, fewest=known)
