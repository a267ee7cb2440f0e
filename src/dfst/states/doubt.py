"""Doubt: the shortest inputs that would settle what traces leave open.

Where two machines that learners found act differently, or one has no rule, the traces have not said what to
do. The input that leads there is the question to ask the teacher: query by committee (Seung et al. 1992).
Where a machine takes a rule to lead to one state and no trace tells it from another, the input that would is
the question, as in the W-method of testing (Chow 1978).
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dfst.counted import counted
from dfst.errors import Stuck
from dfst.machines.agent import Agent
from dfst.machines.compiled import record
from dfst.traces.cover import cover
from dfst.traces.inputs import rules_used
from dfst.traces.replay import replay
from dfst.traces.telling_apart import telling_apart
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import Limits
from dfst.world.trace import Trace

FOLLOWED = Limits(steps=2_000)  # how far runs are compared
MOST_STEPS = 2_000_000_000  # of all replays together: some seconds


@dataclass(frozen=True)
class Question:
    """An input that traces leave open."""

    input: str
    why: str  # for people


def doubtful(machines: Sequence[Agent], inputs: Iterable[str], most: int) -> list[Question]:
    """The first of these inputs, at most so many, on which machines part, each in another place."""
    found: list[Question] = []
    places: set[Hashable] = set()
    for text in inputs:
        if len(found) == most:
            break
        open_place = _parting([_run(machine, text) for machine in machines], machines)
        if open_place and open_place[0] not in places:
            places.add(open_place[0])
            found.append(Question(text, open_place[1]))
    return found


def untold(machine: Agent, traces: TraceSet, inputs: Iterable[str], most: int) -> list[Question]:
    """A cover of what these inputs tell apart, as the machine would run on them, and no trace of it does."""
    runs = [run for run in (_run(machine, text) for text in inputs) if isinstance(run, Trace)]
    if not runs:
        return []
    shown, tried = telling_apart(machine, traces), gather(runs, machine.name, machine.alphabet)
    possible = telling_apart(machine, tried)
    lacking = (shown.counts == 0) & (possible.counts > 0)
    lacking[:, len(machine.states) :] = False
    chosen = cover(machine, tried, lacking.astype(np.int64), per_step=len(tried) / max(1, tried.tokens))[
        :most
    ]
    why = [telling_apart(machine, tried.subset([i])).counts > 0 for i in chosen]
    places = [np.argwhere(lacking & told)[0].tolist() for told in why]
    return [
        Question(tried.inputs[i], f"{shown.named(*place)} was never shown")
        for i, place in zip(chosen, places, strict=True)
    ]


def foretells(machine: Agent, answer: Trace) -> bool:
    """Whether a machine does what the teacher did."""
    run = _run(machine, answer.input)
    return isinstance(run, Trace) and all(
        np.array_equal(a[: FOLLOWED.steps], b) for a, b in ((answer.s, run.s), (answer.m, run.m))
    )


def _run(machine: Agent, text: str) -> Trace | Stuck:
    try:
        return record(machine, text, FOLLOWED)
    except Stuck as gap:
        return gap


def _parting(runs: Sequence[Trace | Stuck], machines: Sequence[Agent]) -> tuple[Hashable, str] | None:
    """Where two runs part, or one cannot go on, and that in words; None where all are alike."""
    for i, run in enumerate(runs):
        if isinstance(run, Stuck):
            return (i, getattr(run, "gap", "")), "no example shows what to do there"
    one = runs[0]
    assert isinstance(one, Trace)
    for i, other in enumerate(runs[1:], start=1):
        assert isinstance(other, Trace)
        pairs = zip(one.s.tolist(), one.m.tolist(), other.s.tolist(), other.m.tolist(), strict=False)
        for t, (s, m, s2, m2) in enumerate(pairs):
            if (s, m) != (s2, m2):
                states = [list(rules_used(machines[k], runs[k]))[t] for k in (0, i)]  # type: ignore[arg-type]
                return (i, *states), f"two seeds part in step {t + 1}"
    return None


def nearest(machine: Agent, traces: TraceSet) -> str | None:
    """How far a machine is from the next one: which rule could lead elsewhere, and how many traces object.

    A machine that explains traces need not be the only one of its size. Of all that differ from it in where
    one rule leads, the nearest is the one that fewest traces speak against. Where none does, the traces leave
    the choice open; it may still make no difference, if no input ever asks for it. None: the machine does not
    follow the traces itself, or it would take too long.
    """
    leads, table = machine.next.copy(), (machine.write, machine.action)
    rules = [(q, a) for q, row in enumerate(leads.tolist()) for a, to in enumerate(row) if to >= 0]
    if len(rules) * len(leads) * traces.tokens > MOST_STEPS or len(
        replay(*table, leads, traces).leaves(traces)
    ):
        return None
    found = []
    for q, a in rules:
        own = int(leads[q, a])
        for p in range(len(leads)):
            if p != own:
                leads[q, a] = p
                found.append((len(replay(*table, leads, traces).leaves(traces)), q, a, p))
        leads[q, a] = own
    if not found:
        return None
    against, q, a, p = min(found)
    names = machine.states
    change = f"{names[q]} on {machine.alphabet[a]} leads to {names[p]}, not {names[int(leads[q, a])]}"
    if against:
        said = f"no change of where one rule leads explains the traces as well: if {change}"
        return f"{said}, {against:,} of {len(traces):,} would contradict it, and no fewer with any other"
    others = counted(sum(not one for one, *_ in found), "machine")
    return f"{others} of the same size would explain the traces as well: one in which {change}"
