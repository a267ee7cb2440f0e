"""A DFST with what its numbers mean, and its file, a safetensors (docs/reference/files.md), without torch.

Legend: Σ symbols, M motions, d hidden size.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from string import Template
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.files import write_atomically
from dfst.files.hub import fetch, send
from dfst.files.tensors import TensorFormat, read_tensors, tensors_from_bytes, tensors_to_bytes
from dfst.machines.agent import Agent, check_start, encode_plain
from dfst.model.rollout.transducer import Transducer
from dfst.tasks.registry import find_task, is_task
from dfst.tasks.task import Layout, Task
from dfst.world.grid import BLANK, Limits
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import CompiledUnit, ControlUnit

GUESSING = 100_000
"""Steps after which a model that guesses is stopped, unless it is said how many it may take."""
TENSORS = ("A", "B", "C", "h0")
WEIGHTS = TensorFormat("dfst/1", "weights file", TENSORS, ("alphabet", "motions", "start"))


@dataclass(frozen=True)
class Shape:
    """The sizes of a DFST; its parameters as one flat vector are A, B, C, h0 in this order."""

    symbols: int
    motions: int
    d: int

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.symbols * self.d * (self.d + self.symbols + self.motions) + self.d

    def split(self, flat: Any) -> tuple[Any, Any, Any, Any]:
        """Views A (…,Σ,d,d), B (…,Σ,Σ,d), C (…,Σ,M,d), h0 (…,d) of a flat (…, size) array or tensor."""
        k, m, d = self.symbols, self.motions, self.d
        a, b, c = k * d * d, k * k * d, k * m * d
        lead = flat.shape[:-1]
        return (
            flat[..., :a].reshape(*lead, k, d, d),
            flat[..., a : a + b].reshape(*lead, k, k, d),
            flat[..., a + b : a + b + c].reshape(*lead, k, m, d),
            flat[..., a + b + c :],
        )


def initial_parameters(shape: Shape, seed: int, dtype: Any) -> NDArray[Any]:
    """(P,) the paper's start: A[x] = identity, B = C = 0, h0 uniform in (0, 1) scaled to length 1."""
    theta = np.zeros(shape.size, dtype=dtype)
    A, _, _, h0 = shape.split(theta)
    A[...] = np.eye(shape.d, dtype=dtype)
    draw = np.random.default_rng(seed).random(shape.d)
    h0[...] = draw / np.linalg.norm(draw)
    return theta


@dataclass(frozen=True)
class Provenance:
    """How weights came about, as their file tells it; None or nothing where it does not.

    A file is anybody's: what cannot be read is left out.
    """

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
        if kinds.get(name) == "int | None" and re.fullmatch("[0-9]{1,18}", value):
            known[name] = int(value)
        elif kinds.get(name) == "str":
            known[name] = value
        elif value:
            more[name] = value
    return Provenance(**known, more=more)


@dataclass(frozen=True, eq=False)
class Weights(Transducer, CompiledUnit):
    """A DFST ready to act."""

    layout: Layout = "operator"
    """Where the head starts on the input."""
    name: str = "dfst"
    task: Task | None = None
    provenance: Provenance = field(default=Provenance(), repr=False)
    """How the weights came about."""

    def __repr__(self) -> str:
        of = f" of {self.task.name}" if self.task and self.task.name != self.name else ""
        told = f", learnt from {self.examples:,} examples" if self.examples else ""
        size = f"hidden size {len(self.h0)}, {self.shape.size:,} parameters in {self.dtype}"
        return f"<Weights {self.name}{of}: {size}, symbols {' '.join(self.alphabet)}{told}>"

    @property
    def shape(self) -> Shape:
        return Shape(len(self.alphabet), len(self.motions), len(self.h0))

    @property
    def examples(self) -> int:
        """How many examples it was learnt from, as its file says; 0 where that says no such number."""
        return self.provenance.samples or 0

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""
        if self.task is not None:
            return self.task.encode(text)
        return encode_plain(text, self.alphabet, self.blank, self.layout, self.name)

    def astype(self, dtype: Any) -> Weights:
        """The same weights in another precision."""
        A, B, C, h0 = (np.ascontiguousarray(t, dtype=dtype) for t in (self.A, self.B, self.C, self.h0))
        return replace(self, A=A, B=B, C=C, h0=h0)

    def flat(self) -> NDArray[Any]:
        """(size,) all parameters as one vector, in the order of `Shape.split`."""
        return np.concatenate([self.A.ravel(), self.B.ravel(), self.C.ravel(), self.h0])

    def fingerprint(self) -> str:
        """A hash of the numbers and of what they mean."""
        meant = json.dumps([self.alphabet, self.motions, self.layout, str(self.dtype)])
        return hashlib.sha256(meant.encode() + self.flat().tobytes()).hexdigest()

    def push_to_hub(self, repository: str, *, private: bool = False) -> str:
        """Send the weights to OWNER/NAME on the Hugging Face Hub; `dfst.load("hub:OWNER/NAME")` fetches them.

        Returns the address of the repository. A card is added where there is none.
        """
        return send(repository, to_bytes(self), hub_card(self, repository), private)

    def run(self, text: str = "", limits: Limits = Limits()) -> Run:
        """Let it work on an input. Without a limit of steps, a model that guesses and goes on is refused."""
        if limits.steps != Limits.steps:
            return super().run(text, limits)
        run = super().run(text, replace(limits, steps=GUESSING))
        if run.halted or run.steps < GUESSING:
            return run
        if run.margin == 0:
            raise self._guesses(text)
        return super().run(text, limits)

    def trace(self, text: str = "", limits: Limits = Limits()) -> Trace:
        """What an onlooker sees of that run."""
        if limits.steps == Limits.steps:
            self.run(text, limits)
        return super().trace(text, limits)

    def _guesses(self, text: str) -> InputError:
        step = first_guess(self, text)
        read = super().trace(text, Limits(steps=step + 1)).x[step]
        return InputError(
            f"{self.name} did not halt on {text!r:.60} within {GUESSING:,} steps, and guesses: at step "
            f"{step:,}, reading {self.alphabet[read]}, its best actions scored alike, as if never "
            "shown; give another input, or a limit of steps (dfst.Limits, --max-steps) to go on"
        )

    def run_compiled(self, text: str, limits: Limits = Limits()) -> Run:
        from dfst.model.rollout.compiled import Rollout

        return Rollout(self).run(text, limits)

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: ControlUnit | None = None
    ) -> Iterator[Run]:
        from dfst.model.rollout.compiled import Rollout

        # The compiled loop can follow tables only.
        if against is None or isinstance(against, Agent):
            return Rollout(self).run_each(texts, limits, against)
        return super().run_each(texts, limits, against)


