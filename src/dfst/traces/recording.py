"""Recordings: traces as a file of JSON lines, made by anybody, read by people, learnt from without an expert.

    {"format": "dfst-traces/2", "alphabet": ["0", "1", "λ"], "blank": "λ", "start": "last"}
    {"input": "11", "read": "11λ", "wrote": "001", "moved": "LLS"}

docs/reference/traces.md describes it. Whoever reads a file gets traces that one machine could have made: each
is whole, finds on a cell what its input or an earlier step left there, and no two of them answer the same
symbols in two ways. Every refusal names the line.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.files import write_atomically
from dfst.machines.agent import MAX_SYMBOLS, encode_plain
from dfst.tasks.registry import find_task
from dfst.tasks.task import Layout, Task, short
from dfst.traces.sample import MOST_STEPS
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import BLANK, MOTION_NAMES, MOTIONS, Cell, N, S, first_cell, moved
from dfst.world.trace import Trace

FORMAT = "dfst-traces/2"
FIRST_LINE = 2
"""Where the traces begin, the header before them."""
HELD_OUT = 5
"""One trace in so many is held out."""


class Recorded(Protocol):
    """What made the traces, as far as a recording tells."""

    @property
    def name(self) -> str: ...
    @property
    def alphabet(self) -> tuple[str, ...]: ...
    @property
    def blank(self) -> int: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def task(self) -> Task | None: ...


@dataclass(frozen=True, eq=False)
class Recording:
    """Traces of something unknown, and what is needed to act like it."""

    name: str
    alphabet: tuple[str, ...]
    blank: int
    layout: Layout
    task: Task | None
    """How inputs are written, where that is a task's way"""
    traces: TraceSet
    hold_out: bool = True
    """Whether some are kept from the learner; a handful of examples made by hand cannot spare any"""
    taught: int | None = None
    """The first so many traces are shown, all others held out; None: one in five is held out"""

    def line(self, trace: int) -> int:
        """The line of its file that a trace stands in."""
        return trace + FIRST_LINE

    @cached_property
    def held_out(self) -> tuple[int, ...]:
        """Which traces are kept from the learner: as was said, or one in five, the longest among them.

        None of them repeats one that is shown, or its beginning, or it would be shown after all.
        """
        if not self.hold_out:
            return ()
        chosen = range(self.taught, len(self.traces)) if self.taught is not None else self._one_in_five()
        shown = _Shown(self.traces[i] for i in sorted(set(range(len(self.traces))) - set(chosen)))
        return tuple(i for i in chosen if not shown.repeated_by(self.traces[i]))

    def _one_in_five(self) -> list[int]:
        """Repeated traces go together."""
        first: dict[bytes, int] = {}
        for i in range(len(self.traces)):
            first.setdefault(_content(self.traces[i]), i)
        different = sorted(first.values(), key=lambda i: (-int(self.traces.lengths[i]), i))
        if len(different) < 2:
            raise InputError(
                f"{self.name}: expected two different traces or more, one to learn from and one to hold out, "
                f"found {len(different)}; record more"
            )
        chosen = set(different[::HELD_OUT])
        return [i for i in range(len(self.traces)) if first[_content(self.traces[i])] in chosen]

    @property
    def shown(self) -> tuple[int, ...]:
        """Which traces the learner sees."""
        return tuple(sorted(set(range(len(self.traces))) - set(self.held_out)))


