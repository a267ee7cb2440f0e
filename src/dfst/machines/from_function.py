"""A Python function with a pen, as a table of rules.

What the function holds at a move (`snapshot.py`) is its state. Each state is tried with every symbol, by
letting the function work once more on the symbols that lead there. Where it fails there is no rule.
"""

from collections import Counter, deque

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, arrays_of
from dfst.machines.snapshot import UNNAMED, Grown, Opaque, Snapshot, frames_within, left, take
from dfst.machines.teacher import Pen, Teacher
from dfst.world.grid import N, S

MOST_STATES = 500  # more states than this are taken for a memory that grows

DEEP = 3  # calls of a function inside itself, or values of a variable, from which on it may be what grows

Word = tuple[int, ...]


def table_of(teacher: Teacher, most: int = MOST_STATES, failed: list[str] | None = None) -> Agent:
    """The function as a machine; `InputError` says why it is none. failed: takes why rules are missing"""
    number: dict[object, int] = {(): 0}
    snapshots: list[Snapshot] = [Snapshot((), 0, ())]
    way: list[Word] = [()]
    on_the_way: list[list[tuple[int, int]]] = [[]]  # what was done at each symbol of it
    rules: dict[tuple[int, int], tuple[int, int, int]] = {}
    todo, failure = deque([0]), InputError(f"{teacher.name} does nothing")
    while todo:
        state = todo.popleft()
        for symbol in range(len(teacher.alphabet)):
            word = (*way[state], symbol)
            try:
                done, held = _follow(teacher, word)
            except NotATable:
                raise
            except Grown:
                raise InputError(_grows(teacher, snapshots)) from None
            except InputError as error:
                failure = error
                if failed is not None:
                    failed.append(str(error))
                continue  # no rule: the function fails here
            as_before = done[:-1] == on_the_way[state] and [*snapshots[:1], *held][-2] == snapshots[state]
            if not as_before or (done[-1][1] == S and _follow(teacher, word) != (done, held)):
                raise InputError(
                    f"{teacher.name} does not always do the same with the same symbols; "
                    "let it go by nothing but what it reads"
                )
            (written, motion), after = done[-1], held[-1]
            if motion == S:
                rules[state, symbol] = written, motion, HALT
                continue
            target = number.setdefault(after.key, len(number))
            if target == len(snapshots):
                if target == most:
                    raise InputError(_grows(teacher, snapshots))
                snapshots.append(after)
                way.append(word)
                on_the_way.append(done)
                todo.append(target)
            rules[state, symbol] = written, motion, target
    if not rules:
        raise failure
    made = {at: (written, S if moved == N else moved, to) for at, (written, moved, to) in rules.items()}
    table = arrays_of(made, len(snapshots), len(teacher.alphabet))
    about = teacher.name, teacher.alphabet, _names(snapshots)
    return Agent(*about, *table, teacher.blank, layout=teacher.layout)


def failures(unit: object) -> list[str]:
    """Why a function fails, wherever it does; nothing of what is no function."""
    failed: list[str] = []
    if isinstance(unit, Teacher):
        table_of(unit, failed=failed)
    return failed


def _follow(teacher: Teacher, word: Word) -> tuple[list[tuple[int, int]], list[Snapshot]]:
    """What the function does at each of these symbols, and what it holds at the last two."""
    held: list[Snapshot] = []
    hidden: list[Opaque] = []

    def look(pen: Pen, motion: int) -> None:
        try:
            frames = frames_within(Teacher._teach.__code__)
            held.append(left(teacher.function, pen) if motion == S else take(frames, pen))
        except Opaque as reason:  # kept, since the function might catch it
            hidden.append(reason)
        except RecursionError:
            hidden.append(Grown())

    try:
        done = teacher.acts(word, look)
    except InputError as error:
        if isinstance(error.__cause__, RecursionError):
            raise Grown from error
        raise
    if hidden and isinstance(hidden[0], Grown):
        raise hidden[0]
    if hidden:
        raise NotATable(f"{teacher.name} cannot be written as a table: {hidden[0]}")
    return done, held


class NotATable(InputError):
    """The function holds something that no snapshot can hold."""


def _grows(teacher: Teacher, snapshots: list[Snapshot]) -> str:
    """Which function calls itself ever deeper, or which variable took most values."""
    deepest = max(snapshots, key=lambda held: len(held.calls)).calls
    values = Counter(name for name, _ in {pair for held in snapshots for pair in held.named()})
    local = {name for held in snapshots for name, _ in held.variables}
    most = f"{len(snapshots):,} states and more"
    if len(deepest) > len(set(deepest)) + DEEP:
        name, depth = Counter(deepest).most_common(1)[0]
        return (
            f"{teacher.name} has {most}: {name}() called itself {depth:,} deep; "
            "a finite machine cannot go ever deeper, so keep what it remembers on the grid"
        )
    if not values:
        return f"{teacher.name} has {most}; it has no small table"
    named = {name: count for name, count in values.items() if count > DEEP and not name.startswith(UNNAMED)}
    count, _, name = max((count, name in local, name) for name, count in (named or values).items())
    return (
        f"{teacher.name} has {most}: the variable {name!r} took {count:,} values; "
        "a finite machine can only keep a few, so keep it on the grid"
    )


def _names(snapshots: list[Snapshot]) -> tuple[str, ...]:
    """Line numbers, and the variables that take several values; a number where that is not enough."""
    values: dict[str, set[str]] = {}
    for held in snapshots:
        for name, value in held.variables:
            values.setdefault(name, set()).add(value)
    names, used = [], Counter[str]()
    for held in snapshots:
        shown = [f"{name}={value}" for name, value in held.variables if len(values[name]) > 1]
        name = ",".join([f"line{held.line}", *shown]).replace(" ", "␣") if held.line else "start"
        used[name] += 1
        names.append(name if used[name] == 1 else f"{name}#{used[name]}")
    return tuple(names)
