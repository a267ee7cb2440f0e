"""What can be said at the end, in words that state their strength, from weak to strong.

refuted      it does not act as the reference does: there is a counterexample
tested       it did on the runs listed; nothing more is known
conditional  for every input of any length, provided that the reference never lacks a rule there
bounded      for every input of up to so many symbols, or in the first so many steps of each run, in the
             floats as they run
proved       for every input of any length, in the floats as they run

The last three are said only of what the checker accepted, and are made from what it returned.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, get_args

from dfst.counted import counted, listed
from dfst.machines.agent import Agent
from dfst.proof.checker import Strength, sentence, strength
from dfst.proof.inputs import EVERY_INPUT
from dfst.proof.refute import Counterexample

STRENGTHS: tuple[Strength, ...] = get_args(Strength)
SETTLED: tuple[Strength, ...] = ("conditional", "proved")
"""Said of every input of any length, if only on a condition"""
ITS_MACHINE = "its machine"
"""What the machine is called that a run folder was learnt from: it may have any name, an expert's as well."""
FINITE_MEMORY = "the grid has room for every cell the run visits"
TABLE_ARITHMETIC = "the table is run as written, and stops where it has no rule; no arithmetic is involved"
NAMED_STOPS = 2  # rules named of those that a reference may lack


def assumed(sums: str | None) -> tuple[str, ...]:
    """What a proof rests on besides its checker. sums: the order in which a model's sums are taken."""
    return FINITE_MEMORY, TABLE_ARITHMETIC if sums is None else f"IEEE 754 arithmetic, {sums}"


def condition(shown: dict[str, Any], reference: Agent) -> str | None:
    """What a conditional statement leaves open, in words."""
    if not shown["stops"]:
        return None
    named = [f"({reference.states[q]}, {reference.alphabet[x]})" for q, x in shown["stops"]]
    others = f" and {len(named) - NAMED_STOPS:,} more" if len(named) > NAMED_STOPS else ""
    return f"it is not excluded that the reference lacks {', '.join(named[-NAMED_STOPS:])}{others}"


@dataclass(frozen=True)
class Verdict:
    """The strongest statement that was reached about a subject and a reference."""

    subject: str
    against: str
    strength: Strength
    states: int  # states of the subject: learnt states, for a DFST
    checked: str  # what was looked at, in one sentence
    assumptions: tuple[str, ...] = ()  # what the statement rests on
    counterexample: Counterexample | None = None
    shown: dict[str, Any] | None = field(default=None, repr=False)
    """What the checker returned, where it accepted a proof."""
    condition: str | None = None  # what a conditional statement leaves open
    inputs: str = EVERY_INPUT  # the inputs that the statement is about, in words
    examples: int = 0  # for a learnt model: how many examples its file says it was learnt from
    by_expert: bool = False  # whether the reference is the expert the model was learnt from
    path: tuple[str, ...] = ()
    """Where nothing could be proved: why, or an abstract path to a pair that stayed open."""
    proof: dict[str, Any] | None = field(default=None, repr=False)  # the proof, as the checker reads it

    def __repr__(self) -> str:
        told = f", {counted(self.states, 'state')}" if self.states else ""
        told += f", up to {counted(self.length, 'symbol')}" if self.length else ""
        if self.counterexample is not None:
            told += f", counterexample {listed([self.counterexample.input]):.60}"
        return f"<Verdict {self.strength}: {self.subject} against {self.against}{told}>"

    def accepted(self, shown: dict[str, Any], proof: dict[str, Any], reference: Agent, how: str) -> Verdict:
        """The verdict with what the checker said of a proof; `how` tells what it looked at."""
        open_rules = condition(shown, reference)
        return replace(
            self, strength=strength(shown), states=shown["states"], checked=how, shown=shown, proof=proof,
            assumptions=assumed(shown["sums"]), condition=open_rules,
        )  # fmt: skip

    @property
    def equivalent(self) -> bool | None:
        """True where it is proved, False where it is refuted, None where it is open."""
        return {"proved": True, "refuted": False}.get(self.strength)

    @property
    def settled(self) -> bool:
        """Whether it is said of every input of any length, if only on a condition."""
        return self.strength in SETTLED

    @property
    def steps(self) -> int | None:
        """The first steps of each run that the statement is about; None: all of them."""
        return self.shown["steps"] if self.shown else None

    @property
    def length(self) -> int | None:
        """The symbols of the longest inputs that a bounded statement is about, where that is known."""
        return self.shown["length"] if self.shown else None

    @property
    def arithmetic(self) -> str | None:
        """For a DFST: in which numbers the statement holds; None where no numbers are involved."""
        return self.shown["arithmetic"] if self.shown else None

    @property
    def answer(self) -> str | None:
        """What is computed, for every input, where that is proved; then every run ends, too."""
        return self.shown["answer"] if self.shown else None

    @property
    def reference(self) -> str:
        """Whom it is held against, in words: a model and its expert may have one name."""
        return "its expert" if self.by_expert else self.against

    def claim(self) -> str | None:
        """What the checker accepted, to be quoted; None where there is no proof."""
        if self.shown is None:
            return None
        return sentence({**self.shown, "subject": self.subject, "reference": self.reference}, self.inputs)

    def sentence(self) -> str:
        """The statement for people, its strength in front and what was looked at behind."""
        if (says := self.claim()) is not None:
            pass
        elif self.counterexample is not None:
            rank = "the shortest" if self.counterexample.shortest else "a"
            shown = self.counterexample.written or self.counterexample.input or "the blank grid"
            says = f"{self.subject} acts otherwise than {self.reference}; {rank} counterexample is {shown}"
        elif self.strength == "refuted":
            says = f"{self.subject} acts otherwise than {self.reference}"
        else:
            says = f"{self.subject} acted as {self.reference} does wherever it was tried"
        learnt = f"; learnt from {counted(self.examples, 'example')}" if self.examples else ""
        return f"{self.strength}: {says} ({self.checked}{learnt})"

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
            "counterexample": None if example is None else example.as_json(),
            "claim": self.claim(),
            "condition": self.condition,
            "arithmetic": self.arithmetic,
            "steps": self.steps,
            "length": self.length,
            "answer": self.answer,
            "ends": self.answer is not None,
            "examples": self.examples,
        }
