"""Every run of a machine on every input, over-approximated by finitely many abstract configurations.

An abstract configuration is (left pattern, state, row, head's column, right pattern). From the patterns of
all inputs the abstract step is followed until nothing new appears. Whatever a real run can meet, some
abstract configuration meets; so a rule that none of them lacks is lacked by no run, on any input. The symbols
under the head are grouped by the rule they trigger, and a group that is kept stays one set.
"""

from collections import defaultdict, deque
from dataclasses import dataclass

from dfst.counted import counted
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.proof.language import InputLanguage
from dfst.proof.reading import Column, replaced
from dfst.proof.stacks import Domain, Precision, StackDomain, Unbounded
from dfst.proof.windows import WindowDomain
from dfst.world.grid import OFFSETS, S

Configuration = tuple[int, int, int, Column, int]
"""left pattern, state, row in the window, head's column, right pattern"""

MAX_ROWS = 8
LAST_STEPS = 12  # of a path that is told


@dataclass(frozen=True, eq=False)
class Closure:
    """A set of abstract configurations that holds all inputs and that the abstract step does not leave."""

    rows: tuple[int, int]  # lowest and highest row the machine ever visits
    precision: Precision
    left: Domain
    right: Domain
    laid: tuple[dict[int, list[int]], dict[int, list[int]]]
    """For each side, by state of the inputs' automaton: the patterns that its paths leave there."""
    parents: dict[Configuration, Configuration | None]
    """Each configuration, with the one it was first reached from."""
    open_pairs: dict[tuple[int, int], Configuration]
    """(state, symbol) pairs that are met but have no rule, each with a configuration that meets it."""
    visited: frozenset[tuple[int, int]]  # (state, symbol) pairs that are met and have a rule

    def path_to(self, configuration: Configuration) -> list[Configuration]:
        """From an input to this configuration, step by step."""
        path = [configuration]
        while (before := self.parents[path[-1]]) is not None:
            path.append(before)
        return path[::-1]


def close(
    machine: Agent, language: InputLanguage, precision: Precision, limit: int = 1_000_000, stop_at: int = 64
) -> Closure:
    """The closure, over as many rows as the machine turns out to use.

    Stops early once `stop_at` open pairs are known. Raises `Unbounded` where it would not stay finite.
    """
    low, high = 0, 0
    while high - low < MAX_ROWS:
        outcome = _close_in_window(machine, language, precision, low, high, limit, stop_at)
        if isinstance(outcome, Closure):
            return outcome
        low, high = min(low, outcome), max(high, outcome)
    raise Unbounded(f"the head goes beyond {MAX_ROWS} rows")


def _close_in_window(
    machine: Agent, language: InputLanguage, precision: Precision, low: int, high: int, limit: int,
    stop_at: int,
) -> Closure | int:  # fmt: skip
    """The closure in a window of rows, or the row beyond it that the head goes to."""
    height, home = high - low + 1, -low
    blank = (1 << machine.blank,) * height
    make = WindowDomain if precision.windows else StackDomain
    left, right = make(precision, blank), make(precision, blank)
    before = left.lay(language.before, (0,), home)
    after = right.lay([(q, symbols, p) for p, symbols, q in language.after], language.accepting, home)
    parents: dict[Configuration, Configuration | None] = {
        (a, 0, home, replaced(blank, home, symbols), b): None
        for p, symbols, q in language.head
        for a in before.get(p, ())
        for b in after.get(q, ())
    }
    queue = deque(parents)

    def come(
        source: Configuration, dx: int, state: int, row: int, c: Column, ahead: int, behind: int
    ) -> None:
        """From a configuration to one that follows: what lies ahead of the head, and behind it."""
        found = (ahead, state, row, c, behind) if dx < 0 else (behind, state, row, c, ahead)
        if found not in parents:
            parents[found] = source
            queue.append(found)

    waiting: dict[tuple[int, int], list[tuple[Configuration, int, int, int]]] = defaultdict(list)
    """(dx, node): (configuration, next state, row, pattern left behind) that took a column off the node"""
    steps = _Steps(machine)
    open_pairs: dict[tuple[int, int], Configuration] = {}
    while queue:
        configuration = queue.popleft()
        a, state, row, column, b = configuration
        for dx, following, to, kept in steps.find(state, row, column):
            if following == MISSING:
                for symbol in _bits(kept[row]):
                    open_pairs.setdefault((state, symbol), configuration)
                if len(open_pairs) >= stop_at:
                    queue.clear()
            elif not 0 <= to < height:
                return low + to
            elif dx == 0:
                come(configuration, dx, following, to, kept, b, a)
            else:
                top, under = (a, b) if dx < 0 else (b, a)
                behind = (right if dx < 0 else left).push(under, kept, row, following)
                for c, rest in (left if dx < 0 else right).pop(top):
                    come(configuration, dx, following, row, c, rest, behind)
                if precision.windows:
                    waiting[dx, top].append((configuration, following, row, behind))
        for dx, side in ((-1, left), (1, right)):
            while side.news:
                node, c, rest = side.news.pop()
                for source, following, at, behind in waiting[dx, node]:
                    come(source, dx, following, at, c, rest, behind)
        if len(parents) > limit:
            raise Unbounded(f"runs come to more than {limit:,} abstract configurations")
    met = {(state, symbol) for state, row, column in steps.known for symbol in _bits(column[row])}
    visited = frozenset(met) - set(open_pairs)
    return Closure((low, high), precision, left, right, (before, after), parents, open_pairs, visited)


