"""From coarse to fine: the precisions that are tried, and the order in which they are.

Coarse is fast and enough for most machines. Where a pair stays open, more is remembered: first a little, in
the states that lead to it; then everywhere the outermost column of each side (a multiplier's top digit), then
the column next to the head as far as the head saw it (a learnt state often remembers the symbol it just
passed), then that a number is not zero and where it begins with nines (a subtraction's sign hangs on both),
then all of the nearest column, then two; at last all that can be, in the states that lead there.
A task about words says itself which of its symbols are of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dfst.machines.agent import MISSING, Agent
from dfst.proof.closure import Closure, close
from dfst.proof.language import InputLanguage, mask
from dfst.proof.stacks import Precision, Unbounded
from dfst.tasks.task import Task

LEADING = 3
"""Steps that lead to an open pair: what they forget may be what leaves it open. That many more each round."""
MOST_LOCAL = 2
"""The most that can be remembered in a state (stacks.py)."""
GROWTH = 30
"""How many times as many configurations that may take."""
MOST_ALONE = 50_000
"""Configurations of a machine by itself before it is given up."""
AFTER_A_PROOF = 100_000
"""Configurations that may be spent at each finer precision when a coarser one has left nothing open."""


def symbol_classes(machine: Agent, language: InputLanguage) -> tuple[int, ...]:
    """Symbols that inputs repeat in the same places form a class; every other symbol is one of its own."""
    classes = [mask(range(len(machine.alphabet))) & ~(1 << machine.blank)]
    loops = language.repeated
    for loop in loops:
        classes = [part for c in classes for part in (c & loop, c & ~loop) if part]
    repeated = [c for c in classes if any(c & loop for loop in loops)]
    alone = [1 << k for k in range(len(machine.alphabet)) if not any(c >> k & 1 for c in repeated)]
    return (*sorted(repeated, key=lambda c: -c.bit_count()), *alone)


def symbol_kinds(machine: Agent, task: Task) -> tuple[int, ...]:
    """The classes that the task names; every other symbol is one of its own."""
    kinds = [sum(1 << machine.alphabet.index(symbol) for symbol in kind) for kind in task.kinds]
    return (*kinds, *(1 << k for k in range(len(machine.alphabet)) if not any(c >> k & 1 for c in kinds)))


def precisions(machine: Agent, language: InputLanguage) -> Iterator[Precision]:
    """The precisions to try, coarse ones first."""
    if machine.task is not None and machine.task.kinds:
        kinds = symbol_kinds(machine, machine.task)
        yield Precision("kinds of symbols", kinds)
        yield Precision("kinds of symbols, symbol passed last", kinds, near=1, near_blocks=kinds)
        yield Precision("kinds of symbols, two passed last", kinds, near=2, near_blocks=kinds)
        return
    classes = symbol_classes(machine, language)
    yield Precision("classes", classes)
    top = 1 << max(classes[0].bit_length() - 1, 0)
    outer = (top, classes[0] & ~top, *classes[1:]) if classes[0] != top else classes
    yield Precision("outermost column", classes, outer_blocks=outer)
    yield Precision("symbol passed last", classes, near=1, near_blocks=classes)
    yield Precision(
        "symbol passed last, outermost column", classes, near=1, near_blocks=classes, outer_blocks=outer
    )
    others = classes[0] & (classes[0] - 1)
    yield Precision("a symbol other than zero", classes, landmark=others)
    yield Precision("a symbol other than zero, runs of the last", classes, landmark=others, pure=top)
    yield Precision(
        "symbol passed last, one other than zero, runs of the last",
        classes, near=1, near_blocks=classes, landmark=others, pure=top,
    )  # fmt: skip
    yield Precision("nearest column, outermost column", classes, near=1, outer_blocks=outer)
    yield Precision("two symbols passed last", classes, near=2, near_blocks=classes, outer_blocks=outer)
    yield Precision("two nearest columns", classes, near=2, outer_blocks=outer)
    exact = tuple(1 << k for k in range(len(machine.alphabet)))
    yield Precision("two nearest columns, runs of one symbol", exact, near=2, outer_blocks=exact)


def symbols_alike(machine: Agent) -> Iterator[tuple[int, ...]]:
    """Partitions of the symbols, a coarse one and a finer one: those for which the same states have rules;
    of these, those that lead to states which have rules for the same symbols."""
    given = machine.next != MISSING
    domain = np.unique(given, axis=0, return_inverse=True)[1].ravel()
    for following in (given, np.where(machine.next >= 0, domain[np.maximum(machine.next, 0)], machine.next)):
        of = np.unique(following, axis=1, return_inverse=True)[1].ravel()
        yield tuple(sum(1 << int(x) for x in np.flatnonzero(of == k)) for k in range(of.max() + 1))


def window_precisions(machine: Agent) -> Iterator[Precision]:
    """Nearest columns and what lies below them (windows.py), coarse ones first."""
    coarse, fine = symbols_alike(machine)
    yield Precision("the nearest column, symbols with the same rules alike", coarse, windows=True, near=1)
    yield Precision("two nearest columns, symbols with like rules alike", fine, windows=True, near=2)


def never_lacks_a_rule(machine: Agent, language: InputLanguage) -> Closure | None:
    """All that the machine by itself may come to on these inputs, if it has a rule for all of it."""
    for precision in window_precisions(machine):
        try:
            closure = close(machine, language, precision, MOST_ALONE, stop_at=1)
        except Unbounded:
            continue
        if not closure.open_pairs:
            return closure
    return None


def closures(machine: Agent, language: InputLanguage, limit: int) -> Iterator[Closure | str]:
    """The closure at each precision in turn, or why there is none.

    What the coarsest leaves open is first looked at a little more closely near by; what all leave open, in
    the end, as closely as can be.
    """
    classes, outermost, *others = precisions(machine, language)
    closing = _Closing(machine, language, limit)
    found = closing.at(classes)
    yield found
    if isinstance(found, str) or found.open_pairs:
        for precision in window_precisions(machine):
            yield closing.at(precision, MOST_ALONE)
    yield from _near_by(closing, classes, found, rounds=2)
    coarse = closing.at(outermost)
    yield coarse
    for precision in others:
        yield closing.at(precision)
    yield from _near_by(closing, outermost, coarse, rounds=8)


class _Closing:
    """Closes a machine at one precision after another.

    Once nothing was left open, all that is finer can only say it with fewer ifs, and must not cost much.
    """

    def __init__(self, machine: Agent, language: InputLanguage, limit: int) -> None:
        self._machine, self._language, self.limit = machine, language, limit

    def at(self, precision: Precision, room: int | None = None) -> Closure | str:
        """With at most `limit` configurations, and at most `room` of them."""
        most = self.limit if room is None else min(self.limit, room)
        try:
            closure = close(self._machine, self._language, precision, most)
        except Unbounded as reason:
            return f"no invariant was found: {reason} (precision: {precision.name})"
        if not closure.open_pairs:
            self.limit = min(self.limit, AFTER_A_PROOF)
        return closure


def _near_by(
    closing: _Closing, precision: Precision, found: Closure | str, rounds: int
) -> Iterator[Closure | str]:
    """More is remembered in the states that lead to an open pair, and nowhere else.

    Round by round more, and in more of these states, until no pair is open or the patterns grow too many.
    """
    if isinstance(found, str):
        return
    room = GROWTH * len(found.parents)
    local: dict[int, int] = {}
    for steps in range(LEADING, LEADING * (rounds + 1), LEADING):
        if isinstance(found, str) or not found.open_pairs:
            return
        leading = {c[1] for at in found.open_pairs.values() for c in found.path_to(at)[-steps:]}
        local = {**local, **{state: min(local.get(state, 0) + 1, MOST_LOCAL) for state in leading}}
        name = f"{precision.name}, and more where it matters"
        found = closing.at(replace(precision, name=name, local=local), room)
        yield found
