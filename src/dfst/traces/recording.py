"""Recordings: traces as a file of JSON lines (docs/reference/traces.md), learnt from without an expert.

Whoever reads a file gets traces that one machine could have made, unless errors are allowed. Every refusal
names the line.
"""

import gzip
import json
import re
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError, UnknownName, placed
from dfst.files import write_atomically
from dfst.files.plain import open_plain
from dfst.files.sealed import check_format
from dfst.machines.agent import MAX_SYMBOLS, encode_plain
from dfst.tasks.registry import find_task
from dfst.tasks.task import Layout, Task
from dfst.traces.consistent import Laid, as_far_as_read, check_agreement, on_the_plane
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import BLANK, MOTION_NAMES, MOTIONS, N, S, first_cell
from dfst.world.trace import UNKNOWN, Trace

FORMAT = "dfst-traces/2"
FIELDS = ("input", "read", "wrote", "moved")  # of a trace
HEADER = ("format", "alphabet", "blank", "motions", "start", "name", "task", "errors", "shown")  # its fields
FIRST_LINE = 2  # where the traces begin, the header before them
GZIP = b"\x1f\x8b"  # how a packed file begins
MOST_BYTES, LONGEST_LINE, MOST_STEPS, MOST_EMPTY = 1 << 28, 1 << 25, 50_000_000, 1_000  # of a file, unpacked
TOLD_BYTES = 1 << 22  # after so many more it is told how far it is
Tell = Callable[[str], object]
SURROGATE = re.compile("[\ud800-\udfff]")
HELD_OUT = 5  # one trace in so many is held out
UNSEEN = "?"  # what stands in a file for what is not known, unless the alphabet has it


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
    task: Task | None  # how inputs are written, where that is a task's way
    traces: TraceSet
    taught: int | None = None
    """The first so many traces are shown, all others held out; None: one in five is held out"""
    errors: bool = False  # whether some of what was recorded may be wrong
    lines: tuple[int, ...] = ()  # the line of its file that each trace stands in, where there is a file
    lost: int = 0  # steps left out, since a symbol before them is not known

    def line(self, trace: int) -> int:
        """The line of its file that a trace stands in."""
        return self.lines[trace] if self.lines else trace + FIRST_LINE

    @cached_property
    def held_out(self) -> tuple[int, ...]:
        """Which traces are kept from the learner: as was said, or one in five, the longest among them. None
        of them repeats one that is shown, or its beginning, or it would be shown after all."""
        chosen = range(self.taught, len(self.traces)) if self.taught is not None else self._one_in_five()
        others = [self.traces[i] for i in sorted(set(range(len(self.traces))) - set(chosen))]
        if self.errors:  # those that read the same are the same run, whatever was written down of it
            read = {trace.x.tobytes() for trace in others}
            return tuple(i for i in chosen if self.traces[i].x.tobytes() not in read)
        on_inputs = sorted((trace.input, _content(trace)) for trace in others)
        on_any = sorted(("", content) for _, content in on_inputs)
        return tuple(i for i in chosen if not _repeats(self.traces[i], on_inputs, on_any))

    def _one_in_five(self) -> list[int]:
        """Repeated traces go together."""
        every = range(len(self.traces))
        contents = [sha256(_content(trace)).digest() for trace in map(self.traces.__getitem__, every)]
        first: dict[bytes, int] = {}
        for i in every:
            first.setdefault(contents[i], i)
        different = sorted(first.values(), key=lambda i: (-int(self.traces.lengths[i]), i))
        if len(different) < 2:
            raise InputError(
                f"{self.name}: expected two different traces or more, one to learn from and one to hold out, "
                f"found {len(different)}; record more"
            )
        chosen = set(different[::HELD_OUT])
        return [i for i in every if first[contents[i]] in chosen]

    @property
    def shown(self) -> tuple[int, ...]:
        """Which traces the learner sees."""
        return tuple(sorted(set(range(len(self.traces))) - set(self.held_out)))


