"""`dfst run --watch`: the blackboard in a terminal; where there is none, what `dfst trace` prints.

Keys: space pauses, → takes one step, + and - (or ↑ and ↓) change the speed, q stops watching and
finishes the run at full speed. Everything is drawn on standard error; standard output is the answer's.
"""

import os
import select
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from dfst.counted import counted
from dfst.viewer.payload import Subject
from dfst.world.grid import BLANK, Cell, Limits, first_cell
from dfst.world.run import Run
from dfst.world.unit import Action, ClosedLoop

ARROWS = "↑↓←→■·"
LEVELS = " ▁▂▃▄▅▆▇█"
FRAMES = 24  # pictures a second
MOST_ROWS = 24
BESIDE = 7
"""Lines of a picture besides the cells: the frame, the unit, the words, the keys, and one for the cursor."""
TRAIL = 24
MOST_LINES = 2_000  # steps that are told where there is no terminal
USUAL_SPEED, SECONDS = 8, 10  # steps a second; how long a run on a board lasts instead
SLOWEST, FASTEST = 1, 1 << 20
HELP = "space pause   → step   + - speed   q finish"
YELLOW = "#ffd45e"
HEAD, CRUMB, FRAME = f"bold black on {YELLOW}", "#b09c5c", "#c9a36f"
BOARD = "bold white on #33403d"
"""A background of its own: chalk cannot be read on a light terminal."""
WALL, STONE, CHANGED = "#", "#77857d on #77857d", "bold black on #8fd9a8"
SHADES = tuple(f"bold white on #{51 + 14 * k:02x}{64 + 10 * k:02x}{61 - 2 * k:02x}" for k in range(6))
"""The more often a cell of a board was visited, the lighter."""
PAINTS = ("grey93", "orange1", "sky_blue1", "light_coral", "pale_green1", "plum2")


class WatchedLoop(ClosedLoop):
    """A run that is drawn between its steps: it remembers its last action, and how far it has been."""

    def __init__(self, subject: Subject, text: str = "", limits: Limits = Limits()) -> None:
        super().__init__(subject, text, limits)
        self.subject = subject
        symbols, start = subject.encode(text)
        (left, top), shape = first_cell(symbols, start), np.atleast_2d(symbols).shape
        self.box = (left, top + 1 - shape[0], max(0, left + shape[1] - 1), top)
        """left, bottom, right, top of the cells laid or visited; it only grows, so its view does not jump"""
        self.last: Action | None = None
        self.first = dict(self.grid.nonblank())
        self.visits = Counter({self.cell: 1})

    def act(self, action: Action) -> None:
        super().act(action)
        self.last = action
        self.visits[self.cell] += 1
        (x, y), (left, bottom, right, top) = self.cell, self.box
        self.box = (min(left, x), min(bottom, y), max(right, x), max(top, y))


def watch(
    subject: Subject,
    text: str = "",
    limits: Limits = Limits(),
    speed: float | None = None,
    console: Console | None = None,
) -> Run:
    """Show a run as it happens, then give its outcome. `speed` is in steps a second."""
    console = console or Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        run = subject.run(text, limits)
        lines = subject.trace(text, replace(limits, steps=min(MOST_LINES, run.steps))).lines()
        lines += [f"… the rest is not shown; this was {MOST_LINES:,} steps"] if run.steps > MOST_LINES else []
        console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
        return run
    if speed is None:
        plane = subject.task is not None and subject.task.plane
        speed = subject.run(text, limits).steps / SECONDS if plane else USUAL_SPEED
    loop = WatchedLoop(subject, text, limits)
    return loop.outcome() if _watch_live(loop, speed, console) else subject.run(text, limits)


def _watch_live(loop: WatchedLoop, speed: float, console: Console) -> bool:
    """Draw until the run is over (True) or the watcher has seen enough (False)."""
    speed = min(max(speed, SLOWEST), FASTEST)
    trail: list[Cell] = []
    paused, credit, last = False, 0.0, time.perf_counter()
    with keys() as pressed, Live(console=console, auto_refresh=False, transient=False) as live:
        while not loop.over:
            live.update(picture(loop, trail, console.size, speed, paused), refresh=True)
            key = pressed(1 / FRAMES)
            now = time.perf_counter()
            credit += 0.0 if paused else min(0.25, now - last) * speed
            last = now
            if key == "q":
                return False
            if key == " ":
                paused = not paused
            elif key == "right":
                paused, credit = True, 1.0
            elif key in ("+", "=", "up"):
                speed = min(2 * speed, FASTEST)
            elif key in ("-", "down"):
                speed = max(speed / 2, SLOWEST)
            deadline = now + 2 / FRAMES
            while credit >= 1 and not loop.over and time.perf_counter() < deadline:
                trail.append(loop.cell)
                loop.advance()
                credit -= 1
            del trail[:-TRAIL]
            credit = min(credit, 1.0) if credit >= 1 else credit
        live.update(picture(loop, trail, console.size, speed, paused), refresh=True)
    return True


def picture(loop: WatchedLoop, trail: list[Cell], size: tuple[int, int], speed: float, paused: bool) -> Group:
    """Board, control unit, a line of words and the keys; all of it in a terminal of this size."""
    width, height = size
    board = Panel(
        board_text(loop, trail, width - 4, height - BESIDE),
        title=loop.subject.name,
        title_align="left",
        style=BOARD,
        border_style=FRAME,
    )
    controls = f"{'paused' if paused else f'{speed:,.0f} steps/s'}   {HELP}"
    return Group(board, _unit(loop, width), Text(_words(loop), style="bold"), Text(controls, style="dim"))


