"""What is kept of a comparison: one outcome a seed, one record file a learner and task.

A record is read strictly: a field that is missing, unknown or of another type is refused with the file and
the field, so that a table never shows what nobody measured.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from dfst.errors import InputError
from dfst.files import write_json

FORMAT = "dfst-comparison/1"


@dataclass(frozen=True)
class Rung:
    """One length of the ladder."""

    digits: int
    asked: int
    """Inputs asked: random, repeated digits and hard cases."""
    right: int
    """Inputs on which every action, and the answer, was right."""
    plg: bool
    rlg: bool
    hard_failures: int
    first_failing_step: int | None
    """The earliest step at which an input went wrong; None if none did."""


@dataclass(frozen=True)
class SeedResult:
    """One learner on one task from one seed."""

    learner: str
    task: str
    seed: int
    samples: int
    """Worked examples it was trained on."""
    parameters: int
    """Numbers (or, for a machine, rules) that were learnt."""
    iterations: int
    seconds: float
    """Wall time of the training, a pilot for its learning rate included."""
    device: str
    loss: float | None
    """The training loss at the end; None for a learner without one."""
    plg: int
    """Largest number of digits tested at which PLG held; 0 if none."""
    rlg: int
    """Largest number of digits tested at which RLG held; 0 if none."""
    stopped_by: str
    """What ended the search for the largest length: failure, budget or limit."""
    ladder: tuple[Rung, ...]
    hard_failures: tuple[str, ...]
    """Hard cases that went wrong at lengths of the ladder, shortest first, each in a few words."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else decided the outcome, such as the width and the learning rate that was chosen."""


@dataclass(frozen=True)
class Record:
    """One learner on one task: what was done, where, and the outcome of each seed."""

    learner: str
    task: str
    command: str
    """The line that makes this record again."""
    machine: str
    seeds: tuple[SeedResult, ...]
    format: str = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise InputError(f"expected a record of format {FORMAT!r}, found {self.format!r}")
        for result in self.seeds:
            if (result.learner, result.task) != (self.learner, self.task):
                raise InputError(
                    f"a record of {self.learner} on {self.task} "
                    f"holds a result of {result.learner} on {result.task}; keep one file for each"
                )


Kind = TypeVar("Kind")


def save(value: Record | SeedResult, path: str | Path) -> None:
    """Write a record or a result, all or nothing."""
    write_json(path, asdict(value))


def load_record(path: str | Path) -> Record:
    return load(Record, Path(path).name, _read(path))


def load_result(path: str | Path) -> SeedResult:
    return load(SeedResult, Path(path).name, _read(path))


def stored_records(folder: str | Path | None = None) -> list[Record]:
    """The records in a folder; by default those that come with the package."""
    if folder is None:
        place = resources.files("dfst") / "comparison" / "results"
        files = sorted((f for f in place.iterdir() if f.name.endswith(".json")), key=lambda f: f.name)
        return [load(Record, f.name, f.read_text("utf-8")) for f in files]
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}; give one that holds records (*.json)")
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise InputError(f"{folder} holds no records (*.json); make some with dfst compare --learner …")
    return [load_record(path) for path in paths]


def load(kind: type[Kind], origin: str, text: str) -> Kind:
    """A record or result out of JSON."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InputError(f"{origin} is no JSON ({error}); make the record again") from error
    try:
        loaded: Kind = _build(kind, value, origin)
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith(origin) else f"{origin}: {message}") from None
    return loaded


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; give a record file") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text ({error.reason}); give a record file") from error


def _build(kind: Any, value: object, origin: str) -> Any:
    """A dataclass out of a JSON object with exactly its fields."""
    if not isinstance(value, dict):
        raise InputError(f"{origin}: expected a {kind.__name__} as an object, found {_short(value)}")
    types_of = get_type_hints(kind)
    known = [f.name for f in fields(kind)]
    unknown, missing = [k for k in value if k not in known], [k for k in known if k not in value]
    if unknown or missing:
        what = f"the unknown field {unknown[0]!r}" if unknown else f"no field {missing[0]!r}"
        raise InputError(f"{origin}: a {kind.__name__} has {', '.join(known)}; found {what}")
    return kind(**{name: _convert(types_of[name], value[name], f"{origin}: {name}") for name in known})


def _convert(wanted: Any, value: Any, origin: str) -> Any:
    if get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise InputError(f"{origin}: expected a list, found {_short(value)}")
        return tuple(_convert(get_args(wanted)[0], item, origin) for item in value)
    if isinstance(wanted, types.UnionType):
        options = get_args(wanted)
        return None if value is None else _convert(options[0], value, origin)
    if wanted in (Rung, SeedResult):
        return _build(wanted, value, origin)
    expected = dict if get_origin(wanted) is not None else wanted
    if expected is float and type(value) is int:
        value = float(value)
    if type(value) is not expected:
        raise InputError(f"{origin}: expected {expected.__name__}, found {_short(value)}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
