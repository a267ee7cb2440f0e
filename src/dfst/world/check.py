"""A check for control units of your own: does it keep to what the closed loop expects?

    dfst.check_unit(unit, ["1+1", "10+1"])

It passes in silence, or raises one `InputError` that says what was expected and what was found.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError, MissingRule, Stuck
from dfst.world.grid import MOTION_NAMES, Limits, S
from dfst.world.run import Run
from dfst.world.unit import Action, ClosedLoop, ControlUnit

MEMBERS = ("name", "alphabet", "blank", "encode", "reset", "step", "run", "trace")
MOST_SYMBOLS = 255


def check_unit(unit: ControlUnit, inputs: Sequence[str], steps: int = 1_000) -> None:
    """Try a unit on these inputs, for at most so many steps of each.

    Looks at its alphabet and blank, at what `encode` and `step` return, whether a run after `reset` is the
    same run again, whether S ends it, and whether `run` and `trace` tell what stepping by hand shows.
    """
    _check_members(unit)
    limits = Limits(steps=steps)
    for text in inputs:
        _check_encoding(unit, text)
        actions, end = _by_hand(unit, text, limits)
        if (again := _by_hand(unit, text, limits)) != (actions, end):
            pairs = enumerate(zip(actions, again[0], strict=False))
            at = next((i for i, (a, b) in pairs if a != b), min(len(actions), len(again[0])))
            raise _fault(unit, text, f"a run after reset() must be the same run again; step {at} was not")
        found = _or_stuck(unit.run, text, limits)
        found = found if isinstance(found, str) else _end(found)
        if found != end:
            ends = f"in {_shown(end)}; it ends in {_shown(found)}"
            raise _fault(unit, text, f"run must end as stepping does, {ends}")
        trace = _or_stuck(unit.trace, text, limits)
        if isinstance(trace, str):
            if trace != end:
                raise _fault(unit, text, f"trace must end as stepping does; it ends in {trace}")
            continue
        seen = list(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True))
        if isinstance(end, str) or seen != [action[2:] for action in actions]:
            raise _fault(unit, text, "trace must show the actions that stepping does")
        if S in trace.m[:-1]:
            raise _fault(unit, text, "a run ends with its first motion S")


def _check_members(unit: ControlUnit) -> None:
    lacking = [member for member in MEMBERS if not hasattr(unit, member)]
    if lacking:
        raise InputError(
            f"expected a control unit, with {', '.join(MEMBERS)}; {type(unit).__name__} has no {lacking[0]}: "
            "subclass dfst.ControlUnit"
        )
    alphabet, blank = unit.alphabet, unit.blank
    if not isinstance(alphabet, tuple) or not all(isinstance(symbol, str) and symbol for symbol in alphabet):
        raise InputError(f"{unit.name}: the alphabet must be a tuple of names, found {alphabet!r}")
    different = len(set(alphabet))
    if not 1 <= different == len(alphabet) <= MOST_SYMBOLS:
        found = f"symbols, found {len(alphabet)}, {different} of them different"
        raise InputError(f"{unit.name}: the alphabet must have 1 to {MOST_SYMBOLS} different {found}")
    if not _is_index(blank, len(alphabet)):
        among = f"an index into the {counted(len(alphabet), 'symbol')}"
        raise InputError(f"{unit.name}: the blank must be {among}, found {blank!r}")


def _check_encoding(unit: ControlUnit, text: str) -> None:
    symbols, start = unit.encode(text)
    if not isinstance(symbols, np.ndarray) or symbols.ndim not in (1, 2) or symbols.dtype != np.uint8:
        raise _fault(unit, text, "encode must give a uint8 array of rows or of one row, and the start")
    if symbols.size and symbols.max() >= len(unit.alphabet):
        raise _fault(unit, text, f"encode gives symbol number {symbols.max()} of {len(unit.alphabet)}")
    if not _is_index(start, max(1, symbols.size)):
        cells = counted(symbols.size, "cell")
        raise _fault(unit, text, f"the head must start on one of {cells}, found {start!r}")


def _by_hand(unit: ControlUnit, text: str, limits: Limits) -> tuple[list[Action], Any]:
    """The actions of a run, each of them checked, and how it ended: by words where it was stuck."""
    loop, actions = ClosedLoop(unit, text, limits), list[Action]()
    while not loop.over:
        try:
            action = loop.decide()
        except Stuck as error:
            if not unit.stuck_rejects or not isinstance(error, MissingRule):
                return actions, str(error)
            loop.stuck = error
            break
        ranges = (("symbol", action.written, unit.alphabet), ("motion", action.motion, MOTION_NAMES))
        for what, found, names in ranges:
            if not _is_index(found, len(names)):
                expected = f"step must return a {what} from 0 to {len(names) - 1}"
                raise _fault(unit, text, f"{expected}, found {found!r} at step {loop.steps}")
        loop.act(action)
        actions.append(action)
    return actions, _end(loop.outcome())


def _end(run: Run) -> tuple[object, ...]:
    return run.halted, run.steps, run.head, run.cells, run.ending


def _or_stuck(call: Callable[[str, Limits], Any], text: str, limits: Limits) -> Any:
    """What a call brings, or by which words it was stuck."""
    try:
        return call(text, limits)
    except Stuck as error:
        return str(error)


def _shown(end: Any) -> str:
    if isinstance(end, str):
        return end
    halted, steps, head, *_ = end
    return f"{counted(steps, 'step')} at {head}, {'halted' if halted else 'not halted'}"


def _is_index(value: object, count: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < count


def _fault(unit: ControlUnit, text: str, what: str) -> InputError:
    return InputError(f"{unit.name} on {text!r}: {what}")
