"""dfst prove --never-halts"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dfst.agents.agent import Agent
from dfst.cli.output import answer, answer_json, check_place, complain, console
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.cli.prove import Prove


def execute(command: Prove) -> int:
    """Prove it or check the proof; 0 where the machine is proved never to halt, 1 where it is not."""
    from dfst.subjects import resolve

    if command.against is not None or command.language is not None:
        raise InputError(
            "--never-halts is about one machine on the blank tape; leave out --against and --language"
        )
    machine = resolve(command.subject)
    if not isinstance(machine, Agent):
        raise InputError(
            f"--never-halts takes a machine, found the model {command.subject}; extract it first"
        )
    machine = machine.renamed(command.subject)
    return _prove(command, machine) if command.check is None else _check(command, command.check, machine)


def _prove(command: Prove, machine: Agent) -> int:
    from dfst.files import write_json
    from dfst.proof.never_halts import prove_never_halts

    check_place(command.out)
    verdict = prove_never_halts(machine, console().print)
    if command.json:
        answer_json(verdict.as_json())
    else:
        answer(verdict.sentence())
    if command.out is not None and verdict.proof is None:
        complain(f"no proof was written to {command.out}: the answer is {verdict.strength}")
    elif command.out is not None:
        write_json(command.out, verdict.proof)
        verify = f"dfst prove {command.subject} --never-halts --check {command.out}"
        complain(f"proof written to {command.out}; verify it: {verify}")
    return 0 if verdict.never_halts else 1


def _check(command: Prove, path: Path, machine: Agent) -> int:
    from dfst.proof.never_halts import verify_never_halts
    from dfst.proof.never_halts_checker import Rejected, Unreadable

    try:
        proof = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file that dfst prove --never-halts --out wrote"
        ) from None
    try:
        shown = verify_never_halts(proof, machine)
    except Unreadable as reason:
        raise InputError(
            f"{path} is no proof about {command.subject}: {reason}; give the file that "
            f"dfst prove {command.subject} --never-halts --out wrote"
        ) from None
    except Rejected as reason:
        if command.json:
            answer_json({"subject": command.subject, "accepted": False, "reason": str(reason)})
        else:
            answer(f"rejected: {path} does not prove that {command.subject} never halts: {reason}")
        return 1
    if command.json:
        answer_json({"accepted": True, **shown, "subject": command.subject})
    else:
        checked = f"{shown['configurations']:,} abstract configurations checked"
        answer(f"accepted: {path} proves that {command.subject} never halts on the blank tape ({checked})")
    return 0
