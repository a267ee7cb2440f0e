"""The proof as a file: everything that the checker needs, and nothing it must believe.

machine        rules of the paired machine: write, motion, next, one row a pair
reference      the reference's table; `states`: which of its states each pair stands for
inputs         the language of the inputs
columns        symbol sets (bit masks), one a row, lowest row first
left, right    patterns: lists of [column, count, more]
pushes         [side, pattern, column, row, pattern after]: what pushing forgets
invariant      configurations (left, pair, row, column, right), closed under the abstract step
weights        for a DFST: fingerprint, hidden state of each pair, how far they are exact, rounding bounds
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.files import write_atomically
from dfst.proof.checker import Rejected, check
from dfst.proof.claim import recheck_steps
from dfst.proof.closure import Closure
from dfst.proof.language import InputLanguage
from dfst.proof.match import Pairing
from dfst.proof.packing import packed
from dfst.proof.stacks import Column

FORMAT = "dfst-proof/1"


def digest(proof: dict[str, Any]) -> str:
    """A hash of all of the proof but the hash itself."""
    rest = {key: value for key, value in proof.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def table(agent: Agent) -> dict[str, Any]:
    return {
        "write": packed(agent.write.astype(np.int32)),
        "motion": packed(agent.motion.astype(np.int32)),
        "next": packed(agent.next.astype(np.int32)),
    }


def certificate(
    subject: str,
    reference: Agent,
    language: InputLanguage,
    pairing: Pairing,
    closure: Closure,
    weights: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The proof that the paired machine never meets a missing rule, as a JSON object."""
    columns: dict[Column, int] = {}

    def column(c: Column) -> int:
        return columns.setdefault(c, len(columns))

    configurations = np.array(
        [(a, q, row, column(c), b) for a, q, row, c, b in closure.parents], dtype=np.int32
    )
    order = np.lexsort(configurations.T[::-1])
    domains = (closure.left, closure.right)
    pushes = [
        (side, stack, column(c), row, after)
        for side, domain in enumerate(domains)
        for (stack, c, row), after in domain.pushed.items()
    ]
    patterns = [
        [[[column(c), count, more] for c, count, more in stack.items] for stack in domain.stacks]
        for domain in domains
    ]
    proof: dict[str, Any] = {
        "format": FORMAT,
        "subject": subject,
        "strength": "proved",
        "alphabet": list(reference.alphabet),
        "blank": reference.blank,
        "rows": list(closure.rows),
        "precision": closure.precision.name,
        "reference": {"name": reference.name, "states": list(reference.states), **table(reference)},
        "machine": table(pairing.machine),
        "states": packed(np.array(pairing.reference, dtype=np.int32)),
        "inputs": language.as_json(),
        "columns": [list(c) for c in columns],
        "left": patterns[0],
        "right": patterns[1],
        "pushes": packed(np.array(pushes, dtype=np.int32).reshape(-1, 5)),
        "invariant": packed(configurations[order]),
        "weights": weights,
    }
    proof["digest"] = digest(proof)
    return proof


def reference_hash(reference: Agent) -> str:
    """The hash by which the checker names a reference: its table, its alphabet, its blank."""
    parts = [part.astype(int).tolist() for part in (reference.write, reference.motion, reference.next)]
    return hashlib.sha256(
        json.dumps([parts, reference.alphabet, reference.blank], ensure_ascii=False).encode()
    ).hexdigest()


def verify(
    proof: bytes, reference: Agent, language: InputLanguage, weights: bytes | None = None
) -> dict[str, Any]:
    """Run the checker, and see that the proof is about this reference and these inputs; `Rejected` if not."""
    shown = check(proof, weights)
    if shown["reference_sha256"] != reference_hash(reference):
        raise Rejected(f"the proof is about another machine than {reference.name}")
    if shown["inputs"] != language.as_json():
        raise Rejected("the proof is about other inputs")
    if weights is not None:
        shown["steps"] = recheck_steps(json.loads(proof), weights)
    return shown


def to_bytes(proof: dict[str, Any]) -> bytes:
    """The proof file as bytes."""
    return json.dumps(proof, ensure_ascii=False).encode()


def save_proof(proof: dict[str, Any], path: str | Path) -> None:
    """Write a proof file, all or nothing."""
    write_atomically(path, to_bytes(proof))
