"""Machines that others published, with the results they are known for: independent test cases.

All start on a blank grid in their first state. The halting step counts, and it writes. A name is what
people type: `dfst run bb5`.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from dfst.errors import UnknownName
from dfst.machines.agent import Agent
from dfst.machines.formats import parse_machine


@dataclass(frozen=True)
class PublishedMachine:
    """One machine and what is known of it; None where nothing was published or it never halts."""

    name: str
    text: str
    source: str
    steps: int | None = None  # steps to the halt
    nonblank: int | None = None  # cells that are not blank at the halt
    visited: int | None = None  # cells the head ever stood on
    known: str = ""  # what else is known, in words

    @property
    def result(self) -> str:
        """What is known, in one line."""
        parts = [
            f"{self.steps:,} steps" if self.steps else "",
            f"{self.nonblank:,} cells" if self.nonblank else "",
            f"{self.visited:,} visited" if self.visited else "",
            self.known,
        ]
        return ", ".join(part for part in parts if part)


FILE = Path(__file__).with_name("published.jsonl")
_MACHINES = (PublishedMachine(**json.loads(line)) for line in FILE.read_text("utf-8").splitlines())
PUBLISHED = {machine.name: machine for machine in _MACHINES}


@lru_cache(maxsize=64)
def published(name: str) -> Agent:
    """The published machine of that name."""
    if name not in PUBLISHED:
        raise UnknownName("published machine", name, PUBLISHED, listed="dfst list")
    machine = PUBLISHED[name]
    return replace(parse_machine(machine.text, name=name), source=machine.source)