class _Shown:
    """Traces that a learner sees, to tell which others say nothing that these do not."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self.every = sorted((_content(trace), trace.input) for trace in traces)

    def repeated_by(self, trace: Trace) -> bool:
        """Whether it is one of these or the beginning of one, on the same input as far as both are given."""
        content = _content(trace)
        first = bisect_left(self.every, (content, ""))
        after = (self.every[place] for place in range(first, len(self.every)))
        longer = takewhile(lambda one: one[0].startswith(content), after)
        return any(trace.input == text or not (trace.input and text) for _, text in longer)


def _content(trace: Trace) -> bytes:
    return np.column_stack([trace.x, trace.s, trace.m]).tobytes()


def write_recording(
    path: str | Path, by: Recorded, traces: Sequence[Trace], shown: int | None = None
) -> None:
    """Write traces of one control unit, all or nothing; shown: how many, the first, are not held out."""
    unusable = next((symbol for symbol in by.alphabet if symbol.split() != [symbol]), None)
    if unusable is not None:
        raise InputError(
            f"{by.name}: a recording has no symbols with spaces, found {unusable!r}; rename it in the machine"
        )
    used = MOTION_NAMES if any((trace.m == N).any() for trace in traces) else MOTIONS
    header = {
        "format": FORMAT,
        "name": by.name,
        "alphabet": list(by.alphabet),
        "blank": by.alphabet[by.blank],
        "motions": "".join(used),
        "start": by.layout,
        **({"task": by.task.name} if by.task else {}),
        **({"shown": shown} if shown is not None else {}),
    }
    lines = [header] + [
        {
            "input": trace.input,
            "read": _spelt(trace.x, by.alphabet),
            "wrote": _spelt(trace.s, by.alphabet),
            "moved": "".join(MOTION_NAMES[m] for m in trace.m),
        }
        for trace in traces
    ]
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _spelt(symbols: NDArray[np.uint8], alphabet: tuple[str, ...]) -> str | list[str]:
    """One character a symbol where that can be read back, else a list."""
    named = [alphabet[k] for k in symbols]
    return "".join(named) if all(len(symbol) == 1 for symbol in alphabet) else named


def read_recording(path: str | Path, hold_out: bool = True) -> Recording:
    """The recording in a file, checked line by line."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}; give a trace file") from error
    return parse_recording(text, str(path), Path(path).stem, hold_out)


def parse_recording(text: str, origin: str, name: str, hold_out: bool = True) -> Recording:
    """The recording in a text; `origin` is what complaints call it, `name` is for one without a name."""
    rows = _rows(text, origin)
    unit = _header(next(rows, {}), f"{origin}, line 1", name)
    traces: list[Trace] = []
    steps = 0
    for number, row in enumerate(rows, FIRST_LINE):
        traces.append(_trace(row, unit, f"{origin}, line {number}"))
        steps += len(traces[-1])
        if steps > MOST_STEPS:
            raise InputError(f"{origin}: more than {MOST_STEPS:,} steps in all; learn from fewer traces")
    if not traces:
        raise InputError(f"{origin}: expected traces after the first line, found none")
    _check_agreement(traces, unit, origin)
    motions = MOTION_NAMES if any((trace.m == N).any() for trace in traces) else MOTIONS
    together = gather(traces, unit.name, unit.alphabet, motions)
    if unit.shown is not None and not 1 <= unit.shown <= len(traces):
        raise InputError(f"{origin}, line 1: shown must be from 1 to {len(traces)}, the number of traces")
    about = unit.name, unit.alphabet, unit.blank, unit.layout, unit.task
    return Recording(*about, together, hold_out, unit.shown)


@dataclass(frozen=True)
class _Header:
    """The first line, checked."""

    name: str
    alphabet: tuple[str, ...]
    blank: int
    layout: Layout
    task: Task | None
    motions: tuple[str, ...]
    shown: int | None


