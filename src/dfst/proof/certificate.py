"""The proof as a file: everything that the checker needs, and nothing it must believe.

subject        its name and its table; for a DFST a row for each learnt state
reference      the reference's name and table
start          where the head starts on the input: its first cell, its last, or the operator
inputs         the language of the inputs, as the head sees them
pairs          (subject's state, reference's state) that run in step, from (0, 0)
rows           the lowest and the highest; null where each pair has a rule for each symbol: then no invariant
columns        symbol sets (bit masks), one for each row, lowest first
left, right    what may lie on each side of the head, as automata (sides.py)
invariant      configurations (left, pair, row, column, right), closed under the abstract step
alone          for a DFST: the same of the reference by itself, whose rules never fail it
weights        for a DFST: which weights, the hidden state of each learnt state and, where these do not
               repeat to the bit, the measures in which errors are counted (drift.py)
answer         for an expert: what the reference computes, and why (answer_checker.py)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.experts.registry import is_expert
from dfst.files import write_atomically
from dfst.machines.agent import MISSING, Agent
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.boards import Split, by_last_rule
from dfst.proof.checker import LONGEST_NAME, check
from dfst.proof.closure import Closure
from dfst.proof.floats import read_weights
from dfst.proof.forgetting import Forgetting
from dfst.proof.language import InputLanguage, task_language
from dfst.proof.match import Pairing
from dfst.proof.measure import Measure
from dfst.proof.question import question, start_of
from dfst.proof.reading import FORMAT, MOST_WORK, Unreadable, at_most, digest, table_hash
from dfst.proof.sides import packed, packed_invariant
from dfst.states.graph import StateGraph
from dfst.tasks.task import Layout


def certificate(
    subject: Agent, reference: Agent, language: InputLanguage, start: Layout, pairing: Pairing,
    closure: Closure | None, weights: dict[str, Any] | None = None, alone: Closure | None = None,
    answer: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The proof that the paired machine never meets a missing rule, as a JSON object."""
    # What no run needs must not spoil a bound: only the rules that are met are claimed of weights.
    met = None
    if weights is not None and closure is not None:
        met = {(pairing.subject[p], x) for p, x in closure.visited}
    return sealed({
        "format": FORMAT,
        "subject": {"name": one_line(subject.name), "table": packed_table(subject, met)},
        "reference": {"name": called(reference), "table": packed_table(reference)},
        "alphabet": list(reference.alphabet),
        "blank": reference.blank,
        "start": start,
        "inputs": language.as_json(),
        "pairs": packed(np.array([pairing.subject, pairing.reference], dtype=np.int32).T),
        **(dict.fromkeys(("rows", "columns", "left", "right", "invariant")) if closure is None
           else packed_closure(closure)),
        "alone": None if alone is None else packed_closure(alone),
        "weights": weights,
        "answer": answer,
    })  # fmt: skip


def packed_closure(closure: Closure) -> dict[str, Any]:
    """The part of a proof that says where runs may come to."""
    sides = (
        (domain.edges(), [(stack, c, after) for (stack, c, *_), after in domain.pushed.items()], laid)
        for domain, laid in zip((closure.left, closure.right), closure.laid, strict=True)
    )
    return packed_invariant(closure.rows, closure.parents, sides)


def sealed(proof: dict[str, Any]) -> dict[str, Any]:
    """The proof with the digest that fits it."""
    return {**proof, "digest": digest(proof)}


def one_line(name: str) -> str:
    """A name as the checker takes it."""
    return "".join(filter(str.isprintable, name))[:LONGEST_NAME]


def packed_table(agent: Agent, met: set[tuple[int, int]] | None = None) -> dict[str, Any]:
    following = agent.next.astype(np.int32)
    if met is not None:
        following = np.full_like(following, MISSING)
        at = tuple(np.array(sorted(met)).T)
        following[at] = agent.next[at]
    write, motion = (packed(part.astype(np.int32)) for part in (agent.write, agent.motion))
    return {"write": write, "motion": motion, "next": packed(following)}


