"""Finite automata: drawn with silent edges, then made deterministic, and as small as can be."""

import numpy as np

from dfst.errors import InputError

MOST_DRAWN, MOST_STATES = 10_000, 500
NONE = -1  # where no member of the language goes on

Table = tuple[tuple[int, ...], ...]


class Automaton:
    """A drawing: any number of edges for a symbol, and silent ones that read nothing. 0 is the start."""

    def __init__(self, pattern: str, symbols: int) -> None:
        self.pattern, self.symbols = pattern, symbols
        self.edges: list[list[tuple[int, int]]] = [[]]
        """For each state (symbol, next state)."""
        self.silent: list[list[int]] = [[]]

    def new_state(self, *before: int) -> int:
        """A state that those before it may go to without reading."""
        state = len(self.edges)
        if state > MOST_DRAWN:
            raise self.too_large(MOST_DRAWN, "repeat less")
        self.edges.append([])
        self.silent.append([])
        for other in before:
            self.silent[other].append(state)
        return state

    def silently(self, states: set[int]) -> frozenset[int]:
        """All states that can be reached from these without reading."""
        reached, todo = set(states), list(states)
        while todo:
            new = set(self.silent[todo.pop()]) - reached
            reached |= new
            todo += new
        return frozenset(reached)

    def too_large(self, most: int, do: str) -> InputError:
        return InputError(f"the pattern {shown(self.pattern)} needs more than {most:,} states; {do}")


def shown(pattern: str) -> str:
    """A pattern in a message."""
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "…")


def minimal(automaton: Automaton, end: int) -> tuple[Table, frozenset[int]]:
    """The smallest deterministic table of what leads from 0 to the end, and its accepting states.

    States are numbered as a breadth-first walk in order of the symbols meets them, and those from which
    nothing is accepted are gone; so two patterns mean the same exactly if their tables are equal.
    """
    table, accepting = _deterministic(automaton, end)
    classes = _classes(np.array([*table, [NONE] * automaton.symbols]), accepting)
    dead = classes[-1]
    order, members = {classes[0]: 0}, [0]
    rows: list[tuple[int, ...]] = []
    for state in members:  # grows while it is walked
        row = []
        for target in table[state]:
            if classes[target] != dead and classes[target] not in order:
                order[classes[target]] = len(order)
                members.append(target)
            row.append(order.get(classes[target], NONE))
        rows.append(tuple(row))
    return tuple(rows), frozenset(i for i, state in enumerate(members) if state in accepting)


def _deterministic(automaton: Automaton, end: int) -> tuple[list[list[int]], list[int]]:
    """A state for each set of states that the same words lead to."""
    start = automaton.silently({0})
    number, subsets = {start: 0}, [start]
    table: list[list[int]] = []
    for subset in subsets:  # grows while it is walked
        targets: list[set[int]] = [set() for _ in range(automaton.symbols)]
        for state in subset:
            for symbol, target in automaton.edges[state]:
                targets[symbol].add(target)
        table.append([])
        for reached in map(automaton.silently, targets):
            if reached and reached not in number:
                number[reached] = len(subsets)
                subsets.append(reached)
            table[-1].append(number[reached] if reached else NONE)
        if len(subsets) > MOST_STATES:
            raise automaton.too_large(MOST_STATES, "give a simpler one")
    return table, [i for i, subset in enumerate(subsets) if end in subset]


def _classes(table: np.ndarray, accepting: list[int]) -> list[int]:
    """Moore's refinement: states of one class accept the same. The last state is where `NONE` leads."""
    classes = np.isin(np.arange(len(table)), accepting).astype(int)
    while True:
        after = np.column_stack([classes, classes[table]])
        finer = np.unique(after, axis=0, return_inverse=True)[1].ravel()
        if finer.max() == classes.max():
            return finer.tolist()
        classes = finer
