"""Permutation groups: words over two generators, and the arrangement that a word makes of 12345.

A letter moves what stands at each place to another place: (1 2 3) takes what is at place 1 to place 2, what
is at 2 to 3 and what is at 3 to 1, so that 123 becomes 312. A word is applied letter by letter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

Arrangement = tuple[int, ...]  # what stands at each place, first to last


@dataclass(frozen=True)
class Group:
    """Arrangements that two letters make of 1 … n."""

    name: str
    places: int
    generators: Mapping[str, tuple[int, ...]]
    """For each letter a cycle: each place, and after it the place that its content moves to."""

    @property
    def first(self) -> Arrangement:
        return tuple(range(1, self.places + 1))

    def moved(self, arrangement: Arrangement, letter: str) -> Arrangement:
        """The arrangement after one letter."""
        cycle, after = self.generators[letter], list(arrangement)
        for place, target in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            after[target - 1] = arrangement[place - 1]
        return tuple(after)

    def solve(self, word: str) -> str:
        """The arrangement after a word."""
        arrangement = self.first
        for letter in word:
            arrangement = self.moved(arrangement, letter)
        return written(arrangement)

    @cached_property
    def members(self) -> tuple[Arrangement, ...]:
        """Every arrangement that words make, the nearest first."""
        found = [self.first]
        for arrangement in found:  # grows while it is read
            for letter in self.generators:
                after = self.moved(arrangement, letter)
                if after not in found:
                    found.append(after)
        return tuple(found)


def written(arrangement: Arrangement) -> str:
    return "".join(map(str, arrangement))


GROUPS = {
    group.name: group
    for group in (
        Group("s3", 3, {"a": (1, 2), "b": (1, 2, 3)}),
        Group("d4", 4, {"a": (1, 2, 3, 4), "b": (1, 3)}),
        Group("a5", 5, {"a": (1, 2, 3, 4, 5), "b": (1, 2, 3)}),
        Group("s5", 5, {"a": (1, 2), "b": (1, 2, 3, 4, 5)}),
    )
}
"""All permutations of three; the turns and flips of a square; the even permutations of five; all of five."""