def learnt_states(graph: StateGraph, measure: Measure | Forgetting | None = None) -> dict[str, Any]:
    """What the checker needs to hold a table against weights: to the bit, or with errors measured."""
    hidden = graph.hidden.astype(np.float64) if measure is None else measure.hidden
    return {
        "sha256": read_weights(weights_to_bytes(graph.weights)).sha256,
        "hidden": packed(hidden),
        "measure": measure and measure.packed(),
    }


def agent_hash(agent: Agent) -> str:
    """The hash by which the checker names a machine: its table, its alphabet, its blank."""
    parts: list[NDArray[Any]] = [part.astype(int) for part in (agent.write, agent.motion, agent.next)]
    return table_hash((parts[0], parts[1], parts[2]), list(agent.alphabet), agent.blank)


def called(reference: Agent) -> str:
    """What people call it; an expert is told from a model of the same name."""
    return one_line(f"expert:{reference.name}" if is_expert(reference) else reference.name)


def on_boards(shown: dict[str, Any], reference: Agent, split: Split) -> dict[str, Any]:
    """What is shown of the machine by its last rule, said of the machine itself: on boards both are one."""
    own = {"reference": called(reference), "reference_sha256": agent_hash(reference)}
    return {**shown, **own, "stops": [list(rule) for rule in split.lacks]}


def verify(
    proof: bytes, reference: Agent, language: InputLanguage, weights: bytes | None = None,
    most_work: int = MOST_WORK,
) -> dict[str, Any]:  # fmt: skip
    """Run the checker, and see that the proof is about this reference and these inputs; `Rejected` if not."""
    shown = check(proof, weights, most_work)
    if shown["reference_sha256"] != agent_hash(reference):
        boards = reference.task is not None and language == task_language(reference.task)
        split = by_last_rule(reference) if boards else "it is about words"
        if isinstance(split, str) or shown["reference_sha256"] != agent_hash(split.machine):
            raise Unreadable(f"it is about another machine than {reference.name}")
        shown = on_boards(shown, reference, split)
    if shown["inputs"] != language.as_json() or shown["start"] != start_of(reference):
        raise Unreadable("it is about other inputs")
    return shown


def recheck(
    path: str | Path, subject: Agent | Weights, reference: Agent, pattern: str | None = None,
    most_work: int = MOST_WORK,
) -> dict[str, Any]:  # fmt: skip
    """What the proof in the file shows about the subject; `Rejected` where it does not hold.

    With a pattern: on the inputs that match it, in place of those of the task.
    """
    asked = question(subject, reference, pattern)
    weights = weights_to_bytes(asked.subject) if isinstance(asked.subject, Weights) else None

    def shown_by(proof: bytes) -> dict[str, Any]:
        shown = verify(proof, asked.reference, asked.inputs.language, weights, most_work)
        if isinstance(asked.subject, Agent) and shown["subject_sha256"] != agent_hash(asked.subject):
            raise Unreadable(f"it is about another machine than {subject.name}")
        return shown

    return checked_file(path, subject.name, shown_by)


def checked_file(path: str | Path, name: str, check: Callable[[bytes], dict[str, Any]]) -> dict[str, Any]:
    """What a proof file shows; one that is no proof, or one of something else, is bad input."""
    try:
        return check(at_most(path))
    except FileNotFoundError:
        reason = f"cannot read {path}: no such file"
    except OSError as error:
        reason = f"cannot read {path}: {error.strerror}"
    except Unreadable as error:
        said = (
            "it is no JSON"
            if isinstance(error.__cause__, json.JSONDecodeError | UnicodeDecodeError)
            else error
        )
        reason = f"{path} is not a proof about {name}: {said}"
    raise InputError(f"{reason}; give the file that dfst prove --out wrote for it")


def to_bytes(proof: dict[str, Any]) -> bytes:
    """The proof file as bytes."""
    return json.dumps(proof, ensure_ascii=False).encode()


def save_proof(proof: dict[str, Any], path: str | Path) -> None:
    """Write a proof file, all or nothing."""
    write_atomically(path, to_bytes(proof))
