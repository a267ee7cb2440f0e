"""What can be said at the end, in words that state their strength, from weak to strong.

refuted   it does not act as the reference does: there is a counterexample
tested    it did on the runs listed; nothing more is known
bounded   for every input, in the first so many steps of the run, in the floats as they run
proved    for every input of any length, in the floats as they run
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from dfst.counted import counted
from dfst.proof.checker import sentence
from dfst.proof.inputs import EVERY_INPUT
from dfst.proof.refute import Counterexample

Strength = Literal["refuted", "tested", "bounded", "proved"]
ITS_MACHINE = "its machine"
"""What the machine is called that a run folder was learnt from: it may have any name, an expert's as well."""
FINITE_MEMORY = "the grid has room for every cell the run visits"
TABLE_ARITHMETIC = "the table is run as written, and stops where it has no rule; no arithmetic is involved"


def assumed(sums: str | None) -> tuple[str, ...]:
    """What a proof rests on besides its checker. sums: the order in which a model's sums are taken."""
    return FINITE_MEMORY, TABLE_ARITHMETIC if sums is None else f"IEEE 754 arithmetic, {sums}"


@dataclass(frozen=True)
class Verdict:
    """The strongest statement that was reached about a subject and a reference."""

    subject: str
    against: str
    strength: Strength
    states: int
    """States of the subject: learnt states, for a DFST."""
    checked: str
    """What was looked at, in one sentence."""
    assumptions: tuple[str, ...] = ()
    """What the statement rests on."""
    counterexample: Counterexample | None = None
    arithmetic: str | None = None
    """For a DFST: in which numbers the statement holds; None where no numbers are involved."""
    steps: int | None = None
    """The first steps of each run that the statement is about; None: all of them."""
    stops: tuple[str, ...] = ()
    """For a DFST: rules its reference lacks and patterns do not exclude that it comes to."""
    inputs: str = EVERY_INPUT
    """The inputs that the statement is about, in words."""
    examples: int = 0
    """For a learnt model: how many examples it was learnt from."""
    by_expert: bool = False
    """Whether the reference is the expert the model was learnt from."""
    answer: str | None = None
    """What is computed, for every input, where that is proved; then every run ends, too."""
    path: tuple[str, ...] = ()
    """Where nothing could be proved: an abstract path to a pair that stayed open."""
    proof: dict[str, Any] | None = field(default=None, repr=False)
    """The proof, as the checker reads it."""

    @property
    def equivalent(self) -> bool | None:
        """True where it is proved, False where it is refuted, None where it is open."""
        return {"proved": True, "refuted": False}.get(self.strength)

    @property
    def reference(self) -> str:
        """Whom it is held against, in words: a model and its expert may have one name."""
        return "its expert" if self.by_expert else self.against

    def claim(self) -> str:
        """What is proved, to be quoted; only for what is proved or bounded."""
        learnt = f", learnt from {counted(self.examples, 'example')}," if self.examples else ""
        shown = {"subject": f"{self.subject}{learnt}", "reference": self.reference}
        shown |= {name: getattr(self, name) for name in ("steps", "arithmetic", "stops", "answer")}
        return sentence(shown, self.inputs)

    def sentence(self) -> str:
        """The statement for people, its strength in front and what was looked at behind."""
        if self.strength in ("proved", "bounded"):
            says = self.claim()
        elif self.counterexample is not None:
            rank = "the shortest" if self.counterexample.shortest else "a"
            shown = self.counterexample.input or "the blank grid"
            says = f"{self.subject} acts otherwise than {self.reference}; {rank} counterexample is {shown}"
        elif self.strength == "refuted":
            says = f"{self.subject} acts otherwise than {self.reference}"
        else:
            says = f"{self.subject} acted as {self.reference} does wherever it was tried"
        return f"{self.strength}: {says} ({self.checked})"

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
            "claim": self.claim() if self.strength in ("proved", "bounded") else None,
            "arithmetic": self.arithmetic,
            "steps": self.steps,
            "answer": self.answer,
            "ends": self.answer is not None,
        }