def symbols_of_model(name: str, alphabet: Sequence[str], blank: int) -> tuple[str, ...]:
    """Symbols as a model names them: the blank is λ; in a weights file spaces stand between them."""
    for i, symbol in enumerate(alphabet):
        if i != blank and (symbol == BLANK or symbol.split() != [symbol]):
            raise InputError(
                f"{name}: a model knows no symbol {symbol!r}: expected no spaces, and {BLANK} only for the "
                "blank; rename it in the machine"
            )
    return tuple(BLANK if i == blank else symbol for i, symbol in enumerate(alphabet))


def weights_from_flat(flat: NDArray[Any], like: Weights) -> Weights:
    """Weights with other numbers and the same meaning."""
    A, B, C, h0 = (np.array(part) for part in like.shape.split(flat))
    return replace(like, A=A, B=B, C=C, h0=h0)


def to_bytes(weights: Weights) -> bytes:
    """The weights file as bytes."""
    metadata = {
        "task": weights.task.name if weights.task and is_task(weights.task.name) else "",
        "name": weights.name,
        "alphabet": " ".join(weights.alphabet),
        "motions": " ".join(weights.motions),
        "start": weights.layout,
        **weights.provenance.as_metadata(),
    }
    return tensors_to_bytes(WEIGHTS, {name: getattr(weights, name) for name in TENSORS}, metadata)


def save_weights(weights: Weights, path: str | Path) -> None:
    """Write a weights file, all or nothing."""
    write_atomically(path, to_bytes(weights))


def load_weights(path: str | Path) -> Weights:
    """Read a weights file, checked."""
    return _weights(*read_tensors(path, WEIGHTS), str(path))


def load_from_hub(repository: str) -> Weights:
    """Fetch a weights file from OWNER/NAME on the Hugging Face Hub, checked as any other is."""
    return from_bytes(fetch(repository).read_bytes(), f"hub:{repository}")


def hub_card(weights: Weights, repository: str) -> str:
    """What the Hub shows of a model: what it is and how to run it. It claims nothing of what it does."""
    computes = f" for {weights.task.name}" if weights.task else ""
    return Template(Path(__file__).with_name("hub_card.md").read_text("utf-8")).substitute(
        name=weights.name, computes=computes, symbols=" ".join(weights.alphabet), size=weights.shape.d,
        parameters=f"{weights.shape.size:,}", subject=f"hub:{repository}",
    )  # fmt: skip


def from_bytes(data: bytes, origin: str) -> Weights:
    """Weights out of the bytes of a file called `origin`."""
    return _weights(*tensors_from_bytes(data, WEIGHTS, origin), origin)


def _weights(tensors: dict[str, NDArray[Any]], metadata: dict[str, str], origin: str) -> Weights:
    known = {"format", "task", "name", "alphabet", "motions", "start"}
    task = find_task(metadata["task"]) if metadata.get("task") else None
    alphabet, start = tuple(metadata["alphabet"].split(" ")), cast(Layout, metadata["start"])
    wrong = None
    if task and alphabet != task.alphabet:
        wrong = f"task {task.name} has the alphabet {' '.join(task.alphabet)}, found another"
    elif start not in get_args(Layout):
        wrong = f"start must be one of {', '.join(get_args(Layout))}, found {start!r}"
    elif task and start != task.layout:
        wrong = f"task {task.name} starts at {task.layout!r}, found {start!r}; it was not written by dfst"
    if wrong is not None:
        raise InputError(f"{origin}: {wrong}")
    check_start(origin, start, task)
    return Weights(
        **{name: tensors[name] for name in TENSORS}, alphabet=alphabet,
        motions=tuple(metadata["motions"].split(" ")), layout=start,
        name=metadata.get("name") or Path(origin).stem, task=task,
        provenance=provenance_of({key: value for key, value in metadata.items() if key not in known}),
    )  # fmt: skip


def first_guess(unit: ControlUnit, text: str) -> int:
    """The first step of a run, counted from 0, in which the best actions scored alike; there is one."""

    def guesses(steps: int) -> bool:
        return unit.run(text, Limits(steps=steps)).margin == 0

    most = 1
    while not guesses(most):
        most *= 2
    return bisect_left(range(most), True, most // 2, key=lambda step: guesses(step + 1))
