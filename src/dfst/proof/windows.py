"""What lies on one side of the head, as far as its nearest columns tell: a second way to make patterns.

A node is the `near` columns next to the head, blurred as the precision says, which columns lie anywhere
below them, and what comes at last: blanks, or unread input, known exactly as what paths of the inputs'
automaton leave. What lies right below a node is whatever it was once pushed onto: these edges are collected
while the closure grows, and whoever took a column off a node is told of its new ones (`news`). So what
alternates without end is told apart, which runs of equal columns (stacks.py) cannot do.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dfst.proof.language import Edge
from dfst.proof.reading import Column, replaced
from dfst.proof.stacks import Domain, Items, Precision

BLANKS = -1
"""At last there are nothing but blanks; any other number: the input from that state of its automaton on"""


class Window(NamedTuple):
    """Columns, nearest first; those somewhere below them; and what comes at last."""

    columns: tuple[Column, ...]
    below: frozenset[Column]
    last: int

    @property
    def items(self) -> Items:
        return tuple((column, 1, False) for column in self.columns)


class WindowDomain(Domain):
    """Whatever lies below a node is what it was once pushed onto."""

    def __init__(self, precision: Precision, blank: Column) -> None:
        super().__init__(precision, blank, Window((), frozenset(), BLANKS))

    def lay(self, inputs: Iterable[Edge], starts: Iterable[int], home: int) -> dict[int, list[int]]:
        """Unread input is known as it is: a node for each state, what paths to it leave as its edges."""
        unread: dict[int, list[tuple[Column, int]]] = {}
        todo = list(starts)
        while todo:
            source = todo.pop()
            for _, symbols, target in (edge for edge in inputs if edge[0] == source):
                if target not in unread:
                    todo.append(target)
                column = replaced(self.blank, home, symbols)
                rests = (BLANKS, source) if source in starts else (source,)
                unread.setdefault(target, []).extend((column, rest) for rest in rests)
        for state, left in unread.items():
            ways = dict.fromkeys((c, rest) for c, rest in left if rest == BLANKS or rest in unread)
            self._edges[self._input(state)] = [(c, self._input(rest)) for c, rest in ways]
        laid = {state: [0] for state in starts}
        for state in unread:
            laid.setdefault(state, []).append(self._input(state))
        return laid

    def _input(self, state: int) -> int:
        """The node for input that is not yet read."""
        return self._intern(Window((), frozenset(), state))

    def _push(self, number: int, column: Column, row: int, level: int | None) -> int:
        if number == 0 and column == self.blank:
            return 0
        under: Window = self.stacks[number]
        near, blocks = self.precision.near, self.precision.blocks
        columns = (self._blur(column, blocks), *under.columns)
        node = self._intern(Window(columns[:near], under.below.union(columns[near:]), under.last))
        if (columns[0], number) not in self.pop(node):
            self.pop(node).append((columns[0], number))
            self.news.append((node, columns[0], number))
        return node
