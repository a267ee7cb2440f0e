"""What a machine can read on a board of any size: trusted, beside the checker, for proofs on the plane.

Boards are described by classes of rows and of columns, such as above the board, its first row, a later one,
below: which may come next, and which symbols may lie where a row and a column cross. Each cell has a *trace*:
its classes, and the rule that was last used there, or the symbol that lay there first. Three sets are closed
under every step, and hold every board at first:

    beside    traces that may lie side by side, in each of the four directions
    here      for the rule used last and the classes of the head's cell: traces that may lie there
    around    for the same: traces that may lie in each of the eight parts of the plane around the head, which
              are its row and its column, parted by it, and the four corners

A step leaves a trace in the head's cell. Its neighbours are what lay beside the old one, in their part of the
plane; the cell that the head came from has the trace it left last. Then the parts shift. So whatever happens
on a board is in the sets; what they hold need not happen. `readings` are the symbols that may be read after
each rule. Nothing is believed: the sets are made here, from the rules and the description of the boards.

Where that would be too many traces, a cell's is its classes and its symbol.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from dfst.languages import parse
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.tasks.plane import PlaneTask
from dfst.world.grid import BLANK, OFFSETS, D, R

Classes = Mapping[str, str]
"""For each class of rows, from above, or of columns, from the left: those that may come next"""
Place = tuple[str, str]
"""The class of a row, the class of a column"""
Rule = tuple[int, int]
"""State, symbol"""
START = (-1, -1)
"""The rule before the first step"""
Head = tuple[Rule, int, Place]
"""The rule used last, the trace that it left, the classes of the head's cell"""
PARTS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
"""(dx, dy) of the parts of the plane around the head; dy grows upwards"""
BACK = (1, 0, 3, 2)
"""The opposite of each motion"""
SIDES = [PARTS.index(OFFSETS[motion]) for motion in range(len(BACK))]
"""The part that lies straight ahead in each motion"""
MOST_TRACES = 30_000
"""Rules times places, before a cell's trace is its symbol"""
MOST_WORK = 100_000_000
"""Sets joined, 256 traces counting as one, before all is unknown: some minutes; the maze takes a quarter"""


class TooMuch(Exception):
    """What may be read is not worked out within `MOST_WORK`: it is unknown."""


@dataclass(frozen=True)
class Boards:
    """All boards of a task, or more."""

    rows: Classes
    columns: Classes
    cells: Mapping[Place, tuple[int, ...]]
    """The symbols that may lie in a cell"""
    starts: tuple[Place, ...]
    """Where the head may be at first"""


def boards_of(task: PlaneTask) -> Boards | None:
    """Rectangles of the task's letters, blanks around them, the head in a corner; where all rows are alike,
    or there is one that matches a pattern, with its columns; where lines part them, boxes of any size. Of
    letters that a board has once, the first has a row and a column to itself. None for all other forms."""
    around = {"A": "Aa", "b": "B", "B": "B"}
    rows = {**around, "a": "fs", "f": "rl", "r": "rl", "l": "b", "s": "b"}
    once = task.once[:1]
    if once:
        rows = {**around, "a": "fF", "f": "rR", "r": "rR", "F": "qb", "R": "qb", "q": "qb"}
    columns, met = rows, dict.fromkeys(set(rows) - set("AabB"), task.letters)
    if task.ruled:
        rows = columns = {**around, "a": "f", "f": "r-b", "r": "r-b", "-": "r"}
        inside = "".join(x for x in task.letters if x not in task.ruled)
        met = {"f": inside, "r": inside, "-": task.ruled[0]}
    elif task.row:
        named = "0123456789"[: len(task.row)]
        columns = {**around, "a": named[0], **dict(zip(named, [*named[1:], "b"], strict=True))}
        met = dict(zip(named, task.row, strict=True))
    elif task.pattern:
        if re.search(r"\\|\n|\[\^|\(\?", task.pattern):  # it might match several rows
            return None
        words = parse(task.pattern, task.alphabet, task.alphabet.index(BLANK))
        steps = [(p, x, q) for p, row in enumerate(words.table) for x, q in enumerate(row) if q >= 0]
        edges = {edge: chr(ord("α") + k) for k, edge in enumerate(sorted({(p, q) for p, _, q in steps}))}
        ends = dict.fromkeys(words.accepting, "b")
        after = {q: "".join(n for (p, _), n in edges.items() if p == q) + ends.get(q, "") for _, q in edges}
        first = "".join(name for (p, _), name in edges.items() if p == 0)
        rows = {**around, "a": "f", "f": "b"}
        columns = {**around, "a": first, **{name: after[q] for (_, q), name in edges.items()}}
        met = {n: "".join(task.alphabet[x] for p, x, q in steps if (p, q) == e) for e, n in edges.items()}
    cells = {}
    for r, c in product(rows, columns):
        symbols = met[c] if r not in "AabB" and c in met else BLANK
        if task.ruled and r == "-" and symbols != BLANK:
            symbols = task.ruled[2 if c == "-" else 1]
        if once and symbols != BLANK:
            symbols = once if {r, c} <= set("FR") else symbols.replace(once, "")
        cells[r, c] = tuple(map(task.alphabet.index, symbols))
    return Boards(rows, columns, cells, tuple(product(rows["a"], columns["a"])))


