"""A stored proof against the subject at hand: is it a proof, and is it about this subject?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dfst.agents.agent import Agent, check_start
from dfst.errors import InputError
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.certificate import agent_hash, verify
from dfst.proof.ends import comparable
from dfst.proof.language import language_of, task_language
from dfst.proof.reading import Unreadable
from dfst.proof.regular import on_language


def recheck(
    path: str | Path, subject: Agent | Weights, reference: Agent, pattern: str | None = None
) -> dict[str, Any]:
    """What the proof in the file shows about the subject; `Rejected` where it does not hold.

    With a pattern: on the inputs that match it, in place of those of the task.
    A file that is no proof, or one of something else, is bad input.
    """
    try:
        proof = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file that dfst prove --out wrote"
        ) from None
    check_start(subject.name, subject.layout, subject.task)
    if isinstance(subject, Agent):
        subject, reference = comparable(subject, reference)
    task = reference.task or subject.task
    if pattern is not None:
        reference, inputs = on_language(subject, reference, pattern)
        language = inputs.language
    else:
        language = task_language(task) if task else language_of(reference)
    weights = weights_to_bytes(subject) if isinstance(subject, Weights) else None
    try:
        shown = verify(proof, reference, language, weights)
        if isinstance(subject, Agent) and shown["subject_sha256"] != agent_hash(subject):
            raise Unreadable(f"it is about another machine than {subject.name}")
        if shown["start"] != (subject.task.layout if subject.task else subject.layout):
            raise Unreadable(f"it is about another start than {subject.name}'s")
    except Unreadable as reason:
        raise InputError(
            f"{path} is not a proof about {subject.name}: {reason}; give the file that "
            "dfst prove --out wrote for it"
        ) from None
    return shown
