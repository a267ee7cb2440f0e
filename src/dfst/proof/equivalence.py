"""Are two machines the same Mealy machine on their common domain? Decided exactly, with the shortest witness.

Hopcroft and Karp's union-find: pairs of states that must agree are merged, breadth first, until nothing
is left to check or two rules disagree. A symbol for which either state has no rule lies outside the common
domain and is not followed. With rules missing, "agree" is not transitive, so pairs are then visited one by
one in place of being merged; both searches are breadth first, so the word they return is a shortest one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import InputError


@dataclass(frozen=True)
class Equivalence:
    """The verdict; `word` is a shortest sequence of symbols read after which the two act differently."""

    equivalent: bool
    pairs: int
    """Pairs of states that were compared."""
    word: tuple[str, ...] | None = None
    reason: str = ""
    same_domain: bool = True
    """Whether no compared pair had a rule on one side only."""


def equivalent(one: Agent, two: Agent) -> Equivalence:
    """Whether both write, move and halt alike on every sequence of symbols for which both have rules."""
    if set(one.alphabet) != set(two.alphabet):
        raise InputError(
            f"{one.name} and {two.name} cannot be compared: their alphabets are "
            f"{' '.join(one.alphabet)} and {' '.join(two.alphabet)}"
        )
    column = [two.alphabet.index(symbol) for symbol in one.alphabet]
    complete = bool((one.next != MISSING).all() and (two.next != MISSING).all())
    classes = _Classes(len(one.states) + len(two.states)) if complete else None
    came: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(0, 0): None}
    queue = deque(came)
    same_domain = True

    def word(pair: tuple[int, int], symbol: int) -> tuple[str, ...]:
        symbols, at = [one.alphabet[symbol]], came[pair]
        while at is not None:
            symbols.append(one.alphabet[at[1]])
            at = came[at[0]]
        return tuple(reversed(symbols))

    if classes:
        classes.join(0, len(one.states))
    while queue:
        pair = queue.popleft()
        p, q = pair
        for x, y in enumerate(column):
            first, second = int(one.next[p, x]), int(two.next[q, y])
            if MISSING in (first, second):
                same_domain &= first == second
                continue
            written = one.alphabet[one.write[p, x]], two.alphabet[two.write[q, y]]
            moves = (one.action[p, x], one.motion[p, x]), (two.action[q, y], two.motion[q, y])
            if written[0] != written[1] or moves[0] != moves[1]:
                reason = f"{one.name}: {one.rule(p, x)}; {two.name}: {two.rule(q, y)}"
                return Equivalence(False, len(came), word(pair, x), reason, same_domain)
            if first == HALT:
                continue
            following = (first, second)
            news = classes.join(first, len(one.states) + second) if classes else following not in came
            if news:
                came[following] = (pair, x)
                queue.append(following)
    return Equivalence(True, len(came), same_domain=same_domain)


class _Classes:
    """Union-find with path halving."""

    def __init__(self, size: int) -> None:
        self._parent = np.arange(size).tolist()

    def join(self, a: int, b: int) -> bool:
        """Merge the classes of both; whether they were two."""
        a, b = self._find(a), self._find(b)
        self._parent[b] = a
        return a != b

    def _find(self, a: int) -> int:
        while self._parent[a] != a:
            self._parent[a] = self._parent[self._parent[a]]
            a = self._parent[a]
        return a
