"""Does a machine ever halt on the blank tape? Proved that it never does, or shown that it does, or left open.

The sizes of a way to see the tape (tapes.py) are tried in a fixed order, small ones first, and all of them
again with ten times the room. One that met a halt meets it in every later round, so it is not tried again.
Between the rounds the machine is simply run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dfst.counted import counted
from dfst.errors import InputError, MissingRule
from dfst.machines.agent import Agent
from dfst.proof.certificate import agent_hash, one_line, packed_table, sealed, to_bytes
from dfst.proof.checker import check
from dfst.proof.language import InputLanguage
from dfst.proof.reading import FORMAT, MOST_WORK, PATIENT, Unreadable
from dfst.proof.sides import Column, Side, packed_invariant
from dfst.proof.tapes import Edges, Halts, Rules, Seen, TooMany, close
from dfst.world.grid import OFFSETS, D, Limits, U

ROUNDS = ((1_000, 10_000), (10_000, 100_000_000), (100_000, 0))
"""Configurations allowed in each round, and how many steps the machine is run after it."""
WINDOWS = range(1, 13)
WORDS = [(length, threshold) for length in range(1, 25) for threshold in (2, 3, 4)]

Method = dict[str, Any]
Listener = Callable[[str], None]


@dataclass(frozen=True)
class HaltingVerdict:
    """What is known about a machine on the blank tape."""

    subject: str
    strength: Literal["proved", "refuted", "tested"]
    """proved: it never halts; refuted: it halts; tested: neither was found."""
    checked: str  # what was looked at, in one sentence
    steps: int | None = None
    """Steps to the halt, or the steps that were run without one; None where the machine was not run."""
    method: dict[str, Any] | None = None  # how the tape was seen, where that is proved
    proof: dict[str, Any] | None = field(default=None, repr=False)  # the proof, as the checker reads it

    @property
    def never_halts(self) -> bool | None:
        return {"proved": True, "refuted": False}.get(self.strength)

    def sentence(self) -> str:
        """The statement for people."""
        steps = counted(self.steps or 0, "step")
        says = {
            "proved": f"proved: {self.subject} never halts on the blank tape",
            "refuted": f"refuted: {self.subject} halts on the blank tape after {steps}",
            "tested": f"tested: {self.subject} did not halt, and it is not known whether it ever does",
        }
        return f"{says[self.strength]} ({self.checked})"

    def as_json(self) -> dict[str, Any]:
        """The fields of `dfst prove --never-halts --json`."""
        record = {"subject": self.subject, "never_halts": self.never_halts, "strength": self.strength}
        return {**record, "checked": self.checked, "steps": self.steps, "method": self.method}


def methods() -> Iterator[Method]:
    """Every way to see a tape that is tried, in order."""
    for size in WINDOWS:
        yield {"name": "windows", "size": size}
    for length, threshold in WORDS:
        yield {"name": "words", "length": length, "threshold": threshold}


def prove_never_halts(machine: Agent, listener: Listener = lambda _: None) -> HaltingVerdict:
    """Search for a proof, and for the halt; `listener` is told each round."""
    rules = rules_of(machine)
    open_methods = list(methods())
    run = 0
    for limit, steps in ROUNDS:
        listener(f"{counted(len(open_methods), 'way')} to see the tape, up to {limit:,} configurations each")
        unfinished = []
        for method in open_methods:
            try:
                seen = close(rules, machine.blank, method, limit)
            except TooMany:
                unfinished.append(method)
            except Halts:
                pass
            else:
                proof = certificate(machine, seen)
                shown = check(to_bytes(proof), most_work=PATIENT)
                told = f"{counted(shown['configurations'], 'abstract configuration')}, {in_words(method)}"
                return HaltingVerdict(machine.name, "proved", told, method=method, proof=proof)
        open_methods = unfinished
        if steps:
            listener(f"running it for {steps:,} steps")
            halt = steps_to_halt(machine, steps)
            if halt is not None:
                return HaltingVerdict(machine.name, "refuted", "it was run", halt)
            run = steps
    tried = (
        f"run for {run:,} steps; words of up to {WORDS[-1][0]} cells and windows of up to {WINDOWS[-1]}, "
        f"with up to {ROUNDS[-1][0]:,} abstract configurations"
    )
    return HaltingVerdict(machine.name, "tested", tried, run)


def in_words(method: Method) -> str:
    if method["name"] == "windows":
        return f"windows of {counted(method['size'], 'cell')}"
    return f"words of {counted(method['length'], 'cell')}, counted up to {method['threshold']}"


def rules_of(machine: Agent) -> Rules:
    """The machine as the checker reads it; a missing rule is a halt."""
    if ((machine.next >= 0) & ((machine.motion == U) | (machine.motion == D))).any():
        raise InputError(f"{machine.name} moves up or down; --never-halts takes a machine on one row")
    table = zip(machine.write.tolist(), machine.motion.tolist(), machine.next.tolist(), strict=True)
    return [
        [[w, OFFSETS[m][0], to] if to >= 0 else None for w, m, to in zip(*state, strict=True)]
        for state in table
    ]


def blank_tape(machine: Agent) -> InputLanguage:
    """The one input of which it is asked whether the machine halts on it."""
    return InputLanguage((), ((0, 1 << machine.blank, 1),), (), (1,))


def certificate(machine: Agent, seen: Seen) -> dict[str, Any]:
    """The proof as a JSON object: of the form of all others, without a reference."""

    def side(edges: Edges, state: int) -> Side:
        wide: dict[int, list[tuple[Column, int]]]
        wide = {node: [((1 << cell,), below) for cell, below in edges[node]] for node in edges}
        return wide, [], {state: [0]}

    found = ((a, state, 0, (1 << cell,), b) for a, state, cell, b in seen.configurations)
    return sealed({
        "format": FORMAT,
        "subject": {"name": one_line(machine.name), "table": packed_table(machine)},
        "reference": None,
        "alphabet": list(machine.alphabet),
        "blank": machine.blank,
        "start": "first",
        "inputs": blank_tape(machine).as_json(),
        **packed_invariant((0, 0), found, (side(seen.left, 0), side(seen.right, 1))),
        "weights": None,
    })  # fmt: skip


def verify_never_halts(proof: bytes, machine: Agent, most_work: int = MOST_WORK) -> dict[str, Any]:
    """Run the checker, and see that the proof is about this machine; `Rejected` if not."""
    shown = check(proof, most_work=most_work)
    if not shown["never_halts"] or shown["inputs"] != blank_tape(machine).as_json():
        raise Unreadable("it is about something else than halting on the blank tape")
    if shown["subject_sha256"] != agent_hash(machine):
        raise Unreadable(f"it is about another machine than {machine.name}")
    return shown


def steps_to_halt(machine: Agent, most: int) -> int | None:
    """Steps from the blank tape to the halt; a missing rule halts, and reading it counts as a step."""
    machine = replace(machine, task=None, stuck_rejects=False)  # a task has no blank input
    try:
        end = machine.run("", Limits(steps=most))
    except MissingRule as error:
        return (error.step or 0) + 1
    return end.steps if end.halted else None
