"""A trace: what an onlooker sees of a run, never the state (the paper's policy-trajectory observation).

At each step the control unit read a symbol x, wrote a symbol s and made a motion m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.world.grid import MOTION_NAMES

UNKNOWN = 255  # in place of the symbol written and of the motion of a step: what was done in it is not known


@dataclass(frozen=True, eq=False)
class Trace:
    """One run as seen from outside; T steps."""

    subject: str
    input: str
    alphabet: tuple[str, ...]
    x: NDArray[np.uint8]
    """(T,) symbol read"""
    s: NDArray[np.uint8]
    """(T,) symbol written"""
    m: NDArray[np.uint8]
    """(T,) motion made; S in the last step of a run that halted, and nowhere else"""

    def __len__(self) -> int:
        return len(self.x)

    def same_as(self, other: Trace) -> bool:
        pairs = ((self.x, other.x), (self.s, other.s), (self.m, other.m))
        return self.alphabet == other.alphabet and all(np.array_equal(*pair) for pair in pairs)

    def lines(self) -> list[str]:
        """A table: its heading, then a line for each step."""
        wide = max(len("written"), *map(len, self.alphabet))
        found = [f"  step  {'read':{wide}}  {'written':{wide}}  motion"]
        for t, (x, s, m) in enumerate(zip(self.x, self.s, self.m, strict=True)):
            written, motion = action_name(self.alphabet, s, m)
            found.append(f"{t:>6}  {self.alphabet[x]:{wide}}  {written:{wide}}  {motion}")
        return found


def action_name(alphabet: tuple[str, ...], s: int, m: int) -> tuple[str, str]:
    """What was written and how the head moved, for people; ? where it is not known."""
    return ("?", "?") if m == UNKNOWN else (alphabet[s], MOTION_NAMES[m])
