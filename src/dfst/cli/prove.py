"""dfst prove"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dfst.cli.arguments import File, Number, OtherSubject, OutFile, Pattern, SubjectArgument, first_given
from dfst.cli.output import answer, answer_json, check_place, complain, console, say
from dfst.counted import counted
from dfst.errors import InputError
from dfst.plugins import is_python_file

if TYPE_CHECKING:
    from dfst.machines.agent import Agent
    from dfst.model.weights import Weights
    from dfst.proof import Verdict
    from dfst.proof.checker import Strength
    from dfst.proof.never_halts import HaltingVerdict
    from dfst.proof.refute import Counterexample


Question = tuple["Agent | Weights", "Agent", str, "str | None"]
"""The subject, the reference, what that is called in the answer, and the inputs as a regular expression; None
for those of the task."""


@dataclass(frozen=True)
class Prove:
    """Prove that a subject acts as its expert does on every input, or show an input where it does not.

    Without --against, the expert of the subject's task is the reference, or the machine that a run folder was
    learnt from, on the inputs it was learnt for. Two machines without a task are compared on every input;
    two that say which inputs they accept must accept the same. The first word of the answer states its
    strength:
      proved       on every input of any length, in the floats as they run
      bounded      the same, up to a length of inputs or for the first steps
      conditional  as long as the reference has a rule; it says which it may lack
      tested       no difference was met; nothing more is known
      refuted      there is a counterexample; the line that replays it is printed

    The first three are what the checker says of a written proof, and that it is right to imitate the
    reference is no part of them.

    Examples:
      dfst prove add2 --out proof.json
      dfst prove add2 --check proof.json
      dfst prove machine.json --against expert:add10
      dfst prove runs/my-run --json
      dfst prove mine.yaml --against theirs.jff --language 'a+b+c+'
      dfst prove add2.descent --up-to 100
      dfst prove add2.descent --sweeps 1000000
      dfst prove 1RB0LB_1LA1RA --never-halts

    Exit status 0 means proved (or as strong as --at-least or --up-to asks), 1 anything weaker.
    """

    subject: SubjectArgument
    """A learnt model (add2), expert:add10, compiled:add10, a machine, file.py:function or a run folder."""
    against: OtherSubject = None
    """The agent or machine to compare it with; by default the expert of its task."""
    language: Pattern = None
    """The inputs, as a regular expression over the symbols, instead of the task's."""
    out: OutFile = None
    """Write the proof here; --check, or the checker by itself, verifies it."""
    check: File = None
    """Verify this proof of the subject instead of making one, and say what it shows."""
    patient: bool = False
    """Check a proof that asks for more than some seconds of work, as a hostile one would."""
    at_least: Literal["tested", "conditional", "bounded", "proved"] = "proved"
    """The weakest answer that counts as success."""
    up_to: Number = None
    """Count it as success, too, if it is proved of every input of up to so many symbols."""
    sweeps: Number = None
    """For a model that is not proved: also try inputs of one symbol repeated so often, such as 1000000."""
    never_halts: bool = False
    """Prove that the machine never halts on the blank tape, or say after how many steps it does."""
    json: bool = False
    """Print one JSON object instead of words."""

    def execute(self) -> int:
        if self.check is not None and self.out is not None:
            raise InputError("--check verifies a proof instead of writing one; leave out --out, or --check")
        if self.patient and self.check is None:
            raise InputError("--patient is for --check; give the proof with --check FILE, or leave it out")
        if self.never_halts:
            return self._never_halts()
        if self.check is not None:
            return self._check(self.check)
        from dfst.api import prove

        check_place(self.out)
        subject, reference, against, language = self._question()
        verdict = prove(subject, reference, language, self.sweeps)
        verdict = replace(verdict, subject=self.subject, against=against)
        if self.json:
            answer_json(verdict.as_json())
        else:
            self._tell(verdict)
        if self.out is not None:
            self._save(verdict, self.out)
        status = self._status(verdict.strength, verdict.length)
        shipped = Path(str(files("dfst.weights").joinpath(f"{self.subject}.proof.json")))
        plain = not (self.against or self.language or self.json or Path(self.subject).is_dir())
        if status and plain and verdict.strength == "bounded" and shipped.is_file():
            say("The proof that it is shipped with shows more.")
            return self._check(shipped)
        return status

    def _question(self) -> Question:
        """As the words on the command line put it; what they leave out, a run folder or the task tells."""
        from dfst.subjects import to_prove

        return to_prove(self.subject, self.against, self.language)

    def _tell(self, verdict: Verdict) -> None:
        say(verdict.sentence())
        _tell_assumed(verdict.assumptions, verdict.condition)
        for line in verdict.path:
            say(f"  open: {line}")
        if verdict.counterexample is not None:
            answer(f"  replay: {replay_line(self.subject, verdict.counterexample)}")
            # a run folder keeps its machine, but no name for it
            if self.against or verdict.against.startswith("expert:"):
                other = self.against or verdict.against
                answer(f"          {replay_line(other, verdict.counterexample)}")

    def _save(self, verdict: Verdict | HaltingVerdict, path: Path) -> None:
        from dfst.proof import save_proof

        if verdict.proof is None:
            complain(f"no proof was written to {path}: the answer is {verdict.strength}")
            return
        save_proof(verdict.proof, path)
        weaker = self.at_least if self.at_least != "proved" else None
        about = [("--against", self.against), ("--language", self.language), ("--at-least", weaker)]
        about += [("--up-to", None if self.up_to is None else str(self.up_to))]
        given = [word for option, value in about if value is not None for word in (option, value)]
        given += ["--never-halts"] if self.never_halts else []
        line = shlex.join(["dfst", "prove", self.subject, *given, "--check", str(path)])
        complain(f"proof written to {path}; verify it: {line}")

    def _check(self, path: Path) -> int:
        from dfst.machines.agent import Agent
        from dfst.proof.certificate import recheck
        from dfst.proof.checker import sentence, strength
        from dfst.proof.ends import assumed_of_ends
        from dfst.proof.verdict import assumed, condition

        subject, reference, against, language = self._question()
        claim, about = f"acts as {against} does", {"against": against}
        shown = self._shown(
            path, claim, about, lambda most: recheck(path, subject, reference, language, most)
        )
        if shown is None:
            return 1
        shown |= {"subject": self.subject, "reference": against}
        inputs = [f"every input that matches {language}"] if language is not None else []
        claim = sentence(shown, *inputs)
        open_rules = condition(shown, reference)
        machine = subject if isinstance(subject, Agent) else None
        assumptions = (*assumed(shown["sums"]), *assumed_of_ends(machine, reference))
        if self.json:
            said = {"accepted": True, "strength": strength(shown), "claim": claim, "condition": open_rules}
            answer_json({"against": against, **said, "assumptions": [*assumptions], **shown})
        else:
            answer(f"accepted: {path} proves that {claim} ({_checked(shown)})")
            _tell_assumed(assumptions, open_rules)
        return self._status(strength(shown), shown["length"])

    def _shown(
        self, path: Path, claim: str, about: dict[str, str], check: Callable[[int], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """What a proof shows; None where it is rejected, which is said. check: takes the most work allowed"""
        from dfst.proof.reading import MOST_WORK, PATIENT, Rejected

        try:
            return check(PATIENT if self.patient else MOST_WORK)
        except Rejected as reason:
            if self.json:
                answer_json({"subject": self.subject, **about, "accepted": False, "reason": str(reason)})
            else:
                answer(f"rejected: {path} does not prove that {self.subject} {claim}: {reason}")
            return None

    def _never_halts(self) -> int:
        """Prove that a machine never halts on the blank tape, or check such a proof."""
        from dfst.machines.agent import Agent
        from dfst.proof.never_halts import prove_never_halts
        from dfst.subjects import resolve

        if given := first_given(self, ("against", "language", "at_least", "up_to")):
            raise InputError(
                f"--never-halts is proved of one machine on the blank tape, or not; leave out {given}"
            )
        check_place(self.out)
        machine = resolve(self.subject)
        if not isinstance(machine, Agent):
            raise InputError(
                f"--never-halts takes a machine, found the model {self.subject}; extract it first"
            )
        machine = replace(machine, name=self.subject)
        if self.check is not None:
            return self._check_never_halts(machine, self.check)
        verdict = prove_never_halts(machine, console().print)
        if self.json:
            answer_json(verdict.as_json())
        else:
            answer(verdict.sentence())
        if self.out is not None:
            self._save(verdict, self.out)
        return 0 if verdict.never_halts else 1

    def _check_never_halts(self, machine: Agent, path: Path) -> int:
        from dfst.proof.certificate import checked_file
        from dfst.proof.never_halts import verify_never_halts

        def check(most: int) -> dict[str, Any]:
            return checked_file(path, self.subject, lambda proof: verify_never_halts(proof, machine, most))

        shown = self._shown(path, "never halts", {}, check)
        if shown is None:
            return 1
        if self.json:
            answer_json({"accepted": True, **shown, "subject": self.subject})
        else:
            told = f"never halts on the blank tape ({_checked(shown)})"
            answer(f"accepted: {path} proves that {self.subject} {told}")
        return 0

    def _status(self, strength: Strength, length: int | None) -> int:
        from dfst.proof.verdict import STRENGTHS

        reached = self.up_to is not None and (length or 0) >= self.up_to
        return 0 if reached or STRENGTHS.index(strength) >= STRENGTHS.index(self.at_least) else 1


def _checked(shown: dict[str, Any]) -> str:
    found = shown["configurations"]
    return f"{counted(found, 'abstract configuration')} checked" if found else "pairs of states checked"


def _tell_assumed(assumptions: tuple[str, ...], condition: str | None) -> None:
    if condition is not None:
        say(f"  condition: {condition}")
    for assumption in assumptions:
        answer(f"  assumed: {assumption}")


def replay_line(subject: str, example: Counterexample) -> str:
    """The command that shows a run; what Python works is not watched."""
    if example.written:
        made = shlex.join(["python3", "-c", f"print({example.written})"])
        return f"{made} | dfst run {shlex.quote(subject)} - --max-steps {4 * len(example.input)}"
    shown = [] if is_python_file(subject) else ["--watch"]
    return shlex.join(["dfst", "run", subject, *([example.input] if example.input else []), *shown])
