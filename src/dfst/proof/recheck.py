"""A stored proof against the subject at hand: is it a proof, and is it about this subject?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.certificate import agent_hash, verify
from dfst.proof.question import question
from dfst.proof.reading import MOST_WORK, Unreadable, at_most


def recheck(
    path: str | Path,
    subject: Agent | Weights,
    reference: Agent,
    pattern: str | None = None,
    most_work: int = MOST_WORK,
) -> dict[str, Any]:
    """What the proof in the file shows about the subject; `Rejected` where it does not hold.

    With a pattern: on the inputs that match it, in place of those of the task.
    A file that is no proof, or one of something else, is bad input.
    """
    try:
        proof = at_most(path)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file that dfst prove --out wrote"
        ) from None
    asked = question(subject, reference, pattern)
    weights = weights_to_bytes(asked.subject) if isinstance(asked.subject, Weights) else None
    try:
        shown = verify(proof, asked.reference, asked.inputs.language, weights, most_work)
        if isinstance(asked.subject, Agent) and shown["subject_sha256"] != agent_hash(asked.subject):
            raise Unreadable(f"it is about another machine than {subject.name}")
    except Unreadable as reason:
        raise InputError(
            f"{path} is not a proof about {subject.name}: {reason}; give the file that "
            "dfst prove --out wrote for it"
        ) from None
    return shown
