"""Finite automata: drawn with silent edges, then made deterministic, and as small as can be."""

from dfst.errors import InputError

MOST_STATES = 500
NONE = -1  # where no member of the language goes on

Table = tuple[tuple[int, ...], ...]


class Automaton:
    """A drawing: any number of edges for a symbol, and silent ones that read nothing. 0 is the start."""

    def __init__(self, symbols: int) -> None:
        self.symbols = symbols
        self.edges: list[list[tuple[int, int]]] = [[]]
        """For each state (symbol, next state)."""
        self.silent: list[list[int]] = [[]]
        self.accepting: set[int] = set()

    @property
    def states(self) -> int:
        return len(self.edges)

    def new_state(self) -> int:
        self.edges.append([])
        self.silent.append([])
        return len(self.edges) - 1

    def silently(self, states: set[int]) -> frozenset[int]:
        """All states that can be reached from these without reading."""
        reached, todo = set(states), list(states)
        while todo:
            for state in self.silent[todo.pop()]:
                if state not in reached:
                    reached.add(state)
                    todo.append(state)
        return frozenset(reached)


def shown(pattern: str) -> str:
    """A pattern in a message."""
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "…")


def minimal(automaton: Automaton, pattern: str) -> tuple[Table, frozenset[int]]:
    """The smallest deterministic table and its accepting states.

    States are numbered as a breadth-first walk in order of the symbols meets them, and those from which
    nothing is accepted are gone; so two patterns mean the same exactly if their tables are equal.
    """
    table, accepting = _deterministic(automaton, pattern)
    alive = _alive(table, accepting)
    table = [[t if t in alive else NONE for t in row] for row in table]
    classes = _classes(table, accepting)
    order: dict[int, int] = {classes[0]: 0}
    members = [0]
    rows: list[tuple[int, ...]] = []
    for state in members:  # grows while it is walked
        row = []
        for target in table[state]:
            if target != NONE and classes[target] not in order:
                order[classes[target]] = len(order)
                members.append(target)
            row.append(NONE if target == NONE else order[classes[target]])
        rows.append(tuple(row))
    return tuple(rows), frozenset(i for i, state in enumerate(members) if state in accepting)


def _deterministic(automaton: Automaton, pattern: str) -> tuple[list[list[int]], set[int]]:
    start = automaton.silently({0})
    number, subsets = {start: 0}, [start]
    table: list[list[int]] = []
    for subset in subsets:  # grows while it is walked
        targets: list[set[int]] = [set() for _ in range(automaton.symbols)]
        for state in subset:
            for symbol, target in automaton.edges[state]:
                targets[symbol].add(target)
        row = []
        for states in targets:
            if not states:
                row.append(NONE)
                continue
            reached = automaton.silently(states)
            if reached not in number:
                number[reached] = len(subsets)
                subsets.append(reached)
            row.append(number[reached])
        table.append(row)
        if len(subsets) > MOST_STATES:
            raise InputError(
                f"the pattern {shown(pattern)} needs more than {MOST_STATES:,} states; give a simpler one"
            )
    return table, {i for i, subset in enumerate(subsets) if subset & automaton.accepting}


def _alive(table: list[list[int]], accepting: set[int]) -> set[int]:
    """The states from which something is accepted, and the start."""
    before: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for target in row:
            if target != NONE:
                before[target].append(state)
    alive, todo = set(accepting), list(accepting)
    while todo:
        for state in before[todo.pop()]:
            if state not in alive:
                alive.add(state)
                todo.append(state)
    return alive | {0}


def _classes(table: list[list[int]], accepting: set[int]) -> list[int]:
    """Moore's refinement: states of one class accept the same."""
    classes = [int(state in accepting) for state in range(len(table))]
    while True:
        seen: dict[tuple[int, ...], int] = {}
        finer = []
        for state, row in enumerate(table):
            key = (classes[state], *(NONE if t == NONE else classes[t] for t in row))
            finer.append(seen.setdefault(key, len(seen)))
        if len(seen) == len(set(classes)):
            return finer
        classes = finer