def board_text(loop: WatchedLoop, trail: list[Cell], columns: int, rows: int = MOST_ROWS) -> Text:
    """The cells around the head or, where they fit, all of them; each is two characters wide."""
    cells = dict(loop.grid.nonblank())
    left, right, bottom, top = _window(loop, max(4, columns // 2), min(MOST_ROWS, max(1, rows)))
    text, alphabet = Text(no_wrap=True), loop.subject.alphabet
    crumbs = set(trail)
    plane = loop.subject.task is not None and loop.subject.task.plane
    most = max(loop.visits.values())
    painted = loop.subject.task is None and len(alphabet) <= len(PAINTS) + 1
    for y in range(top, bottom - 1, -1):
        for x in range(left, right + 1):
            symbol = cells.get((x, y))
            shown = " " if symbol is None else alphabet[symbol][:1]
            if (x, y) == loop.cell:
                text.append(f"{shown} ", style=HEAD)
            elif symbol is not None and painted:
                text.append("  ", style=f"on {PAINTS[(symbol - (symbol > loop.grid.blank)) % len(PAINTS)]}")
            elif plane and (loop.visits[x, y] or symbol is not None):
                text.append("██" if shown == WALL else f"{shown} ", style=_shade(loop, (x, y), symbol, most))
            elif symbol is None and (x, y) in crumbs:
                text.append("· ", style=CRUMB)
            else:
                text.append(f"{shown} ")
        text.append("\n")
    text.right_crop(1)
    return text


def _shade(loop: WatchedLoop, cell: Cell, symbol: int | None, most: int) -> str:
    """How a cell of a board looks: a wall; at the end, what has changed; else by how often it was visited."""
    if symbol is not None and loop.subject.alphabet[symbol] == WALL:
        return STONE
    if loop.halted and symbol != loop.first.get(cell):
        return CHANGED
    return SHADES[int((len(SHADES) - 1) * np.log1p(loop.visits[cell]) / np.log1p(max(most, 6)))]


def _window(loop: WatchedLoop, columns: int, rows: int) -> tuple[int, int, int, int]:
    """left, right, bottom, top: all that was visited where it fits, else what is around the head."""
    (left, bottom, right, top), head = loop.box, loop.cell
    left, right, bottom, top = left - 1, right + 1, bottom - 1, top + 1
    if right - left + 1 > columns:
        left = head[0] - columns // 2
        right = left + columns - 1
    if top - bottom + 1 > rows:
        bottom = head[1] - rows // 2
        top = bottom + rows - 1
    return left, right, bottom, top


def _unit(loop: WatchedLoop, width: int) -> Table:
    """A machine's state, or a model's hidden state as bars with its margins."""
    table = Table.grid(padding=(0, 2))
    if loop.unit.hidden is None:
        table.add_row(Text("state", style="dim"), Text(f" {loop.unit.state or ''} ", style=HEAD))
        return table
    table.add_row(Text("h", style="dim"), hidden_bars(loop, width - 12))
    if loop.unit.leads is not None:
        symbol, motion = loop.unit.leads
        table.add_row(Text("margins", style="dim"), Text(f"symbol {symbol:.3f}   motion {motion:.3f}"))
    return table


def hidden_bars(loop: WatchedLoop, width: int) -> Text:
    """One character a number: its height the magnitude, its colour the sign."""
    hidden = loop.unit.hidden
    assert hidden is not None
    bars = Text(no_wrap=True)
    largest = float(np.abs(hidden).max()) or 1.0
    for value in hidden[: max(1, width)]:
        level = round(abs(float(value)) / largest * (len(LEVELS) - 1))
        bars.append(LEVELS[level], style="green3" if value >= 0 else "dark_orange3")
    return bars


def _words(loop: WatchedLoop) -> str:
    last, alphabet, blank = loop.last, loop.subject.alphabet, loop.subject.blank
    if last is None:
        return "ready"
    if loop.halted or loop.stuck:
        return f"{loop.outcome().ending}, after {counted(loop.steps, 'step')}"
    if loop.over:
        return f"out of steps after {loop.steps:,}"

    def name(symbol: int) -> str:
        return "blank" if symbol == blank and alphabet[symbol] == BLANK else alphabet[symbol]

    wrote = "kept it" if last.read == last.written else f"wrote {name(last.written)}"
    return f"step {loop.steps:,}: read {name(last.read)}, {wrote}, {ARROWS[last.motion]}"


@contextmanager
def keys() -> Iterator[Callable[[float], str]]:
    """Single keys from a terminal, without Enter: a function that waits at most so many seconds for one, and
    gives "" if none came."""
    with ExitStack() as after:
        handles = []
        with suppress(ImportError, OSError, ValueError):
            import termios
            import tty

            if sys.stdin.isatty():
                handle = sys.stdin.fileno()
                after.callback(termios.tcsetattr, handle, termios.TCSADRAIN, termios.tcgetattr(handle))
                tty.setcbreak(handle)
                handles = [handle]

        def pressed(seconds: float) -> str:
            if not select.select(handles, [], [], max(0.0, seconds))[0]:
                return ""
            text = os.read(handles[0], 8).decode("utf-8", "replace")
            arrows = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left"}
            return arrows.get(text, text[:1])

        yield pressed