def _rows(text: str, origin: str) -> Iterator[dict[str, Any]]:
    """The object of every line."""
    for number, line in enumerate(text.rstrip().split("\n") if text.strip() else (), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{origin}, line {number}: expected a JSON object ({error})") from error
        if not isinstance(row, dict):
            raise InputError(f"{origin}, line {number}: expected a JSON object, found {line.strip()[:40]}")
        yield row


def _header(row: dict[str, Any], where: str, stem: str) -> _Header:
    if row.get("format") != FORMAT:
        raise InputError(f'{where}: expected a header with "format": "{FORMAT}", found {row.get("format")!r}')
    alphabet, blank = row.get("alphabet"), row.get("blank")
    if not isinstance(alphabet, list) or not all(isinstance(s, str) and s.split() == [s] for s in alphabet):
        raise InputError(f"{where}: alphabet must be a list of symbols without spaces, found {alphabet!r}")
    if not 1 <= len(alphabet) <= MAX_SYMBOLS or len(set(alphabet)) < len(alphabet):
        raise InputError(f"{where}: alphabet must hold 1 to {MAX_SYMBOLS} different symbols")
    if blank not in alphabet or (BLANK in alphabet and blank != BLANK):
        raise InputError(
            f"{where}: blank must be a symbol of the alphabet, {BLANK} if that is one, found {blank!r}"
        )
    motions = row.get("motions", "".join(MOTIONS))
    if not isinstance(motions, str | list) or not set(motions) <= set(MOTION_NAMES) or "S" not in motions:
        raise InputError(f"{where}: motions must be among {''.join(MOTION_NAMES)}, with S, found {motions!r}")
    task = find_task(row["task"]) if isinstance(row.get("task"), str) else None
    start = row.get("start", task.layout if task else "first")
    if start not in get_args(Layout) or (start == "operator") != (
        task is not None and task.layout == "operator"
    ):
        raise InputError(
            f"{where}: start must be first, last, or that of a task given as well, found {start!r}"
        )
    if task and tuple(alphabet) != task.alphabet:
        raise InputError(
            f"{where}: task {task.name} has the alphabet {' '.join(task.alphabet)}, found another"
        )
    name = row.get("name", stem)
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or set(name) & {"/", "\\"}:
        raise InputError(f"{where}: name must be text without slashes, as folders are named, found {name!r}")
    layout, shown = cast(Layout, start), row.get("shown")
    if shown is not None and not isinstance(shown, int):
        raise InputError(f"{where}: shown must be a number of traces, found {shown!r}")
    return _Header(name, tuple(alphabet), alphabet.index(blank), layout, task, tuple(motions), shown)


def _trace(row: dict[str, Any], header: _Header, where: str) -> Trace:
    text = row.get("input", "")
    if not isinstance(text, str):
        raise InputError(f"{where}: input must be text, found {text!r}")
    columns = []
    for key, known, names in (
        ("read", header.alphabet, header.alphabet),
        ("wrote", header.alphabet, header.alphabet),
        ("moved", header.motions, MOTION_NAMES),
    ):
        given = row.get(key)
        if not isinstance(given, str | list) or not given:
            raise InputError(f"{where}: {key} must be a text or a list of at least one step, found {given!r}")
        index = {name: names.index(name) for name in known}
        unknown = next((s for s in given if not isinstance(s, str) or s not in index), None)
        if unknown is not None:
            raise InputError(f"{where}: {key} holds {unknown!r}, expected one of {' '.join(known)}")
        columns.append(np.array([index[s] for s in given], dtype=np.uint8))
    x, s, m = columns
    if not len(x) == len(s) == len(m):
        raise InputError(
            f"{where}: expected as many steps each, found {len(x)} read, {len(s)} wrote, {len(m)} moved"
        )
    if (m[:-1] == S).any():
        raise InputError(f"{where}: S halts and may stand in the last step only")
    trace = Trace(header.name, text, header.alphabet, x, s, m)
    _check_plane(trace, _laid(text, header), header.blank, where)
    return trace


def _laid(text: str, header: _Header) -> dict[Cell, int] | None:
    """The cells of an input; None where they are not known: none is given, or words in its place."""
    try:
        given = header.alphabet, header.blank, header.layout, header.name
        symbols, start = header.task.encode(text) if header.task else encode_plain(text, *given)
    except InputError:
        return None
    x, y = first_cell(symbols, start)
    return {(x + c, y - r): int(s) for (r, c), s in np.ndenumerate(np.atleast_2d(symbols))} or None


def _check_plane(trace: Trace, laid: dict[Cell, int] | None, blank: int, where: str) -> None:
    """Refuse a trace that reads something else than its input or an earlier step left there."""
    cell = (0, 0)
    written: dict[Cell, tuple[int, int]] = {}
    for t, (x, s, m) in enumerate(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)):
        earlier, symbol = written.get(cell, (t, x if laid is None else laid.get(cell, blank)))
        if symbol != x:
            left, read = trace.alphabet[symbol], trace.alphabet[x]
            if cell not in written:
                raise InputError(
                    f"{where}: step {t} finds {read} on the cell x={cell[0]}, y={cell[1]}, "
                    f"where the input {short(trace.input)} has {left}; correct one of them"
                )
            raise InputError(
                f"{where}: step {t} reads {read} on a cell where step {earlier} wrote {left}; "
                "correct what was read, written or moved"
            )
        written[cell] = t, s
        cell = moved(cell, m)


def _check_agreement(traces: Sequence[Trace], header: _Header, path: str) -> None:
    """Refuse two traces that read the same symbols and then act differently: no machine does both."""
    answers: dict[tuple[int, int], tuple[int, int, int]] = {}
    followers: dict[tuple[int, int], int] = {}
    for line, trace in enumerate(traces, FIRST_LINE):
        node = 0
        for t, (x, s, m) in enumerate(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)):
            before = answers.setdefault((node, x), (s, m, line))
            if before[:2] != (s, m):
                one, two = (f"{header.alphabet[w]} {MOTION_NAMES[v]}" for w, v in (before[:2], (s, m)))
                raise InputError(
                    f"{path}: lines {before[2]} and {line} contradict each other: after the same symbols, "
                    f"step {t} reads {header.alphabet[x]} and does {one} in one, {two} in the other"
                )
            node = followers.setdefault((node, x), len(followers) + 1)
