"""The trusted part that makes of a bound on steps one on symbols of the input.

Steps over which errors add up, *slow* ones, must go one way. Then they pass a tape once and do not come back,
so there are no more of them in a row than cells on it. What a run may write beside its input is bounded over
all abstract steps. Standard library only.
"""

from typing import Any

from dfst.proof.reading import OFFSETS, Array, Column, Work

MOST_ROOM = 40  # symbols by which a run makes its tape longer, before it is taken for endless

Step = tuple[tuple[int, ...], int, int, Column, Column, list[Any]]
"""Of an abstract run: configuration, its pair, symbols read, the column before and after, successors"""


def slow(states: Array, following: Array, loops: bool = False) -> list[int]:
    """For each pair, by its learnt state: the symbols (bits) over which errors add up; all, or only loops."""
    return [
        sum(1 << x for x, t in enumerate(following[q].tolist()) if (t == q if loops else t >= 0))
        for q in states.tolist()
    ]


def one_way(rules: Any, slowly: list[int]) -> bool:
    """Whether slow steps in a row go all to the left or all to the right."""

    def ways(p: int) -> set[int]:
        found = (rule for x, rule in enumerate(rules[p]) if slowly[p] >> x & 1 and rule and rule[2] >= 0)
        return {OFFSETS[rule[1]][0] for rule in found}

    after = [
        (p, rule[2])
        for p, row in enumerate(rules)
        for x, rule in enumerate(row)
        if slowly[p] >> x & 1 and rule
    ]
    return all(len(ways(p) | ways(t)) == 1 and 0 not in ways(p) for p, t in after if t >= 0)


def room(steps: list[Step], rules: Any, slowly: list[int], blank: int, work: Work) -> int | None:
    """A number such that on an input of n symbols at most n + this many *slow* steps are taken in a row, if
    one is found. slowly: for each pair, the symbols (bits) over which its rule is slow.

    Slow steps in a row go one way, so they pass each column once, as it was when the first of them was taken.
    Columns that are not blank are n at first at most; what a run adds to their number, taken together, is
    bounded over all paths of abstract steps. So is the number of blank columns that slow steps pass in a row.
    """
    if not one_way(rules, slowly):
        return None
    holds = [any(not cell >> blank & 1 for cell in before) for *_, before, _, _ in steps]
    empty = [all(cell == 1 << blank for cell in made) for *_, made, _ in steps]
    changes = [0 if s[3] == s[4] else (not b) - a for s, a, b in zip(steps, holds, empty, strict=True)]
    passed = [int(not a) if slowly[s[1]] & s[2] else None for s, a in zip(steps, holds, strict=True)]
    total = 0
    for costs in (changes, passed):
        most: dict[Any, int] = {}  # from here on
        edges = [(s[0], cost, s[5]) for s, cost in zip(steps, costs, strict=True) if cost is not None]
        for turn in range(MOST_ROOM**2):
            work.spend(len(edges))
            before = sum(most.values())
            for source, cost, targets in edges:
                ahead = cost + max((most.get(target, 0) for target in targets), default=0)
                most[source] = max(most.get(source, 0), ahead)
            if sum(most.values()) == before and turn:
                break
            if max(most.values(), default=0) > MOST_ROOM:
                return None
        else:
            return None
        total += max(most.values(), default=0)
    return total
