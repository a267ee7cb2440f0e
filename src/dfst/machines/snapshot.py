"""What a running Python function holds: where it stands in its code, and the values of its variables.

Two moments at which a function holds the same will go on in the same way, as long as it reads the same. So a
snapshot, of every frame between the function and the pen with the closures, defaults and globals that its
code refers to, is a state. So is what lies on its stack (`stack.py`), such as the position of a `for` loop.
What other objects hold is what pickle would keep of them. What code that is not Python holds, nobody can see:
where that, or a generator, calls for a move, `Opaque` says so. Installed modules, and clocks, are taken for
constant.
"""

import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from dfst.machines.stack import Opaque, called_from_c, values_below

ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range)
LONGEST = 1_000
"""Elements of all containers of a snapshot together; a function that keeps more has no small table."""
MOST_BITS, MOST_LETTERS = 8_000, 1_000_000  # of a number and a text; more of them have grown
SHOWN = 12  # letters of a value in the name of a state
UNNAMED = "for loop or expression"  # a value that no variable holds
HANDS_OUT = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


class Grown(Opaque):
    """What it holds has grown beyond any state of a table."""


@dataclass(frozen=True)
class Snapshot:
    """What a function holds at one moment."""

    key: tuple[Any, ...]  # equal for equal moments
    line: int  # where the function itself stands
    variables: tuple[tuple[str, str], ...]  # (name, value as text) of local variables, for people
    calls: tuple[str, ...] = ()  # the functions that are at work, the innermost first

    def named(self) -> Iterator[tuple[str, Hashable]]:
        """What its local and global variables hold."""
        for _, _, local, other in self.key:
            yield from (*local, *other)


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


def left(function: object, pen: object) -> Snapshot:
    """What a function that has returned leaves behind."""
    return Snapshot((("left", 0, (), (("function", _Freezer(pen).value(function)),)),), 0, ())


def _text(value: object) -> str:
    plain = (*ATOMS, tuple, list, dict, set, frozenset)
    try:
        text = repr(value) if isinstance(value, plain) else type(value).__name__
    except Exception:  # of something inside it
        text = type(value).__name__
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


class _Freezer:
    """Turns objects into hashable values; an object met again is named by its number, so aliases count."""

    def __init__(self, pen: object) -> None:
        self._pen = pen
        self._met: dict[int, tuple[int, object]] = {}
        self._elements = 0

    def frame(self, frame: FrameType) -> Hashable:
        unnamed = ((f"{UNNAMED} {i}", value) for i, value in enumerate(values_below(frame), 1))
        named = tuple((k, self.value(v)) for k, v in (*sorted(frame.f_locals.items()), *unnamed))
        return id(frame.f_code), frame.f_lasti, named, self._globals(frame.f_code, frame.f_globals)

    def value(self, value: Any) -> Hashable:
        if value is self._pen:
            return "the pen"
        if type(value) is int and value.bit_length() > MOST_BITS:
            raise Grown
        if type(value) in (str, bytes) and len(value) > MOST_LETTERS:
            raise Grown
        if type(value) in ATOMS:
            return type(value).__name__, repr(value)
        if isinstance(value, ModuleType | CodeType):
            return "constant", id(value)
        if isinstance(value, BuiltinFunctionType):
            return "builtin", value.__qualname__, self.value(value.__self__)
        if isinstance(value, MethodType):
            return "method", self.value(value.__self__), self.value(value.__func__)
        if id(value) in self._met:
            return "again", self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        return type(value).__qualname__, *self._parts(value)

    def _parts(self, value: Any) -> Iterator[Hashable]:
        if isinstance(value, type):
            yield value.__module__  # no identity: a class inside a function is made anew in every run
            for base in value.__mro__:
                yield self._items({k: v for k, v in vars(base).items() if _is_data(k, v, base)})
        elif isinstance(value, FunctionType):
            yield id(value.__code__)
            bound = value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__
            yield tuple(map(self.value, bound))
            yield self._globals(value.__code__, value.__globals__)
        elif isinstance(value, CellType):
            yield self.value(value.cell_contents) if _filled(value) else "empty"
        elif type(value) in (tuple, list, set, frozenset):
            yield from (self._element(item) for item in value)
        elif type(value) is dict:
            yield self._items(value)
        else:
            yield from self._pickled(value)

    def _pickled(self, value: Any) -> Iterator[Hashable]:
        """What makes the object, with which arguments, its attributes, elements and items."""
        try:
            kept = value.__reduce_ex__(2)
        except Exception as error:
            what = type(value).__name__
            raise Opaque(f"it holds a {what}, which cannot be compared; use a list or numbers") from error
        if isinstance(kept, str):  # the name of something that there is once
            yield id(value)
        else:
            yield from (self._element(list(part) if isinstance(part, Iterator) else part) for part in kept)

    def _items(self, mapping: dict[Any, Any]) -> Hashable:
        return tuple((self._element(key), self._element(item)) for key, item in mapping.items())

    def _element(self, item: Any) -> Hashable:
        self._elements += 1
        if self._elements > LONGEST:
            raise Opaque(f"it holds more than {LONGEST:,} values at once")
        return self.value(item)

    def _globals(self, code: CodeType, space: dict[str, Any]) -> Hashable:
        """Those that the code, and code inside it, refers to by name."""
        names = sorted(_names(code))
        held = {name: space[name] for name in names if name in space}
        for module in [value for value in held.values() if isinstance(value, ModuleType)]:
            inside = {name: vars(module)[name] for name in names if name in vars(module)}
            own = not _installed(module)
            held |= {f"{module.__name__}.{k}": v for k, v in inside.items() if own or _is_bound(v)}
        return tuple((name, self.value(value)) for name, value in held.items())


def _is_data(name: str, value: object, of: type) -> bool:
    """Whether something in a class may tell two moments apart: a method of the user's own, or a value that
    is no descriptor and not Python's own."""
    if isinstance(value, FunctionType):
        return not _installed(sys.modules.get(of.__module__))
    pythons = name.startswith("__") or name == "_abc_impl"
    return not pythons and not callable(value) and not hasattr(type(value), "__get__")


def _is_bound(value: object) -> bool:
    """Whether a function goes by an object, as `random.random` does."""
    return not isinstance(getattr(value, "__self__", None), ModuleType | None)


def _installed(module: ModuleType | None) -> bool:
    """Whether a module comes with Python or from an index; others are the user's own."""
    if module is None or module.__name__ == "__main__":
        return False
    top, file = module.__name__.partition(".")[0], getattr(module, "__file__", None) or ""
    return top in {*sys.stdlib_module_names, "dfst"} or "site-packages" in file


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


def frames_within(outer: CodeType) -> list[FrameType]:
    """The frames from the caller's out to the one whose code is `outer`, but for those of their own files."""
    frame: FrameType | None = sys._getframe(1)
    ours = {sys._getframe(1).f_code.co_filename, outer.co_filename}
    found: list[FrameType] = []
    while frame is not None and frame.f_code is not outer:
        back = frame.f_back
        if frame.f_code.co_flags & HANDS_OUT:
            raise Opaque(f"line {frame.f_lineno} moves the pen inside a generator; use a plain loop")
        if back is not None and back.f_code is not outer and called_from_c(frame):
            raise Opaque(
                f"line {back.f_lineno} moves the pen inside a call that Python does not show, such as map, "
                "sorted or f(*args); use a plain loop, and call the function itself"
            )
        if frame.f_code.co_filename not in ours:
            found.append(frame)
        frame = back
    return found
