"""What can be said at the end, in words that state their strength, from weak to strong.

tested    acted as the reference does on the runs listed
closed    besides, each context stands for one state of the reference, agrees with its rules, covers all
          of them, and no new context appeared over the further runs listed
proved    for every input of the task, of any length, the subject acts as the reference does
refuted   it does not: there is a counterexample
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dfst.proof.refute import Counterexample

Strength = Literal["tested", "closed", "proved", "refuted"]


@dataclass(frozen=True)
class Verdict:
    """The strongest statement that was reached about a subject and a reference."""

    subject: str
    against: str
    strength: Strength
    states: int
    """States of the subject: contexts, for a DFST."""
    checked: str
    """What was looked at, in one sentence."""
    assumptions: tuple[str, ...] = ()
    """What the statement rests on."""
    counterexample: Counterexample | None = None
    steps: dict[str, float] = field(default_factory=dict)
    """For a DFST: how many steps are covered in each arithmetic; infinite for all."""
    path: tuple[str, ...] = ()
    """Where nothing could be proved: an abstract path to a pair that stayed open."""
    proof: dict[str, Any] | None = field(default=None, repr=False)
    """The proof, as the checker reads it."""

    @property
    def equivalent(self) -> bool | None:
        """True where it is proved, False where it is refuted, None where it is open."""
        return {"proved": True, "refuted": False}.get(self.strength)

    def sentence(self) -> str:
        """The statement for people."""
        if self.strength == "proved":
            says = f"proved: {self.subject} acts as {self.against} does on every input, of any length"
            if "float64" in self.steps and np.isfinite(self.steps["float64"]):
                steps = f"{self.steps['float64']:,.0f} steps"
                says += f", its hidden state held at its contexts; in float64, not held, for {steps} at least"
        elif self.strength == "refuted" and self.counterexample is not None:
            example = self.counterexample
            rank = "the shortest" if example.shortest else "a"
            shown = example.input or "the blank grid"
            says = f"refuted: {self.subject} is not {self.against}; {rank} counterexample is {shown}"
        elif self.strength == "refuted":
            says = f"refuted: {self.subject} is not {self.against}"
        elif self.strength == "closed":
            says = f"closed: {self.subject} stayed on a closed graph that agrees with {self.against}"
        else:
            says = f"tested: {self.subject} acted as {self.against} does wherever it was tried"
        return f"{says} ({self.checked})"

    def as_json(self) -> dict[str, Any]:
        """The fields of `dfst prove --json`."""
        example = self.counterexample
        return {
            "subject": self.subject,
            "against": self.against,
            "equivalent": self.equivalent,
            "strength": self.strength,
            "states": self.states,
            "checked": self.checked,
            "assumptions": list(self.assumptions),
            "counterexample": None
            if example is None
            else {"input": example.input, "what": example.what, "shortest": example.shortest},
            "steps": {name: None if steps == float("inf") else steps for name, steps in self.steps.items()},
        }
