"""What the page may ask for: names of subjects, never paths of this machine, and files dropped on it."""

import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from os.path import exists
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from dfst.errors import InputError
from dfst.model.weights import Weights, from_bytes
from dfst.viewer.payload import Subject, describe

MOST_DROPPED = 64
WHAT_IS_KNOWN = {"proved": "proved", "conditional": "proved as long as the expert has a rule"}
"""On every input of any length, by the strength of a shipped proof"""
LABELS = {
    "learnt model": "Learnt models",
    "descent alone": "By gradient descent alone",
    "expert": "Experts",
    "published machine": "Published machines",
}


class Offered:
    """Subjects by name: those given at the start, those dropped since, and all that have a name anywhere."""

    def __init__(self, given: Mapping[str, Subject] | None = None) -> None:
        self._given = dict(given or {})
        self._dropped: dict[str, Subject] = {}
        self._lock = Lock()

    def groups(self) -> list[dict[str, Any]]:
        """[{label, names}] for the page's list."""
        from dfst.subjects import catalogue

        groups: dict[str, list[str]] = {"Given": list(self._given)} if self._given else {}
        for row in catalogue():
            groups.setdefault(LABELS.get(str(row["kind"]), str(row["kind"])), []).append(str(row["subject"]))
        return [{"label": label, "names": names} for label, names in groups.items()]

    def find(self, name: str) -> Subject:
        """The subject called `name`."""
        from dfst.subjects import by_name, resolve

        with self._lock:
            known = self._given.get(name) or self._dropped.get(name)
        if known is None:
            known = by_name(name)
        if known is not None:
            return known
        bare = name.partition(":")[2] or name
        if name.startswith("file:") or re.search(r"[/\\\0]|\.\w+$", bare) or exists(bare):
            raise InputError(
                f"the page takes names of subjects, found {name!r}; drop the file on the page instead"
            )
        return resolve(name)

    def drop(self, file: str, content: bytes) -> tuple[str, Subject]:
        """Read a dropped file; its key is what the page calls it from now on."""
        file = re.sub(r"[^\w. -]", "_", Path(file).name)[:80] or "machine"
        subject = _read(file, content)
        key = f"file:{file}#{hashlib.sha256(content).hexdigest()[:8]}"
        with self._lock:
            while len(self._dropped) >= MOST_DROPPED and key not in self._dropped:
                del self._dropped[next(iter(self._dropped))]
            self._dropped[key] = subject
        return key, subject


def _read(file: str, content: bytes) -> Subject:
    if file.endswith(".safetensors"):
        return from_bytes(content, file)
    from dfst.machines.formats import guess_format, parse_machine

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not text: expected a machine file or weights (.safetensors)") from error
    return parse_machine(text, guess_format(text, Path(file).suffix), name=Path(file).stem)


def describe_offered(name: str, subject: Subject) -> dict[str, Any]:
    """A subject's data under the name the page knows it by."""
    from dfst.machines.formats.published import PUBLISHED
    from dfst.subjects import shipped, shipped_models

    title = subject.name if name.startswith(("file:", "expert:")) else name
    data = describe(subject, title=title) | {"key": name}
    if name in PUBLISHED:
        known = PUBLISHED[name]
        data["limit"] = max(data["limit"], known.steps or 0)
        data["source"] = f"{known.source}: {known.result}."
    ours = shipped(name) if name in shipped_models() else None
    if ours and ours.provenance.strength in WHAT_IS_KNOWN and isinstance(subject, Weights):
        # Shipped with its proof; a file of somebody else's may say the same of itself and prove nothing.
        if subject.alphabet != ours.alphabet or not np.array_equal(subject.flat(), ours.flat()):
            return data
        data["claim"] = (
            f"Learnt from {ours.examples:,} worked examples, {name} does exactly what "
            f"its expert does, on every input of any length: {WHAT_IS_KNOWN[ours.provenance.strength]}."
        )
    return data


def shipped_proof(name: str) -> str:
    """The proof file of a shipped model."""
    from dfst.subjects import shipped_models

    path = files("dfst.weights").joinpath(f"{name}.proof.json")
    if name not in shipped_models() or not path.is_file():
        raise InputError(f"expected the name of a model that is shipped with its proof, found {name!r:.40}")
    return path.read_text(encoding="utf-8")
