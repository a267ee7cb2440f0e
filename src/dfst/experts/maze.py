"""A maze, flooded from the goal by plain sweeps along columns and rows.

A reached cell has an arrow to a neighbour that is nearer to the goal. In a wave every column is swept down
and up, every row right and left: the agent remembers only whether the last cell was reached, and if so gives
the next one a new arrow, unless that has one which a path prefers. At the end of a wave new arrows count as
reached; the free neighbours of what was reached before are all taken, so nothing need be said of its age.
S has an arrow like any other cell, written as a letter; once it has one, the arrows lead to the goal. From
there the agent goes down along the margin, and wipes out its working on the way up. There may be several
goals: they are reached before the first wave, all of them, and the path leads to the nearest.

Beside the line that it works on lies a bookmark, which says what is being done. The agent need keep that in
mind for one line only, and whatever else it has in mind, it can let go where it comes back to its bookmark.

Legend: `+` after a reached cell, `!` once a new arrow was met in this row, `?` where there is no path.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import NEW, REACHED, START

AWAY = "DLRU"  # where an arrow leads, in the order in which a path prefers them
COLUMN, ROW, OLD, NEWS, CLEAN = "|-=!~"
"""Bookmarks: above a column, beside a row; while nothing new was met in a wave, after that; in a clean row"""


def maze(rules: RuleBook, task: PlaneTask) -> None:
    """Waves from G until S has an arrow or nothing is new; then the way from S, and all else is wiped out."""
    _columns(rules)
    _rows(rules)
    _renew(rules)
    _walk(rules)


def _sweep(rules: RuleBook, state: str, way: str, gives: int, seen: str, taken: str, first: str = "") -> None:
    """Go on in a direction; what follows a reached cell gets arrow number `gives`, which points back.

    seen:  new arrows, also of S, that may be met
    taken: those of them that a path prefers to the one that is given
    first: the state in which a sweep begins
    """
    others = REACHED.replace(REACHED[gives], "")
    for name in filter(None, (first, state)):
        # nothing points back to a cell that was not reached, or out of the board
        rules.rows(f"{name}  {others}G {way} {state}+  #.S{seen} {way} {state}")
    new, start = ("".join(a for a in seen if a in kind and a not in taken) for kind in (NEW, START))
    rules.rows(f"""
        {state}+  {REACHED}G {way}                     #{taken} {way} {state}
        {state}+  .{new} {NEW[gives]}{way} {state}     S{start} {START[gives]}{way} {state}
    """)


def _columns(rules: RuleBook) -> None:
    """From the top left: each column down and up; then home along the first row."""
    down, _, right, up = range(4)
    rules.rows(f"""
        begin        #.SG{REACHED[down]}{REACHED[right]} U mark column
        mark column  λ {COLUMN}D enter column
    """)
    _sweep(rules, "south", "D", up, "", "", first="enter column")
    _sweep(rules, "north", "U", down, NEW[up] + START[up], "")
    rules.rows(f"""
        south         λ U north
        south+        λ U north
        north         {COLUMN} λR mark column
        north+        {COLUMN} λR mark column
        enter column  λ U columns done
        columns done  {COLUMN} λL                λ D home
        home          #.SG{REACHED[:up]}{NEW[down]}{START[down]} L   λ {ROW}R enter row
    """)


def _rows(rules: RuleBook) -> None:
    """From the top left: each row right and left."""
    down, left, right, up = range(4)
    vertical = NEW[down] + NEW[up] + START[down] + START[up]
    _sweep(rules, "east", "R", left, vertical, NEW[down] + START[down], first="enter row")
    seen, taken = vertical + NEW[left] + START[left], NEW[down] + NEW[left] + START[down] + START[left]
    _sweep(rules, "west", "L", right, seen, taken)
    rules.rows(f"""
        east       λ L west
        east+      λ L west
        west       {ROW} λD mark row
        west+      {ROW} λD mark row
        mark row   λ {ROW}R enter row
        enter row  λ L rows done
        rows done  {ROW} λU mark old
    """)


def _renew(rules: RuleBook) -> None:
    """Row by row upwards, new arrows become reached; an arrow of S ends the flood, and so does no new one."""
    rules.rows(f"""
        mark old  λ {OLD}R renew row
        mark new  λ {NEWS}R renew row
    """)
    for name, then in (("renew row", "renew"), ("renew", "renew"), ("renew!", "renew!")):
        met = [k for k in range(4) if name != "renew row" or AWAY[k] != "L"]
        rules.rows(f"{name}  #.SG{''.join(REACHED[k] for k in met)} R {then}")
        for k in met:
            rules.rows(f"{name}  {NEW[k]} {REACHED[k]}R renew!  {START[k]} s{AWAY[k]} walk")
    for flag, then in (("", "mark old"), ("!", "mark new")):
        rules.rows(f"""
            renew{flag}    λ L renewed{flag}
            renewed{flag}  #.SG{REACHED} L     {OLD} λU {then}    {NEWS} λU mark new
        """)
    rules.rows(f"""
        renew row    λ L all renewed
        all renewed  {NEWS} λD new wave
        new wave     λ R begin
        all renewed  {OLD} λD below?
    """)


def _walk(rules: RuleBook) -> None:
    """Along the arrows to a goal; or, without a path, stay in the first row."""
    for arrow, way in zip(REACHED, AWAY, strict=True):
        rules.rows(f"walk  {arrow} o{way}")
    # o: arrows in a circle; there are none, but to know that takes distances
    rules.rows(f"""
        walk  o S                  G L left
        left  #.soG{NEW}{REACHED} L
    """)
    _clean(rules, "", "#.oG", "s", "S", NEW + REACHED, f"λ{OLD}{NEWS}")
    _clean(rules, "?", "#.G", "S", "?", REACHED, "λ")


def _clean(rules: RuleBook, flag: str, kept: str, start: str, becomes: str, arrows: str, margin: str) -> None:
    """Along the margin to the last row; then row by row upwards, and nothing but the path is left.

    start, becomes: S, as it stands there and as it is left
    margin: what may lie beside a row
    """
    first = "".join(arrow for arrow in arrows if arrow not in NEW[1] + REACHED[1])  # none leads to the left
    rules.rows(f"""
        left{flag}        {margin} D below{flag}
        below{flag}       {margin} R look{flag}
        look{flag}        {kept}{start}{first} L left{flag}    λ L bottom{flag}
        bottom{flag}      λ U mark clean{flag}
        mark clean{flag}  {margin} {CLEAN}R clean row{flag}
    """)
    for name, met in (("clean row", first), ("clean", arrows)):
        rules.rows(
            f"{name}{flag}  {kept} R clean{flag}  {met} .R clean{flag}  {start} {becomes}R clean{flag}"
        )
    rules.rows(f"""
        clean{flag}      λ L cleaned{flag}
        cleaned{flag}    {kept}{becomes} L     {CLEAN} λU mark clean{flag}
        clean row{flag}  λ L end{flag}
        end{flag}        {CLEAN} λS
    """)
