"""Patterns forget, and never lose: whatever was pushed, the pattern stands for."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dfst.experts import expert
from dfst.proof.checker import Side
from dfst.proof.closure import close
from dfst.proof.language import task_language
from dfst.proof.levels import ends_apart, precisions
from dfst.proof.reading import Work
from dfst.proof.sides import Columns, packed_side
from dfst.proof.stacks import StackDomain, Unbounded

MACHINE = expert("sub3")
PRECISIONS = list(precisions(MACHINE, task_language(MACHINE.task)))
PRECISIONS += [replace(p, local={0: level}) for p in PRECISIONS[:2] for level in (0, 1, 2)]
BLANK = (1 << MACHINE.blank,) * 2


def stands_for(items, columns):
    """Whether a pattern can be read as these columns, nearest first, with blanks below."""
    if not items:
        return all(column == BLANK for column in columns)
    (kind, count, more), rest = items[0], items[1:]
    for taken in range(count, len(columns) + 3 if more else count + 1):
        padded = [*columns, *[BLANK] * max(0, taken - len(columns))]
        fits = all(cell & of == cell for c in padded[:taken] for cell, of in zip(c, kind, strict=True))
        if fits and stands_for(rest, padded[taken:]):
            return True
    return False


cells = st.sampled_from([1, 2, 4, 8, 16])


@given(st.sampled_from(PRECISIONS), st.lists(st.tuples(st.sampled_from([8, 16]), cells), max_size=9))
def test_a_pattern_stands_for_what_was_pushed(precision, columns):
    domain = StackDomain(precision, BLANK)
    number = 0
    for i, column in enumerate(columns):
        try:
            after = domain.push(number, column, 1)
        except Unbounded:
            return
        assert stands_for(domain.stacks[after].items, columns[i::-1])
        assert _covers(domain, number, column, after)
        number = after


def _covers(domain, before, column, after):
    """The same asked of the checker, which must see it by the edges alone."""
    columns = Columns()
    side = packed_side(domain.edges(), [(before, column, after)], {}, columns)
    return after in Side(side, list(columns), BLANK, Work()).push(column, before)


def test_subtraction_has_no_rule_that_can_never_fire():
    """None for a borrow that meets the sign: what lies left of the mark is all nines by then."""
    language = task_language(MACHINE.task)
    closure = close(MACHINE, language, ends_apart(MACHINE, language))
    assert not closure.open_pairs
    rules = {(q, x) for q in range(len(MACHINE.states)) for x in range(5) if MACHINE.next[q, x] != -2}
    names = {(MACHINE.states[q], MACHINE.alphabet[x]) for q, x in rules - closure.visited}
    assert names == set()
