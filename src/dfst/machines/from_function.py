"""A Python function with a pen, as a table of rules.

What the function holds at a move (`snapshot.py`) is its state. Each state is tried with every symbol, by
letting the function work once more on the symbols that lead there. Where it fails there is no rule.
"""

from collections import Counter, deque

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, arrays_of
from dfst.machines.snapshot import Opaque, Snapshot, frames_within, take
from dfst.machines.teacher import Pen, Teacher
from dfst.world.grid import N, S

MOST_STATES = 500  # more states than this are taken for a memory that grows

DEEP = 3  # calls inside calls of the same function, from which on a recursion counts as the memory that grows

Word = tuple[int, ...]


def table_of(teacher: Teacher, most: int = MOST_STATES) -> Agent:
    """The function as a machine; `InputError` says why it is none."""
    number: dict[object, int] = {"start": 0}
    snapshots: list[Snapshot] = [Snapshot("start", 0, ())]
    way: list[Word] = [()]
    on_the_way: list[list[tuple[int, int]]] = [[]]  # what was done at each symbol of it
    rules: dict[tuple[int, int], tuple[int, int, int]] = {}
    todo, failure = deque([0]), InputError(f"{teacher.name} does nothing")
    while todo:
        state = todo.popleft()
        for symbol in range(len(teacher.alphabet)):
            try:
                done, after = _follow(teacher, (*way[state], symbol))
            except NotATable:
                raise
            except InputError as error:
                failure = error
                continue  # no rule: the function fails here
            if done[:-1] != on_the_way[state]:
                raise InputError(
                    f"{teacher.name} does not always do the same with the same symbols; "
                    "let it go by nothing but what it reads"
                )
            written, motion = done[-1]
            if after is None:
                rules[state, symbol] = written, motion, HALT
                continue
            target = number.setdefault(after.key, len(number))
            if target == len(snapshots):
                if target == most:
                    raise InputError(_grows(teacher, snapshots))
                snapshots.append(after)
                way.append((*way[state], symbol))
                on_the_way.append(done)
                todo.append(target)
            rules[state, symbol] = written, motion, target
    if not rules:
        raise failure
    made = {at: (written, S if moved == N else moved, to) for at, (written, moved, to) in rules.items()}
    table = arrays_of(made, len(snapshots), len(teacher.alphabet))
    about = teacher.name, teacher.alphabet, _names(snapshots)
    return Agent(*about, *table, teacher.blank, layout=teacher.layout)


def _follow(teacher: Teacher, word: Word) -> tuple[list[tuple[int, int]], Snapshot | None]:
    """What the function does at each of these symbols, and what it holds then; None if it halts."""
    held: list[Snapshot | Opaque | None] = []

    def look(pen: Pen, motion: int) -> None:
        try:
            held.append(None if motion == S else take(frames_within(Teacher._teach.__code__), pen))
        except Opaque as reason:  # kept, since the function might catch it
            held.append(reason)

    done = teacher.acts(word, look)
    if isinstance(held[0], Opaque):
        raise NotATable(f"{teacher.name} cannot be written as a table: {held[0]}")
    return done, held[0]


class NotATable(InputError):
    """The function holds something that no snapshot can hold."""


def _grows(teacher: Teacher, snapshots: list[Snapshot]) -> str:
    """Which function calls itself ever deeper, or which variable took most values."""
    deepest = max(snapshots, key=lambda held: len(held.calls)).calls
    values = Counter(name for name, _ in {pair for held in snapshots for pair in held.variables})
    most = f"{len(snapshots):,} states and more"
    if len(deepest) > len(set(deepest)) + DEEP:
        name, depth = Counter(deepest).most_common(1)[0]
        return (
            f"{teacher.name} has {most}: {name}() called itself {depth:,} deep; "
            "a finite machine cannot go ever deeper, so keep what it remembers on the grid"
        )
    if not values:
        return f"{teacher.name} has {most}; it has no small table"
    name, count = values.most_common(1)[0]
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
