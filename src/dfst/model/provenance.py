"""How weights came about, as their file tells it. A file is anybody's: what cannot be read is left out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Provenance:
    """What a weights file says of its model; None or nothing where it does not."""

    samples: int | None = None  # examples of the training set
    data_seed: int | None = None  # drew the training set
    seed: int | None = None  # drew the initial weights
    iterations: int | None = None
    recipe: str = ""
    loss: str = ""  # of the last logging point of the training
    polish: str = ""
    measured: str = ""  # the largest size at which all was right
    strength: str = ""  # refuted, tested, bounded or proved
    exact_seeds: str = ""  # how many of the seeds that were trained were right, where that was counted
    more: Mapping[str, str] = field(default_factory=dict)  # whatever else stands in the file

    def as_metadata(self) -> dict[str, str]:
        """How it stands in a weights file."""
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "more"}
        kept = {name: "" if value is None else str(value) for name, value in named.items()}
        return {name: value for name, value in kept.items() if value or name == "data_seed"} | dict(self.more)


def provenance_of(metadata: Mapping[str, str]) -> Provenance:
    """What the metadata of a file says; a number that is none goes to `more`."""
    known: dict[str, Any] = {}
    more, kinds = {}, {f.name: f.type for f in fields(Provenance)}
    for name, value in metadata.items():
        if kinds.get(name) == int | None and re.fullmatch("[0-9]{1,18}", value):
            known[name] = int(value)
        elif kinds.get(name) is str:
            known[name] = value
        elif value:
            more[name] = value
    return Provenance(**known, more=more)