def readings(agent: Agent, boards: Boards) -> dict[Rule, set[int]]:
    """The symbols that may be read after each rule, and at the start; only of rules that may be used."""
    return _Reached(agent, boards).readings()


class _Reached:
    """The sets, as bit masks of traces."""

    def __init__(self, agent: Agent, boards: Boards) -> None:
        self.boards = boards
        self.write, self.motion, self.next = agent.write.tolist(), agent.motion.tolist(), agent.next.tolist()
        self.numbers: dict[tuple[Place, Rule], int] = {}
        self.symbol: list[int] = []
        self.place: list[Place] = []
        self.coarse = int((agent.next != MISSING).sum()) * len(boards.cells) > MOST_TRACES
        self.at: dict[Place, int] = defaultdict(int)
        """The traces that cells of a place may have"""
        self.beside: list[dict[int, int]] = [defaultdict(int) for _ in range(4)]
        self.here: dict[Head, int] = {}
        self.around: dict[Head, list[int]] = {}
        self.work, self.laid, self.joined = 0, 0, set[Head]()
        """Traces with new ones beside them, and heads of which more became known, in the present pass"""
        rows, columns = _later(boards.rows), _later(boards.columns)
        self.parts = {
            (r, c): [set(product(_classes(rows, r, -dy), _classes(columns, c, dx))) for dx, dy in PARTS]
            for r, c in boards.cells
        }
        """For each place: the places of each part of the plane around it"""
        self.seen = {place: [0] * len(PARTS) for place in boards.cells}
        """For each place: the traces that each part of the plane around it may have"""
        for place, symbols in boards.cells.items():
            for x in symbols:
                self._trace(place, (-1, x), x)
        first = dict(self.at)
        for (r, c), mask in first.items():
            for trace in _bits(mask):
                for after in boards.columns[c]:
                    self._lay(trace, R, first[r, after])
                for after in boards.rows[r]:
                    self._lay(trace, D, first[after, c])
        for place in boards.starts:
            self._join((START, -1, place), first[place], self.seen[place])
        while self.laid or self.joined:  # whatever hangs on what is new is stepped again
            laid, joined, self.laid, self.joined = self.laid, self.joined, 0, set()
            for key in list(self.here):
                if key in joined or key in self.joined or self.here[key] & (laid | self.laid):
                    self._step(key)

    def readings(self) -> dict[Rule, set[int]]:
        found: dict[Rule, set[int]] = defaultdict(set)
        for (rule, _, _), mask in self.here.items():
            found[rule] |= {self.symbol[trace] for trace in _bits(mask)}
        return dict(found)

    def _trace(self, place: Place, rule: Rule, symbol: int) -> int:
        key = (place, (-1, symbol) if self.coarse else rule)
        if key not in self.numbers:
            self.numbers[key] = number = len(self.symbol)
            self.symbol.append(symbol)
            self.place.append(place)
            self.at[place] |= 1 << number
            for other, parts in self.parts.items():
                for k, part in enumerate(parts):
                    self.seen[other][k] |= (place in part) << number
        return self.numbers[key]

    def _lay(self, trace: int, motion: int, others: int) -> None:
        """The others may lie beside the trace."""
        if new := others & ~self.beside[motion][trace]:
            self.laid |= new | 1 << trace
            self.beside[motion][trace] |= new
            for other in _bits(new):
                self.beside[BACK[motion]][other] |= 1 << trace

    def _join(self, key: Head, here: int, around: list[int]) -> None:
        known, parts = self.here.setdefault(key, 0), self.around.setdefault(key, [0] * len(PARTS))
        joined = [a | b for a, b in zip(parts, around, strict=True)]
        if here & ~known or joined != parts:
            self.joined.add(key)
            self.here[key], self.around[key] = known | here, joined

    def _step(self, key: Head) -> None:
        """Whatever may follow where a rule was used last and the head stands on a place."""
        before, last, place = key
        around = self.around[key]
        q, came = 0, None
        if before != START:
            q, came = self.next[before[0]][before[1]], BACK[self.motion[before[0]][before[1]]]
        traces: dict[int, list[int]] = defaultdict(list)
        for old in _bits(self.here[key]):
            traces[self.symbol[old]].append(old)
        for x, olds in traces.items():
            self.work += (len(olds) + 1) * (1 + len(self.symbol) // 256)
            if self.work > MOST_WORK:
                raise TooMuch
            if self.next[q][x] in (HALT, MISSING):
                continue
            trace, motion = self._trace(place, (q, x), self.write[q][x]), self.motion[q][x]
            ahead = 0
            for d, side in enumerate(SIDES):
                beside = 1 << last if d == came else 0
                if d != came:
                    for old in olds:
                        beside |= self.beside[d][old]
                    beside &= around[side]
                self._lay(trace, d, beside)
                if d == motion:
                    ahead = beside
            parts = [around[one] | around[other] for one, other in SHIFTED[motion]]
            parts[SIDES[BACK[motion]]] |= 1 << trace
            for there in {self.place[other] for other in _bits(ahead)}:
                seen = [mask & allowed for mask, allowed in zip(parts, self.seen[there], strict=True)]
                self._join(((q, x), trace, there), ahead & self.at[there], seen)


def _shifted(way: tuple[int, int]) -> list[tuple[int, int]]:
    """For each part of the plane after a step, the parts that it is made of, beside the head's own cell: what
    lay ahead stays ahead, and comes beside the head; the head's line across the way falls behind."""
    found = []
    for dx, dy in PARTS:
        along = dx * way[0] + dy * way[1]
        ahead = (dx or way[0], dy or way[1])
        across = (dx * abs(way[1]), dy * abs(way[0]))
        one = (dx, dy) if along else ahead
        found.append((PARTS.index(one), PARTS.index(across if along < 0 and any(across) else one)))
    return found


SHIFTED = [_shifted(OFFSETS[motion]) for motion in range(len(BACK))]


def _later(classes: Classes) -> dict[str, set[str]]:
    """For each class those that may come anywhere after it."""
    found = {name: set(after) for name, after in classes.items()}
    for _ in classes:
        found = {name: after.union(*(found[other] for other in after)) for name, after in found.items()}
    return found


def _classes(later: dict[str, set[str]], name: str, way: int) -> list[str]:
    """Those that may come anywhere before (-1), at (0) or after (1) a class."""
    return sorted({name} if way == 0 else later[name] if way > 0 else {k for k in later if name in later[k]})


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True)
class Split:
    """A machine with a state for each rule that was used last, and rules for what may be read then."""

    machine: Agent
    lacks: tuple[Rule, ...]
    """The rules that the machine itself lacks and may need"""
    symbols: int
    """How many may be read, after all rules together"""


