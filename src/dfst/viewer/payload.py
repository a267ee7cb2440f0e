"""A subject as plain data, which the viewer runs by itself: tables as lists, tensors as base64.

Numbers cross exactly: tensors go as the little-endian bytes of their own precision, and the browser sums
in the order of the Python rollout, so both take the same steps.
"""

import base64
import gzip
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.tasks.numbers import NumberTask
from dfst.tasks.plane import PlaneTask
from dfst.tasks.task import Task
from dfst.tasks.words import WordTask

Subject = Agent | Weights

TABLE_LIMIT = 2_000_000  # steps of a machine that the viewer computes ahead before it asks whether to go on
MODEL_LIMIT = 1_000_000


def describe(subject: Subject, title: str | None = None) -> dict[str, Any]:
    """All the viewer needs to know about a subject. `title` is what it is called in the heading."""
    common: dict[str, Any] = {
        "name": subject.name,
        "title": title or subject.name,
        "alphabet": list(subject.alphabet),
        "blank": subject.blank,
        "layout": subject.layout,
        "task": None if subject.task is None else _task(subject.task),
    }
    if isinstance(subject, Agent):
        return common | {
            "kind": "table",
            "origin": "expert" if subject.task else "machine",
            "limit": TABLE_LIMIT,
            "states": list(subject.states),
            "write": subject.write.ravel().tolist(),
            "motion": subject.motion.ravel().tolist(),
            "next": subject.next.ravel().tolist(),
            "ends": [[end.name, end.accepts] for end in subject.ends],
            "end": [] if subject.end is None else subject.end.ravel().tolist(),
            "stuck_rejects": subject.stuck_rejects,
            "samples": list(subject.sample_inputs) or _samples(subject.task),
            "source": subject.source,
        }
    return common | {
        "kind": "dfst",
        "origin": "compiled DFST" if subject.name.startswith("compiled:") else "learnt DFST",
        "limit": MODEL_LIMIT,
        "motions": list(subject.motions),
        "d": len(subject.h0),
        "precision": str(subject.dtype),
        "samples": _samples(subject.task),
        "samples_seen": str(subject.examples or ""),
        "source": "",
        **{name: packed(getattr(subject, name)) for name in ("A", "B", "C", "h0")},
    }


def _task(task: Task) -> dict[str, Any]:
    common = {
        "name": task.name,
        "operator": task.operator,
        "layout": task.layout,
        "example": task.example,
        "meaning": task.meaning,
    }
    if isinstance(task, WordTask):
        return common | {"letters": task.letters, "pattern": task.pattern, "form": task.form}
    if isinstance(task, PlaneTask):
        return common | {
            "plane": True,
            **{name: getattr(task, name) for name in ("letters", "once", "row", "most_rows", "unit")},
            **{name: getattr(task, name) for name in ("pattern", "form")},
        }
    assert isinstance(task, NumberTask)
    return common | {"family": task.family.name, "radix": task.radix, "many": task.family.many}


def _samples(task: Task | None) -> list[str]:
    """Inputs worth watching: a carry that runs all the way first."""
    if task is None:
        return []
    if not isinstance(task, NumberTask):
        return [one_line(text, task.alphabet) for (text,) in ((task.example,), *task.repeated(6)[:12])]
    top = task.digits[-1]
    if task.operator is None:
        return [f"10{top}{top}", f"1{top}0{top}10"]
    pairs = [(top * 3, "1"), (f"1{top}0", top * 2), (f"{top}10{top}{top}1", f"10{top}1{top}")]
    if task.operator == "×":
        pairs = [(f"1{top}", f"{top}1"), (top * 3, top * 2)]
    return [task.write(pair) for pair in pairs]


def one_line(text: str, alphabet: tuple[str, ...]) -> str:
    """An input for a box of one line: / in place of a newline, where it is no symbol."""
    return text if "/" in alphabet else text.replace("\n", "/")


def packed(tensor: NDArray[Any]) -> str:
    """The bytes of a tensor, little-endian, as text."""
    little = np.ascontiguousarray(tensor, dtype=tensor.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def pack(data: object) -> str:
    """Data for a document: JSON, gzip, base64. The same data gives the same text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")
