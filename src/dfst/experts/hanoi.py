"""The Tower of Hanoi in 37 states, with a few steps for each move however high the tower."""

from itertools import pairwise

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.world.grid import BLANK, D, L, R, U


def hanoi(rules: RuleBook, task: PlaneTask) -> None:
    """The smallest disk goes round the pegs, and between its moves the only other one is made.

    The smallest disk becomes > or <, the way it goes round: an even tower begins to the right. After it has
    moved, the agent goes down its peg, over the disks that lie there in order. The first that is elsewhere
    changes between the two other pegs. Where there is none, the tower is whole.
    """
    _begin(rules)
    _smallest(rules)
    for peg, way, back in ((1, R, L), (3, L, R)):
        _other_from_the_side(rules, peg, way, back)
    _other_from_the_middle(rules)
    _end(rules)


def _begin(rules: RuleBook) -> None:
    """Down and up again; whether the number of disks is even is remembered."""
    rules.on("start", "o", D, to="odd")
    for this, other in (("odd", "even"), ("even", "odd")):
        rules.on(this, "o", D, to=other)
        rules.on(this, BLANK, U, to=f"climb {this}")
        rules.on(f"climb {this}", "o", U)
        rules.on(f"climb {this}", BLANK, D, to=f"first {this}")
    rules.on("first odd", "o", R, write=".", to="round <")
    rules.on("first even", "o", R, write=".", to="put > 2")


def _smallest(rules: RuleBook) -> None:
    """One peg on, and from the last one past the middle to the first; then down to the next row."""
    for disk, order, on, back in ((">", (1, 2, 3), R, L), ("<", (3, 2, 1), L, R)):
        for peg, target in pairwise(order):
            rules.on(f"up {peg}", disk, on, write=".", to=f"put {disk} {target}")
        rules.on(f"up {order[2]}", disk, back, write=".", to=f"round {disk}")
        rules.on(f"round {disk}", ".", back, to=f"put {disk} {order[0]}")
        for peg in order:
            rules.on(f"put {disk} {peg}", ".", D, write=disk, to=f"down {peg}")
    for peg in (1, 2, 3):
        rules.on(f"down {peg}", "o", D)
        rules.on(f"up {peg}", tuple("o."), U)


def _other_from_the_side(rules: RuleBook, peg: int, way: int, back: int) -> None:
    """It is in the middle or beyond, and changes between the two."""
    rules.on(f"down {peg}", ".", way, to=f"middle {peg}")
    rules.on(f"middle {peg}", "o", way, write=".", to=f"give {peg}")
    rules.on(f"middle {peg}", ".", way, write="o", to=f"take {peg}")
    rules.on(f"give {peg}", ".", back, write="o", to=f"given {peg}")
    rules.on(f"take {peg}", "o", back, write=".", to=f"taken {peg}")
    rules.on(f"given {peg}", ".", back, to=f"up {peg}")
    rules.on(f"taken {peg}", "o", back, to=f"up {peg}")


def _other_from_the_middle(rules: RuleBook) -> None:
    """It is on the left or on the right, and changes sides."""
    rules.on("down 2", ".", L, to="left")
    rules.on("left", "o", R, write=".", to="give")
    rules.on("left", ".", R, write="o", to="take")
    for act, there, then in (("give", ".", "o"), ("take", "o", ".")):
        rules.on(act, ".", R, to=f"{act} right")
        rules.on(f"{act} right", there, L, write=then, to="up 2")


def _end(rules: RuleBook) -> None:
    rules.on("down 3", BLANK, U, to="end")
    rules.on("end", "o", U)
    rules.halt("end", tuple("<>"), write="o")
