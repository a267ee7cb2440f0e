"""Sudoku by backtracking, in 70 states that know no digit.

The whole board turns: 2 becomes 1, 3 becomes 2, …, 1 becomes 9, for what is given and for what the agent
wrote (a to i) alike. So the agent only ever tries 1, and nine turns try every digit. A letter left above the
board turns as well; it is a where nothing is turned. After each try the agent is back at that letter in its
first state, so that an example may begin there, half worked.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.sudoku import DIGITS, OWN

FILLED, LINES = DIGITS + OWN, "|-+"
ONE, OTHERS = "1a", DIGITS[1:] + OWN[1:]
TURNED = DIGITS[-1] + DIGITS[:-1] + OWN[-1] + OWN[:-1]  # what each of FILLED becomes


def sudoku(rules: RuleBook, task: PlaneTask) -> None:
    """The first empty cell is tried, *; it becomes % when row and column allow it, and a when the box does.

    Where a turn of nine is over, it becomes !, and the last cell that the agent filled is tried further: when
    that is a, it becomes *, and ! is empty again.
    """
    rules.rows(f"""
        start   {DIGITS}. U above
        above   λ L corner
        corner  λ aD enter 0
        start   a D enter 0         {OWN[1:]} D enter k
    """)
    # Turning: each row to the right, the next to the left; the number of rows is odd.
    rules.rows(f"""
        turn           {OWN} {OWN[-1]}{OWN[:-1]}D next right
        next right     λ R right
        next left      λ L first left
        right          {FILLED} {TURNED}R         |.*! R            % *R         λ D next left
        first left     {FILLED} {TURNED}L left    -.*! L left       % *L left
        left           {FILLED} {TURNED}L         {LINES}.*! L      % *L         λ D next right
        first left     λ U left to start
        left to start  {FILLED}|.*%! L            λ R up to start
        up to start    {FILLED}-%.*! U            λ L start
        left to turn   {FILLED}|.* L              λ R up to turn
        up to turn     {FILLED}-%.* U             λ L turn
    """)
    for then in ("D enter 0", "D enter k", "U row above", "D forth enter", "D clean enter"):
        _line(rules, then)
    _find(rules)
    _back(rules)
    _check(rules)
    # The solution: up to the letter, which is wiped out; then row by row the agent's letters become digits.
    rules.rows(f"""
        rise         {FILLED}- U             λ L wipe
        wipe         a λD clean enter
        clean enter  λ R clean first
        clean first  {DIGITS} R clean        {OWN} {DIGITS}R clean   λ S    - R line of clean enter
        clean        {DIGITS}| R             {OWN} {DIGITS}R         λ L clean home
        clean home   {DIGITS}| L             λ D clean enter
    """)


def _line(rules: RuleBook, then: str) -> None:
    """To the end of a line and back, then on to the next row. It has states of its own, which tell an odd
    number of crossings from an even one: on the way back there are as many, and learners notice."""
    name = then[2:]
    rules.rows(f"""
        line of {name}  - R    + R odd of {name}      λ L back of {name}
        odd of {name}   - R    + R line of {name}     λ L left of {name}
        left of {name}  - L    + L back of {name}
        back of {name}  - L    + L left of {name}     λ {then}
    """)


def _find(rules: RuleBook) -> None:
    """The first cell that is not filled. 0: nothing is turned; k: something is."""
    for k in "0k":
        rules.rows(f"""
            enter {k}      λ R first {k}
            first {k}      {FILLED} R find {k}     % aR find {k}    - R line of enter {k}
            find {k}       {FILLED}| R             % aR             λ L return {k}
            return {k}     {FILLED}| L             λ D enter {k}
        """)
    rules.rows("""
        first 0   . *L try left       * !L back       λ U rise
        find 0    . *L try left       * !L back
        first k   . L left to turn    * L try left    ! L back    λ U left to turn
        find k    . L left to turn    * L try left    ! L back
    """)


def _back(rules: RuleBook) -> None:
    """From ! to the last cell that the agent filled; where there is none, there is no solution.

    A second a in the row would be a clash, so none is met on the way home.
    """
    rules.rows(f"""
        back         {DIGITS}| L          a *R forth      {OWN[1:]} L left to turn    λ U row above
        row above    λ R to end           a λS
        to end       {FILLED}| R          λ L back              - R line of row above
        forth        {DIGITS}| R          ! .L left to turn     λ L forth back
        forth back   {DIGITS}| L          * L before it
        before it    {DIGITS}{OWN[1:]}| L                       λ D forth enter
        forth enter  λ R forth first
        forth first  {DIGITS} R forth on  ! .L left to turn     - R line of forth enter
        forth on     {DIGITS}| R          ! .L left to turn     λ L forth home
        forth home   {DIGITS}| L          λ D forth enter
    """)


def _check(rules: RuleBook) -> None:
    """No 1 to the left, to the right, above and below; then none in the box: up, left, and its three rows to
    the right, left, right."""
    rules.rows(f"""
        try left        {OTHERS}| L          {ONE} L left to turn    λ R try right
        try right       {OTHERS}|.* R        1 L left to turn        λ L return left
        try up          {OTHERS}- U          {ONE} L left to turn    λ D try down
        try down        {OTHERS}-.* D        1 L left to turn        λ U return up
        return left     {DIGITS[1:]}|. L     * U try up
        return up       {DIGITS[1:]}-. U     * %U box up
        box up          {OTHERS} U           -λ D box left
        box left        {FILLED}% L          |λ R box right
        box right       {OTHERS}.% R         {ONE} L left to turn    |λ L box down
        row left        {OTHERS}.% L         {ONE} L left to turn    |λ R box down again
        box down        {OTHERS}.% D next row
        next row        {OTHERS}.% L row left    {ONE} L left to turn    -λ U left to start
        box down again  {OTHERS}.% D box right
    """)
