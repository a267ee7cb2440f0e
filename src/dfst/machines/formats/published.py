"""Machines that others published, with the results they are known for: independent test cases.

All start on a blank grid in their first state. The halting step counts, and it writes. A name is what
people type: `dfst run bb5`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from dfst.errors import UnknownName
from dfst.machines.agent import Agent
from dfst.machines.formats import parse_machine


@dataclass(frozen=True)
class PublishedMachine:
    """One machine and what is known of it; None where nothing was published or it never halts."""

    name: str
    text: str
    source: str
    steps: int | None = None  # steps to the halt
    nonblank: int | None = None  # cells that are not blank at the halt
    visited: int | None = None  # cells the head ever stood on
    known: str = ""  # what else is known, in words

    @property
    def result(self) -> str:
        """What is known, in one line."""
        parts = [
            f"{self.steps:,} steps" if self.steps else "",
            f"{self.nonblank:,} cells" if self.nonblank else "",
            f"{self.visited:,} visited" if self.visited else "",
            self.known,
        ]
        return ", ".join(part for part in parts if part)


_SURVEY = "P. Michel, Historical survey of Busy Beavers"
_HUTTON = "T. J. Hutton, Rule Table Repository: two-dimensional Turing machines, 2010"

_LANGTON = "never halts; from step 9,977 on 12 black cells more every 104 steps"
# fmt: off
_MACHINES = (
    PublishedMachine("bb2", "1RB1LB_1LA1RZ", "T. Radó, On non-computable functions, 1962", 6, 4),
    PublishedMachine("bb3", "1RB1RZ_1LB0RC_1LC1LA", "S. Lin and T. Radó, 1965", 21, 5),
    PublishedMachine("bb4", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA", "A. H. Brady, 1983", 107, 13),
    PublishedMachine("bb5", "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA",
                     "H. Marxen and J. Buntrock, 1990; the champion by the bbchallenge proof of 2024",
                     47_176_870, 4098, 12_289),
    PublishedMachine("bb2x3", "1RB2LB1RZ_2LA2RB1LB", _SURVEY, 38, 9),
    PublishedMachine("box3x3", "1RB2LB1LC_1LA2RB1RB_1RZ2LA0LC", _SURVEY, 2_315_619, visited=51),
    PublishedMachine("bb3x3", "1RB1RZ2LC_1LC2RB1LB_1LA0RB2LA", _SURVEY, 92_649_163, 13_949),
    PublishedMachine("plane3-steps", "{{{1,'S',1},{1,'W',2}},{{0,'W',2},{0,'E',1}},{{1,'N',0},{1,'',1}}}",
                     _HUTTON, steps=32),
    PublishedMachine("plane3-cells", "{{{1,'W',2},{1,'E',1}},{{1,'S',0},{1,'N',1}},{{1,'N',1},{1,'',1}}}",
                     _HUTTON, nonblank=11),
    PublishedMachine("plane4-cells", "{{{1,'E',1},{0,'W',0}},{{1,'W',3},{1,'S',0}},{{1,'S',0},{1,'',0}},"
                     "{{1,'W',2},{1,'N',3}}}", _HUTTON, nonblank=244),
    PublishedMachine("turmite2", "{{{1,8,0},{0,8,1}},{{1,0,0},{1,2,0}}}",
                     "A. H. Brady, in T. J. Hutton's Rule Table Repository", steps=121),
    PublishedMachine("turmite3", "{{{1,2,1},{1,1,0}},{{1,2,1},{1,2,2}},{{1,0,0},{1,1,0}}}", _HUTTON,
                     21_790, 2793),
    PublishedMachine("turmite2x3", "{{{1,2,0},{2,4,1},{2,1,0}},{{1,0,0},{2,2,0},{2,1,1}}}", _HUTTON,
                     69_106, 5060),
    PublishedMachine("langton", "{{{1,2,0},{0,8,0}}}", "C. G. Langton, 1986; OEIS A255938", known=_LANGTON),
)
# fmt: on

PUBLISHED = {machine.name: machine for machine in _MACHINES}


@lru_cache(maxsize=64)
def published(name: str) -> Agent:
    """The published machine of that name."""
    if name not in PUBLISHED:
        raise UnknownName("published machine", name, PUBLISHED, listed="dfst list")
    machine = PUBLISHED[name]
    return replace(parse_machine(machine.text, name=name), source=machine.source)