def _repeats(trace: Trace, on_inputs: list[tuple[str, bytes]], on_any: list[tuple[str, bytes]]) -> bool:
    """Whether it is one of these sorted traces or begins one, on the same input as far as both are given."""
    texts, every = ((trace.input, ""), on_inputs) if trace.input else (("",), on_any)
    content = _content(trace)
    for text in texts:
        place = bisect_left(every, (text, content))  # of those that begin so, the first
        if place < len(every) and every[place][0] == text and every[place][1].startswith(content):
            return True
    return False


def _content(trace: Trace) -> bytes:
    return np.column_stack([trace.x, trace.s, trace.m]).tobytes()


class Names:
    """Symbols or motions: their names in a file, their numbers in a trace."""

    def __init__(self, known: tuple[str, ...], every: tuple[str, ...]) -> None:
        """known: those that may be read, of every name in the order of its number"""
        self.known = known
        self.index = {UNSEEN: UNKNOWN} | {name: every.index(name) for name in known}
        self._names = [*every, *[UNSEEN] * (UNKNOWN + 1 - len(every))]
        single = {ord(name): number for name, number in self.index.items() if len(name) == 1}
        self._numbers = np.full(max(single) + 2, -1, dtype=np.int16)
        self._numbers[list(single)] = list(single.values())
        self._codes = np.array([ord(name) if len(name) == 1 else 0 for name in self._names], dtype="<u4")

    def numbers(self, given: str | list[Any]) -> NDArray[np.uint8] | None:
        """None where one has no number."""
        if isinstance(given, str):
            codes = np.frombuffer(given.encode("utf-32-le"), dtype="<u4")
            found = self._numbers[np.minimum(codes, len(self._numbers) - 1)]
            return None if found.min() < 0 else found.astype(np.uint8)
        numbers = [self.index.get(name, -1) if isinstance(name, str) else -1 for name in given]
        return None if min(numbers) < 0 else np.array(numbers, dtype=np.uint8)

    def text(self, numbers: NDArray[np.uint8]) -> str:
        """Where each name is one character."""
        return self._codes[numbers].tobytes().decode("utf-32-le")

    def names(self, numbers: NDArray[np.uint8]) -> list[str]:
        return [self._names[number] for number in numbers.tolist()]


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
        **({"errors": True} if getattr(by, "errors", False) else {}),
    }
    plain = all(len(symbol) == 1 for symbol in by.alphabet)  # one character a symbol can be read back
    spell = Names(by.alphabet, by.alphabet).text if plain else Names(by.alphabet, by.alphabet).names
    move = Names(MOTION_NAMES, MOTION_NAMES).text
    rows = (
        {"input": trace.input, "read": spell(trace.x), "wrote": spell(trace.s), "moved": move(trace.m)}
        for trace in traces
    )
    lines = (json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in chain((header,), rows))
    write_atomically(path, b"".join(lines))


def read_recording(path: str | Path, errors: bool = False, tell: Tell = lambda text: None) -> Recording:
    """The recording in a file, which may be packed by gzip, checked line by line. errors: some of what was
    recorded may be wrong, whatever its header says; tell: takes how far it is"""
    try:
        with open_plain(path, "give a trace file") as file:
            packed = file.read(2) == GZIP
            file.seek(0)
            name = Path(path).name.split(".")[0]
            source: IO[bytes] = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if packed else file
            return parse_recording(source, str(path), name, errors, tell)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        damage = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "damaged, or cut off"
        reason = getattr(error, "strerror", None) or f"it is {damage}"
        raise InputError(f"cannot read {path}: {reason}; give a trace file") from error


