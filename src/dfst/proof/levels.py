"""From coarse to fine: the precisions that are tried, and the order in which they are.

Where a pair stays open, more is remembered: first a little, in the states that lead to it; then everywhere
the outermost column of each side (a multiplier's top digit; what is left open), the symbol passed last, the
nearest columns; at last all that can be, in the states that lead there. A task about words says which symbols
are of a kind.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dfst.machines.agent import MISSING, Agent
from dfst.proof.closure import Closure, close
from dfst.proof.language import InputLanguage, mask
from dfst.proof.stacks import Precision, Unbounded

LEADING = 3
"""Steps that lead to an open pair: what they forget may be what leaves it open. That many more each round."""
MOST_LOCAL = 2  # the most that can be remembered in a state (stacks.py)
GROWTH = 30  # how many times as many configurations that may take
MOST_ALONE = 50_000  # configurations of a machine by itself before it is given up
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


def precisions(machine: Agent, language: InputLanguage) -> Iterator[Precision]:
    """The precisions to try, coarse ones first."""
    if machine.task is not None and machine.task.kinds:
        named = [sum(1 << machine.alphabet.index(symbol) for symbol in kind) for kind in machine.task.kinds]
        alone = (1 << k for k in range(len(machine.alphabet)) if not any(c >> k & 1 for c in named))
        kinds = (*named, *alone)  # every other symbol is one of its own
        yield Precision("kinds of symbols", kinds)
        yield Precision("kinds of symbols, symbol passed last", kinds, near=1, near_blocks=kinds)
        yield Precision("kinds of symbols, two passed last", kinds, near=2, near_blocks=kinds)
        return
    classes = symbol_classes(machine, language)
    top = 1 << max(classes[0].bit_length() - 1, 0)
    outer = (top, classes[0] & ~top, *classes[1:]) if classes[0] != top else classes
    outermost = Precision("outermost column", classes, outer_blocks=outer)
    passed = Precision("symbol passed last", classes, near=1, near_blocks=classes)
    yield from (Precision("classes", classes), outermost, passed)
    yield replace(passed, name="symbol passed last, outermost column", outer_blocks=outer)
    yield replace(outermost, name="nearest column, outermost column", near=1)
    yield replace(outermost, name="two symbols passed last", near=2, near_blocks=classes)
    yield replace(outermost, name="two nearest columns", near=2)
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


def ends_apart(machine: Agent, language: InputLanguage) -> Precision:
    """Of each class, the smallest and the largest symbol apart from the others, wherever they lie: a number
    is not zero, or is all nines; a subtraction's sign hangs on both."""
    ends = ((c & -c, 1 << c.bit_length() - 1, c) for c in symbol_classes(machine, language))
    blocks = dict.fromkeys(part for low, high, c in ends for part in (low, c & ~low & ~high, high) if part)
    return Precision("smallest and largest symbol wherever they lie", tuple(blocks), windows=True)


def outermost_by_open(coarse: Precision, found: Closure) -> Precision:
    """The outermost symbols apart that a state has no rule for: half a number begins with less than half the
    radix, and a learnt state that reads nothing but beginnings knows no others."""
    lacking: dict[int, int] = {}
    for state, symbol in found.open_pairs:
        lacking[state] = lacking.get(state, 0) | 1 << symbol
    blocks = coarse.blocks
    for symbols in set(lacking.values()):
        blocks = tuple(part for b in blocks for part in (b & symbols, b & ~symbols) if part)
    name = "symbol passed last, outermost column by what is open"
    return replace(coarse, name=name, near=1, near_blocks=coarse.blocks, outer_blocks=blocks)


def zeros_apart(coarse: Precision) -> Precision:
    """The smallest symbol of the main class apart, in the nearest column and the outermost: Euclid's dividend
    begins with zeros, and what a learnt state knows of its first comparison holds of them alone."""
    zero = coarse.blocks[0] & -coarse.blocks[0]
    blocks = tuple(part for part in (zero, coarse.blocks[0] & ~zero, *coarse.blocks[1:]) if part)
    name = "nearest and outermost column, smallest symbol apart"
    return replace(coarse, name=name, near=1, near_blocks=blocks, outer_blocks=blocks)


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

    def at(precision: Precision, room: int = limit) -> Closure | str:
        """Once nothing was left open, what is finer can only say it with fewer ifs, and must cost little."""
        nonlocal limit
        try:
            closure = close(machine, language, precision, min(limit, room))
        except Unbounded as reason:
            return f"no invariant was found: {reason} (precision: {precision.name})"
        if not closure.open_pairs:
            limit = min(limit, AFTER_A_PROOF)
        return closure

    def near_by(precision: Precision, found: Closure | str, rounds: int) -> Iterator[Closure | str]:
        """More is remembered in the states that lead to an open pair, and nowhere else: round by round more,
        in more of these states, until no pair is open or the patterns grow too many."""
        room = 0 if isinstance(found, str) else GROWTH * len(found.parents)
        local: dict[int, int] = {}
        for steps in range(LEADING, LEADING * (rounds + 1), LEADING):
            if isinstance(found, str) or not found.open_pairs:
                return
            leading = {c[1] for last in found.open_pairs.values() for c in found.path_to(last)[-steps:]}
            local = {**local, **{state: min(local.get(state, 0) + 1, MOST_LOCAL) for state in leading}}
            name = f"{precision.name}, and more where it matters"
            found = at(replace(precision, name=name, local=local), room)
            yield found

    classes, outermost, *others = precisions(machine, language)
    found = at(classes)
    yield found
    if isinstance(found, str) or found.open_pairs:
        for precision in window_precisions(machine):
            yield at(precision, MOST_ALONE)
    yield from near_by(classes, found, rounds=2)
    coarse = at(outermost)
    yield coarse
    if isinstance(coarse, Closure) and coarse.open_pairs:
        yield from map(at, (outermost_by_open(outermost, coarse), zeros_apart(outermost)))
    coarse_window, fine_window = window_precisions(machine)
    nearest = replace(fine_window, name="nearest column, symbols with like rules alike", near=1)
    yield from map(at, (*others, ends_apart(machine, language), coarse_window, nearest))
    yield from near_by(outermost, coarse, rounds=8)