@lru_cache(maxsize=8)
def by_last_rule(agent: Agent) -> Split | str:
    """What the machine is on boards of its task; if that is unknown, why."""
    task = agent.task
    if type(task) is not PlaneTask or agent.alphabet != task.alphabet or agent.alphabet[agent.blank] != BLANK:
        return "it has no boards"
    boards = boards_of(task)
    if boards is None:
        return "its boards have a form that has no description"
    if (agent.motion[agent.next >= 0] >= len(BACK)).any():
        return "its head may stay"
    try:
        after = readings(agent, boards)
    except TooMuch:
        return f"to work it out takes more than {MOST_WORK:,} steps"
    number = {rule: k for k, rule in enumerate(sorted(after))}
    shape = (len(after), len(agent.alphabet))
    write, motion = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    lacks = set()
    for rule, k in number.items():
        q = 0 if rule == START else int(agent.next[rule])
        for x in after[rule]:
            write[k, x], motion[k, x], target = agent.write[q, x], agent.motion[q, x], agent.next[q, x]
            following[k, x] = number[q, x] if target >= 0 else target
            if target == MISSING:
                lacks.add((q, x))
    states = tuple("start" if q < 0 else f"{agent.states[q]} {agent.alphabet[x]}" for q, x in number)
    name = f"{agent.name}_by_its_last_rule"
    machine = replace(agent, name=name, states=states, write=write, motion=motion, next=following)
    return Split(machine, tuple(sorted(lacks)), sum(map(len, after.values())))