def parse_recording(
    source: IO[bytes], origin: str, name: str, errors: bool = False,
    tell: Tell = lambda text: None,
) -> Recording:  # fmt: skip
    """The recording in a text; `origin` is what complaints call it, `name` is for one without a name."""
    rows = _rows(source, origin, tell)
    unit, moves = _header(next(rows, {}), f"{origin}, line 1", name)
    unit = replace(unit, errors=errors or unit.errors)
    names = Names(unit.alphabet, unit.alphabet), Names(moves, MOTION_NAMES)
    columns = x, _, m = bytearray(), bytearray(), bytearray()
    inputs: list[str] = []
    lines: list[int] = []
    start, lost = [0], 0
    for number, row in enumerate(rows, FIRST_LINE):
        trace = _trace(row, unit, *names, f"{origin}, line {number}")
        read = as_far_as_read(trace)
        lost += len(trace) - len(read)
        if len(read):
            for column, array in zip(columns, (read.x, read.s, read.m), strict=True):
                column += array.tobytes()
            inputs.append(read.input)
            lines.append(number)
            start.append(len(x))
        if len(x) > MOST_STEPS:
            raise InputError(f"{origin}: more than {MOST_STEPS:,} steps in all; learn from fewer traces")
    if not inputs:
        raise InputError(f"{origin}: expected traces after the first line, found none")
    if unit.taught is not None and not 1 <= unit.taught <= len(inputs):
        raise InputError(f"{origin}, line 1: shown must be from 1 to {len(inputs)}, the number of traces")
    about = unit.name, unit.alphabet, MOTION_NAMES if N in m else MOTIONS, tuple(inputs)
    every_x, every_s, every_m = (np.frombuffer(column, dtype=np.uint8) for column in columns)
    traces = TraceSet(*about, every_x, every_s, every_m, np.array(start))
    if not unit.errors:
        tell(f"comparing {counted(len(inputs), 'trace')} of {origin}")
        check_agreement(traces, lines, origin)
    return replace(unit, traces=traces, lines=tuple(lines), lost=lost)


def _rows(source: IO[bytes], origin: str, tell: Tell) -> Iterator[dict[str, Any]]:
    """The object of every line; empty ones may stand at the end."""
    done = told = blank = 0
    for number in count(1):
        data = source.readline(LONGEST_LINE + 1)
        done += len(data)
        if not data:
            return
        if done > MOST_BYTES:
            raise InputError(f"{origin}: expected at most {MOST_BYTES:,} bytes of traces, found more")
        if len(data) > LONGEST_LINE:
            raise InputError(f"{origin}, line {number}: expected at most {LONGEST_LINE:,} bytes, found more")
        if done - told >= TOLD_BYTES:
            told = done
            tell(f"reading {origin}: {done >> 20:,} MB, {counted(number, 'line')}")
        line = data.decode("utf-8-sig" if number == 1 else "utf-8")
        if not line.strip():
            blank = blank or number
            if number - blank > MOST_EMPTY:
                raise InputError(
                    f"{origin}, line {blank}: expected a trace, found {MOST_EMPTY:,} empty lines"
                )
            continue
        try:
            row = json.loads(line if not blank else "")
        except (ValueError, RecursionError) as error:
            raise InputError(f"{origin}, line {blank or number}: expected a JSON object ({error})") from error
        if "\\u" in line and SURROGATE.search(json.dumps(row, ensure_ascii=False)):
            raise InputError(f"{origin}, line {number}: expected text, found half a character (\\ud800 …)")
        if not isinstance(row, dict):
            raise InputError(f"{origin}, line {number}: expected a JSON object, found {line.strip()[:40]}")
        yield row


