"""What a running Python function holds: where it stands in its code, and the values of its variables.

Two moments at which a function holds the same will go on in the same way, as long as it reads the same. So a
snapshot, of every frame between the function and the pen with the closures, defaults and globals that its
code refers to, is a state. CPython also keeps values on a stack that no program can look at, such as the
position of a `for` loop. How deep it is follows from the bytecode; where such a value exists, `Opaque` says
so. Modules, builtin objects, files and clocks are taken for constant.
"""

import dis
import sys
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range)
LONGEST = 1_000
"""Elements of all containers of a snapshot together; a function that keeps more has no small table."""
SHOWN = 12  # letters of a value in the name of a state


class Opaque(Exception):
    """The function holds something that cannot be looked at or compared."""


@dataclass(frozen=True)
class Snapshot:
    """What a function holds at one moment."""

    key: Hashable  # equal for equal moments
    line: int  # where the function itself stands
    variables: tuple[tuple[str, str], ...]  # (name, value as text) of local variables, for people
    calls: tuple[str, ...] = ()  # the functions that are at work, the innermost first


def take(frames: list[FrameType], pen: object) -> Snapshot:
    """A snapshot of these frames, the innermost first, in which `pen` is the pen."""
    freezer = _Freezer(pen)
    key = tuple(freezer.frame(frame) for frame in frames)
    shown = [
        (name, _text(value))
        for frame in reversed(frames)
        for name, value in frame.f_locals.items()
        if value is not pen and not callable(value)
    ]
    return Snapshot(key, frames[-1].f_lineno, tuple(shown), tuple(frame.f_code.co_name for frame in frames))


def _text(value: object) -> str:
    plain = (*ATOMS, tuple, list, dict, set, frozenset)
    text = repr(value) if isinstance(value, plain) else type(value).__name__
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


class _Freezer:
    """Turns objects into hashable values; an object met again is named by its number, so aliases count."""

    def __init__(self, pen: object) -> None:
        self._pen = pen
        self._met: dict[int, tuple[int, object]] = {}
        self._elements = 0

    def frame(self, frame: FrameType) -> Hashable:
        code, at = frame.f_code, frame.f_lasti
        if hidden_values(code, at):
            raise Opaque(
                f"line {frame.f_lineno} moves the pen inside a for loop, a with block or an expression; "
                "use while, and give the move a line of its own"
            )
        held = tuple((name, self.value(value)) for name, value in sorted(frame.f_locals.items()))
        return id(code), at, held, self._globals(code, frame.f_globals)

    def value(self, value: Any) -> Hashable:
        if value is self._pen:
            return "the pen"
        if isinstance(value, ATOMS):
            return type(value).__name__, repr(value)
        if isinstance(value, ModuleType | BuiltinFunctionType | CodeType):
            return "constant", id(value)
        if isinstance(value, MethodType):
            return "method", self.value(value.__self__), self.value(value.__func__)
        if id(value) in self._met:
            return "again", self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        return type(value).__qualname__, *self._parts(value)

    def _parts(self, value: Any) -> Iterator[Hashable]:
        if isinstance(value, type):
            own = {k: v for k, v in vars(value).items() if isinstance(v, (*ATOMS, list, dict, set, deque))}
            yield id(value)
            yield self._items(own) if value.__module__ != "builtins" else ()
        elif isinstance(value, FunctionType):
            yield id(value.__code__)
            bound = value.__closure__, value.__defaults__, value.__kwdefaults__
            yield tuple(map(self.value, bound))
            yield self._globals(value.__code__, value.__globals__)
        elif isinstance(value, CellType):
            yield self.value(value.cell_contents) if _filled(value) else "empty"
        elif isinstance(value, tuple | list | deque):
            yield from (self._element(item) for item in value)
        elif isinstance(value, dict):
            yield self._items(value)
        elif isinstance(value, set | frozenset):
            yield frozenset(self._element(item) for item in value)
        elif isinstance(value, bytearray):
            yield bytes(value)
        elif type(value).__module__ != "builtins" and hasattr(value, "__dict__"):
            yield id(type(value))
            yield self._items(vars(value))
        else:
            raise Opaque(f"it holds a {type(value).__name__}, which cannot be compared; use plain values")

    def _items(self, mapping: dict[Any, Any]) -> Hashable:
        return tuple((self._element(key), self._element(item)) for key, item in mapping.items())

    def _element(self, item: Any) -> Hashable:
        self._elements += 1
        if self._elements > LONGEST:
            raise Opaque(f"it holds more than {LONGEST:,} values at once")
        return self.value(item)

    def _globals(self, code: CodeType, space: dict[str, Any]) -> Hashable:
        """Those that the code, and code inside it, refers to by name."""
        names = sorted(name for name in _names(code) if name in space)
        return tuple((name, self.value(space[name])) for name in names)


def _filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1_000)
def _names(code: CodeType) -> frozenset[str]:
    inside = (part for part in code.co_consts if isinstance(part, CodeType))
    return frozenset(code.co_names).union(*(_names(part) for part in inside))


@lru_cache(maxsize=10_000)
def hidden_values(code: CodeType, at: int) -> bool:
    """Whether values lie on the stack below the call at offset `at`, or this cannot be told."""
    # the offset may lie in the cache behind the instruction
    called = [op for op in dis.get_instructions(code) if op.offset <= at][-1]
    before = _depths(code).get(called.offset)
    return before is None or before + dis.stack_effect(called.opcode, called.arg, jump=False) != 1


@lru_cache(maxsize=1_000)
def _depths(code: CodeType) -> dict[int, int]:
    """Depth of the stack before each instruction that is reached without an exception."""
    instructions = list(dis.get_instructions(code))
    place = {op.offset: i for i, op in enumerate(instructions)}
    depths: dict[int, int] = {}
    todo = [(0, 0)]
    while todo:
        i, depth = todo.pop()
        op = instructions[i]
        if op.offset in depths:
            continue
        depths[op.offset] = depth
        if op.opcode in dis.hasjrel or op.opcode in dis.hasjabs:
            effect = dis.stack_effect(op.opcode, op.arg, jump=True)
            todo.append((place[op.argval], depth + effect))
        if op.opname not in ENDING and i + 1 < len(instructions):
            todo.append((i + 1, depth + dis.stack_effect(op.opcode, op.arg, jump=False)))
    return depths


ENDING = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"} | {
    "JUMP_BACKWARD_NO_INTERRUPT",
}
"""Instructions that are not followed by the next one."""


def frames_within(outer: CodeType) -> list[FrameType]:
    """The frames from the caller's out to the one whose code is `outer`, but for those of their own files."""
    frame: FrameType | None = sys._getframe(1)
    ours = {sys._getframe(1).f_code.co_filename, outer.co_filename}
    found: list[FrameType] = []
    while frame is not None and frame.f_code is not outer:
        if frame.f_code.co_filename not in ours:
            found.append(frame)
        frame = frame.f_back
    return found
