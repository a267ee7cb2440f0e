"""A stored proof against the subject at hand: is it a proof, and is it about this subject?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dfst.agents.agent import Agent
from dfst.errors import InputError
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.certificate import table, verify
from dfst.proof.checker import Rejected
from dfst.proof.language import language_of, task_language
from dfst.proof.match import pair_up


def recheck(path: str | Path, subject: Agent | Weights, reference: Agent) -> dict[str, Any]:
    """What the proof in the file shows about the subject; `Rejected` where it does not hold."""
    try:
        proof = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file that dfst prove --out wrote"
        ) from None
    task = reference.task or subject.task
    language = task_language(task) if task else language_of(reference)
    weights = weights_to_bytes(subject) if isinstance(subject, Weights) else None
    shown = verify(proof, reference, language, weights)
    if isinstance(subject, Agent) and json.loads(proof)["machine"] != table(
        pair_up(subject, reference).machine
    ):
        # The checker knows nothing of the subject's table: the paired machine must be made from it.
        raise Rejected(f"the proof is about another machine than {subject.name}")
    steps = shown.get("steps", {})
    return {**shown, "steps": {name: None if n == float("inf") else n for name, n in steps.items()}}
