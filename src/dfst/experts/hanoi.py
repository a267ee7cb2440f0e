"""The Tower of Hanoi in 37 states, with a few steps for each move however high the tower."""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask


def hanoi(rules: RuleBook, task: PlaneTask) -> None:
    """The smallest disk goes round the pegs, and between its moves the only other one is made.

    The smallest disk becomes > or <, the way it goes round: an even tower begins to the right. After it has
    moved, the agent goes down its peg, over the disks that lie there in order. The first that is elsewhere
    changes between the two other pegs. Where there is none, the tower is whole.
    """
    # Down and up again; whether the number of disks is even is remembered.
    rules.rows("""
        start       o D odd
        odd         o D even         λ U climb odd
        climb odd   o U              λ D first odd
        even        o D odd          λ U climb even
        climb even  o U              λ D first even
        first odd   o .R round <
        first even  o .R put > 2
    """)
    # The smallest: one peg on, and from the last one past the middle to the first; then down to the next row.
    for disk, (one, two, three), on, back in ((">", "123", "R", "L"), ("<", "321", "L", "R")):
        rules.rows(f"""
            up {one}          {disk} .{on} put {disk} {two}
            up {two}          {disk} .{on} put {disk} {three}
            up {three}        {disk} .{back} round {disk}
            round {disk}      . {back} put {disk} {one}
            put {disk} {one}    . {disk}D down {one}
            put {disk} {two}    . {disk}D down {two}
            put {disk} {three}  . {disk}D down {three}
        """)
    rules.rows("down &  o D", each="123")
    rules.rows("up &  o. U", each="123")
    # The other, seen from a side: it is in the middle or beyond, and changes between the two.
    for peg, way, back in (("1", "R", "L"), ("3", "L", "R")):
        rules.rows(f"""
            down {peg}    . {way} middle {peg}
            middle {peg}  o .{way} give {peg}      . o{way} take {peg}
            give {peg}    . o{back} given {peg}
            take {peg}    o .{back} taken {peg}
            given {peg}   . {back} up {peg}
            taken {peg}   o {back} up {peg}
        """)
    # Seen from the middle it is on the left or on the right, and changes sides.
    rules.rows("""
        down 2      . L left
        left        o .R give         . oR take
        give        . R give right
        give right  . oL up 2
        take        . R take right
        take right  o .L up 2
        down 3      λ U end
        end         o U               <> oS
    """)