Step = tuple[int, int, int, Column]  # dx, next state, next row, what is left in the column


class _Steps:
    """What may follow in a state, on a row of a column: worked out once for all configurations with these."""

    def __init__(self, machine: Agent) -> None:
        self.known: dict[tuple[int, int, Column], list[Step]] = {}
        self._tables = machine.write.tolist(), machine.motion.tolist(), machine.next.tolist()

    def find(self, state: int, row: int, column: Column) -> list[Step]:
        """Symbols are grouped by the rule they trigger; those without one stay, and nothing follows."""
        if (known := self.known.get((state, row, column))) is not None:
            return known
        groups: dict[tuple[int, int, int], int] = {}
        for symbol in _bits(column[row]):
            written, motion, following = (table[state][symbol] for table in self._tables)
            rule = (-1 if written == symbol else written, motion, following)
            if following == MISSING:
                rule = (-1, S, MISSING)
            groups[rule] = groups.get(rule, 0) | 1 << symbol
        found = self.known[state, row, column] = [
            (dx, following, row + dy, replaced(column, row, group if written < 0 else 1 << written))
            for (written, motion, following), group in groups.items()
            if following != HALT
            for dx, dy in [OFFSETS[motion]]
        ]
        return found


def _bits(symbols: int) -> list[int]:
    return [k for k in range(symbols.bit_length()) if symbols >> k & 1]


def open_path(machine: Agent, closure: Closure) -> tuple[str, ...]:
    """The last steps to the first open pair, one line each: left side, [head's column], right side, state."""
    (state, symbol), configuration = next(iter(closure.open_pairs.items()))
    path = closure.path_to(configuration)
    lines = [_line(machine, closure, c) for c in path[-LAST_STEPS:]]
    if len(path) > LAST_STEPS:
        lines.insert(0, f"… {counted(len(path) - LAST_STEPS, 'step')} before …")
    return (*lines, f"no rule for ({machine.states[state]}, {machine.alphabet[symbol]})")


def _line(machine: Agent, closure: Closure, configuration: Configuration) -> str:
    def cell(symbols: int) -> str:
        named = [s for k, s in enumerate(machine.alphabet) if symbols >> k & 1]
        return f"{named[0]}-{named[-1]}" if len(named) > 3 else "|".join(named)

    def told(column: Column, count: int = 1, more: bool = False) -> str:
        """Cells from the top row to the lowest."""
        return "/".join(map(cell, reversed(column))) + (f"^{count}{'+' * more}" if more or count > 1 else "")

    a, state, row, column, b = configuration
    left = " ".join(told(*item) for item in reversed(closure.left.stacks[a].items))
    right = " ".join(told(*item) for item in closure.right.stacks[b].items)
    place = f"{machine.states[state]}, row {closure.rows[0] + row}"
    return f"{left} [{told(column)}] {right}   {place}".strip()
