"""dfst prove --never-halts"""

from __future__ import annotations

from pathlib import Path

from dfst.cli.output import answer, answer_json, check_place, complain, console
from dfst.counted import counted
from dfst.errors import InputError
from dfst.machines.agent import Agent


def _machine(subject: str) -> Agent:
    from dfst.subjects import resolve

    machine = resolve(subject)
    if not isinstance(machine, Agent):
        raise InputError(f"--never-halts takes a machine, found the model {subject}; extract it first")
    return machine.renamed(subject)


def prove_it(subject: str, out: Path | None, json: bool) -> int:
    """0 where the machine is proved never to halt, 1 where it is not."""
    from dfst.proof import save_proof
    from dfst.proof.never_halts import prove_never_halts

    check_place(out)
    verdict = prove_never_halts(_machine(subject), console().print)
    if json:
        answer_json(verdict.as_json())
    else:
        answer(verdict.sentence())
    if out is not None and verdict.proof is None:
        complain(f"no proof was written to {out}: the answer is {verdict.strength}")
    elif out is not None and verdict.proof is not None:
        save_proof(verdict.proof, out)
        verify = f"dfst prove {subject} --never-halts --check {out}"
        complain(f"proof written to {out}; verify it: {verify}")
    return 0 if verdict.never_halts else 1


def check_proof(subject: str, path: Path, json: bool, patient: bool) -> int:
    """0 where the proof holds, 1 where it does not."""
    from dfst.proof.never_halts import verify_never_halts
    from dfst.proof.reading import MOST_WORK, PATIENT, Rejected, Unreadable, at_most

    machine = _machine(subject)
    try:
        proof = at_most(path)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file that dfst prove --never-halts --out wrote"
        ) from None
    try:
        shown = verify_never_halts(proof, machine, PATIENT if patient else MOST_WORK)
    except Unreadable as reason:
        raise InputError(
            f"{path} is not a proof about {subject}: {reason}; give the file that "
            f"dfst prove {subject} --never-halts --out wrote"
        ) from None
    except Rejected as reason:
        if json:
            answer_json({"subject": subject, "accepted": False, "reason": str(reason)})
        else:
            answer(f"rejected: {path} does not prove that {subject} never halts: {reason}")
        return 1
    if json:
        answer_json({"accepted": True, **shown, "subject": subject})
    else:
        checked = f"{counted(shown['configurations'], 'abstract configuration')} checked"
        answer(f"accepted: {path} proves that {subject} never halts on the blank tape ({checked})")
    return 0