def _header(row: dict[str, Any], where: str, stem: str) -> tuple[Recording, tuple[str, ...]]:
    """What the first line says, as a recording without traces, and the motions that may be in them."""

    def demand(holds: object, otherwise: str) -> None:
        if not holds:
            raise InputError(f"{where}: {otherwise}")

    demand("format" in row, f'expected a header with "format": "{FORMAT}", found none')
    check_format(row["format"], FORMAT, where, "record the traces again")
    _check_fields(row, HEADER, where)
    alphabet: Any = row.get("alphabet")
    listed = isinstance(alphabet, list) and all(isinstance(s, str) and s.split() == [s] for s in alphabet)
    demand(listed, f"alphabet must be a list of symbols without spaces, found {alphabet!r}")
    different = len(alphabet) == len(set(alphabet)) and 1 <= len(alphabet) <= MAX_SYMBOLS
    demand(different, f"alphabet must hold 1 to {MAX_SYMBOLS} different symbols")
    blank: Any = row.get("blank")
    named = blank in alphabet and (BLANK not in alphabet or blank == BLANK)
    demand(named, f"blank must be a symbol of the alphabet, {BLANK} if that is one, found {blank!r}")
    motions: Any = row.get("motions", MOTIONS)
    known = isinstance(motions, str | list | tuple) and set(motions) <= set(MOTION_NAMES) and "S" in motions
    demand(known, f"motions must be among {''.join(MOTION_NAMES)}, with S, found {motions!r}")
    task = find_task(row["task"]) if isinstance(row.get("task"), str) else None
    start: Any = row.get("start", task.layout if task else "first")
    of_task = task is not None and task.layout == "operator"
    fits = start in get_args(Layout) and (start == "operator") == of_task
    demand(fits, f"start must be first, last, or that of a task given as well, found {start!r}")
    if task and tuple(alphabet) != task.alphabet:
        demand(False, f"task {task.name} has the alphabet {' '.join(task.alphabet)}, found another")
    name: Any = row.get("name", stem)
    usable = isinstance(name, str) and name.strip() and name.isprintable() and not set(name) & {"/", "\\"}
    demand(usable, f"name must be text without slashes, as folders are named, found {name!r}")
    shown, errors = row.get("shown"), row.get("errors", False)
    demand(shown is None or isinstance(shown, int), f"shown must be a number of traces, found {shown!r}")
    demand(isinstance(errors, bool), f"errors must be true or false, found {errors!r}")
    none, at = gather((), name, tuple(alphabet)), alphabet.index(blank)
    return Recording(name, tuple(alphabet), at, start, task, none, shown, errors), tuple(motions)


def _trace(row: dict[str, Any], unit: Recording, symbols: Names, moves: Names, where: str) -> Trace:
    _check_fields(row, FIELDS, where)
    text = row.get("input", "")
    if not isinstance(text, str):
        raise InputError(f"{where}: input must be text, found {text!r}")
    columns = []
    for key, names in (("read", symbols), ("wrote", symbols), ("moved", moves)):
        given = row.get(key)
        if not isinstance(given, str | list) or not given:
            raise InputError(f"{where}: {key} must be a text or a list of at least one step, found {given!r}")
        numbers = names.numbers(given)
        if numbers is None:
            unknown = next(s for s in given if not isinstance(s, str) or s not in names.index)
            among = f"one of {' '.join(names.known)}, or {UNSEEN} where it is not known"
            raise InputError(f"{where}: {key} holds {unknown!r}, expected {among}")
        columns.append(numbers)
    x, s, m = columns
    if not len(x) == len(s) == len(m):
        raise InputError(
            f"{where}: expected as many steps each, found {len(x)} read, {len(s)} wrote, {len(m)} moved"
        )
    trace = Trace(unit.name, text, unit.alphabet, x, s, m)
    if unit.errors:
        return trace
    if (m[:-1] == S).any():
        raise InputError(f"{where}: S halts and may stand in the last step only")
    return on_the_plane(trace, _laid(text, unit), unit.blank, where)


def _check_fields(row: dict[str, Any], known: Sequence[str], where: str) -> None:
    if (strange := next((key for key in row if key not in known), None)) is not None:
        raise placed(where, UnknownName("field", strange, known))


def _laid(text: str, unit: Recording) -> Laid | None:
    """An input on the plane; None where it is not known: none is given, or words in its place."""
    try:
        given = unit.alphabet, unit.blank, unit.layout, unit.name
        symbols, start = unit.task.encode(text) if unit.task else encode_plain(text, *given)
    except InputError:
        return None
    return (np.atleast_2d(symbols), first_cell(symbols, start)) if symbols.size else None
