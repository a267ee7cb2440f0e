"""What lies on one side of the head, as far as its nearest columns tell: a second way to make patterns.

A node is the `near` columns next to the head, blurred as the precision says, which columns lie anywhere
below them, and what comes at last: blanks, or unread input, known exactly as what paths of the inputs'
automaton leave. What lies right below a node is whatever it was once pushed onto: these edges are collected
while the closure grows, and whoever took a column off a node is told of its new ones (`news`). So what
alternates without end is told apart, which runs of equal columns (stacks.py) cannot do.
"""

from dataclasses import dataclass, field

from dfst.proof.stacks import Column, Items, Precision

BLANKS = -1
"""At last there are nothing but blanks; any other number: the input from that state of its automaton on"""


@dataclass(frozen=True)
class Window:
    """Columns, nearest first; those somewhere below them; and what comes at last."""

    columns: tuple[Column, ...]
    below: frozenset[Column]
    last: int

    @property
    def items(self) -> Items:
        return tuple((column, 1, False) for column in self.columns)


@dataclass
class WindowDomain:
    """Nodes as small numbers; 0 is blank for ever."""

    precision: Precision
    blank: Column
    unread: dict[int, list[tuple[Column, int]]]
    """For each state of the inputs' automaton: a column that paths leave there, and where they go on"""
    stacks: list[Window] = field(default_factory=lambda: [Window((), frozenset(), BLANKS)])
    pushed: dict[tuple[int, Column, int, int | None], int] = field(default_factory=dict)
    news: list[tuple[int, Column, int]] = field(default_factory=list)
    """(node, column, node below) that pops have not seen yet"""

    def __post_init__(self) -> None:
        self._number = {self.stacks[0]: 0}
        self._edges: dict[int, list[tuple[Column, int]]] = {0: [(self.blank, 0)]}
        for state, edges in self.unread.items():
            self._edges[self.input_from(state)] = [(c, self.input_from(after)) for c, after in edges]

    def input_from(self, state: int) -> int:
        """The node for input that is not yet read."""
        return self._node(Window((), frozenset(), state))

    def _node(self, window: Window) -> int:
        number = self._number.setdefault(window, len(self.stacks))
        if number == len(self.stacks):
            self.stacks.append(window)
            self._edges.setdefault(number, [])
        return number

    def push(self, number: int, column: Column, row: int, state: int = 0) -> int:
        known = self.pushed.get((number, column, row, None))
        if known is None:
            known = self.pushed[number, column, row, None] = self._push(number, column)
        return known

    def _push(self, number: int, column: Column) -> int:
        if number == 0 and column == self.blank:
            return 0
        under, near = self.stacks[number], self.precision.near
        kept = self._blur(column, self.precision.blocks)
        columns = (kept, *under.columns)
        coarse = self.precision.outer_blocks or self.precision.blocks
        below = under.below | {self._blur(fallen, coarse) for fallen in columns[near:]}
        node = self._node(Window(columns[:near], below, under.last))
        if (kept, number) not in self._edges[node]:
            self._edges[node].append((kept, number))
            self.news.append((node, kept, number))
        return node

    def pop(self, number: int) -> list[tuple[Column, int]]:
        """Every (column, rest) that the node may come apart into, as far as is known now."""
        return list(self._edges[number])

    def edges(self) -> dict[int, list[tuple[Column, int]]]:
        return self._edges

    def _blur(self, column: Column, blocks: tuple[int, ...]) -> Column:
        return tuple(sum(b for b in blocks if b & cell) for cell in column)
