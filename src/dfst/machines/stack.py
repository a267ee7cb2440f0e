"""Values on the stack of a running Python function, such as the position of a `for` loop.

CPython shows them to no program, so they are read from memory. How many there are follows from the bytecode.
Where they lie in a frame differs from version to version: it is found on frames whose values are known. Where
it is not found, nothing is read, and `Opaque` says so.
"""

import ctypes
import dis
import sys
from functools import cache, lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

WORD = ctypes.sizeof(ctypes.c_size_t)
FARTHEST = 16  # word of a frame at which its variables begin
COUNTED = 1  # bit of a pointer that says who counts the references
ENTERED = 4  # byte of the word before the variables: on Python 3.11, whether C code called the function


class Opaque(Exception):
    """The function holds something that cannot be looked at or compared."""


class Places(NamedTuple):
    """Which words of a frame point to its variables, behind which the stack begins, and to its caller."""

    variables: int
    caller: int


def values_below(frame: FrameType) -> list[Any]:
    """What lies on the stack of a frame below the call that it waits for."""
    places, code = _checked_places(), frame.f_code
    variables = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    start = _start(frame) + WORD * (places.variables + len(variables))
    return [_value(start + WORD * i) for i in range(_depth_below(code, frame.f_lasti))]


def called_from_c(frame: FrameType) -> bool:
    """Whether C code called this frame, such as `map`, which keeps to itself how far it is."""
    return _called_from_c(frame, _checked_places())


def _called_from_c(frame: FrameType, places: Places) -> bool:
    start, back = _start(frame), frame.f_back
    if back is None or _word(start + WORD * places.caller) != _start(back):
        return True
    entered = ctypes.c_byte.from_address(start + WORD * (places.variables - 1) + ENTERED)
    return sys.version_info < (3, 12) and entered.value != 0


def _checked_places() -> Places:
    places = _places()
    if places is None:
        raise Opaque("this Python does not show what a function holds; use CPython 3.11, 3.12 or 3.13")
    return places


@cache
def _places() -> Places | None:
    """Where they are on this Python; None where they are not, or where C code is not told from Python's."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 14):
        return None
    found = _look_for(object(), object())
    told = found and list(map(lambda _: _called_from_c(sys._getframe(), found), "a"))  # noqa: C417
    return found if told == [True] else None


def _look_for(first: object, second: object) -> Places | None:
    frame, given = sys._getframe(), [id(first), id(second)]
    start, caller = _start(frame), frame.f_back and _start(frame.f_back)
    words = [_word(start + WORD * i) & ~COUNTED for i in range(FARTHEST)]
    variables = next((i for i in range(FARTHEST) if words[i : i + 2] == given), 0)
    found = Places(variables, words.index(caller)) if caller in words[:variables] else None
    return None if found is None or _called_from_c(frame, found) else found


def _start(frame: FrameType) -> int:
    """Where what a frame holds lies: its object has a header, its caller and a pointer there."""
    return _word(id(frame) + object.__basicsize__ + WORD)


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _value(address: int) -> Any:
    word = _word(address) & ~COUNTED
    if word % WORD:
        raise Opaque("this Python does not show how far a for loop is; use while")
    return ctypes.cast(word, ctypes.py_object).value if word else None


@lru_cache(maxsize=10_000)
def _depth_below(code: CodeType, at: int) -> int:
    """How many values lie on the stack below the call at offset `at`, or in the cache behind it."""
    called = [op for op in dis.get_instructions(code) if op.offset <= at][-1]
    return _depths(code)[called.offset] + dis.stack_effect(called.opcode, called.arg, jump=False) - 1


@lru_cache(maxsize=1_000)
def _depths(code: CodeType) -> dict[int, int]:
    """Depth of the stack before each instruction."""
    bytecode = dis.Bytecode(code)
    instructions = list(bytecode)
    place = {op.offset: i for i, op in enumerate(instructions)}
    depths: dict[int, int] = {}
    handlers = bytecode.exception_entries  # type: ignore[attr-defined]
    todo = [*((place[entry.target], entry.depth + entry.lasti + 1) for entry in handlers), (0, 0)]
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
