"""How far a learnt machine is from the next one: which rule could lead elsewhere, and how many traces object.

A machine that explains traces need not be the only one of its size. Of all machines that differ from it in
where one rule leads, the nearest is the one that fewest traces speak against. Where none does, the traces
leave the choice open; it may still make no difference, if no input ever asks for it.
"""

from dfst.counted import counted
from dfst.machines.agent import Agent
from dfst.traces.replay import replay
from dfst.traces.traceset import TraceSet

MOST_STEPS = 2_000_000_000  # of all replays together: some seconds


def nearest(machine: Agent, traces: TraceSet) -> str | None:
    """In words; None where the machine does not follow the traces itself, or where it would take too long."""
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
