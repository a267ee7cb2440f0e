"""What people see of a sweep: where each running trial is, how each ended, and one table of all.

Without a terminal, a plain line for whatever begins again or ends, and how far the rest is now and then.
RLG, exact and seconds of every learner come from `comparison.measure`, so that a column means one thing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from statistics import median

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dfst.experiments.lines import Line
from dfst.experiments.sweep.pool import Advanced, Died
from dfst.proof.verdict import SETTLED

BAR_WIDTH = 24
MOST_SHOWN = 16
"""Running trials on the screen; the rest is a number."""
PLAIN_SECONDS = 30.0
NOTE = (
    "proved: the model, or the automaton that its hidden states merge into; "
    "RLG: largest length that is right, searched up to the digits beside it; "
    "time: until the model is finished; medians over seeds"
)


class Screen:
    """Shows the trials of a sweep on a console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._running: dict[str, Advanced | None] = {}
        self._total = self._over = self._failed = 0
        self._began = self._said = time.monotonic()
        self._live: Live | None = None

    def begin(self, total: int, done: int) -> None:
        """So many trials there are, so many of them were over before."""
        self._total, self._over = total, done
        before = f", {done} of them over before" if done else ""
        self.say(f"{total} trial{'s' if total != 1 else ''}{before}")
        if self.console.is_terminal and done < total:
            self._live = Live(self.picture(), console=self.console, refresh_per_second=4)
            self._live.start()

    def started(self, name: str) -> None:
        self._running[name] = None
        self._draw()

    def advanced(self, event: Advanced) -> None:
        if event.name in self._running:
            self._running[event.name] = event
        self._draw()

    def retried(self, event: Died, left: int) -> None:
        self._running.pop(event.name, None)
        times = f"{left} time{'s' if left != 1 else ''}"
        self.say(f"{event.name}: {event.reason}; it goes on from its last checkpoint, at most {times} more")

    def finished(self, line: Line) -> None:
        self._running.pop(line["trial"], None)
        self._over += 1
        self._failed += line["status"] == "failed"
        self._draw()
        self.say(f"[{self._over}/{self._total}] {sentence(line)}")

    def idle(self) -> None:
        """Nothing happened for a while."""
        self._draw()

    def close(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        self.console.print(Text(f"· {text}"), soft_wrap=True)
        self._said = time.monotonic()

    def _draw(self) -> None:
        if self._live:
            self._live.update(self.picture())
        elif time.monotonic() - self._said > PLAIN_SECONDS:
            self.say(f"{self._headline()}: {', '.join(map(self._plain, list(self._running)[:4]))}")

    def _headline(self) -> str:
        elapsed = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - self._began))
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._over} of {self._total} over{failed}, {len(self._running)} running, {elapsed}"

    def _plain(self, name: str) -> str:
        event = self._running[name]
        return f"{name} {event.iteration:,}/{event.iterations:,}" if event and event.iterations else name

    def picture(self) -> Group:
        """All trials in one bar, and a bar for each that runs."""
        rows = Table.grid(padding=(0, 2))
        rows.add_row(Text("all trials"), ProgressBar(self._total, self._over, BAR_WIDTH), self._headline())
        for name, event in list(self._running.items())[:MOST_SHOWN]:
            if event is None:
                rows.add_row(Text(name), ProgressBar(1, 0, BAR_WIDTH, pulse=True), Text("starting or queued"))
                continue
            loss = "" if event.loss is None else f"loss {event.loss:.1e}"
            bar = ProgressBar(max(event.iterations, 1), event.iteration, BAR_WIDTH)
            step = f"step {event.iteration:,}  {loss}"
            rows.add_row(Text(name), bar, Text(event.stage or step, no_wrap=True, overflow="ellipsis"))
        hidden = len(self._running) - MOST_SHOWN
        return Group(rows, *([Text(f"and {hidden} more")] if hidden > 0 else []))


def sentence(line: Line) -> str:
    """One trial's end in one line."""
    if line["status"] == "failed":
        return f"{line['trial']}: failed: {line['error']}"
    verdict = line["strength"] if line["exact"] else "not exact"
    loss = "" if line["loss"] is None else f", loss {line['loss']:.1e}"
    rlg = "" if line["rlg"] is None else f", RLG {line['rlg']:,}"
    return f"{line['trial']}: {verdict}{rlg}{loss}, {line['seconds']:.1f} s"


def summarise(lines: Sequence[Line]) -> list[dict[str, str]]:
    """heading → cell, for each task, learner and recipe over its seeds; `failed` only where some did."""
    of_row = itemgetter("task", "learner", "recipe")
    rows = [_row(list(group)) for _, group in groupby(sorted(lines, key=of_row), of_row)]
    if all(row["failed"] == "0" for row in rows):
        for row in rows:
            del row["failed"]
    return rows


def _row(group: list[Line]) -> dict[str, str]:
    done = [line for line in group if line["status"] == "done"]
    known = {
        name: [line[name] for line in done if line[name] is not None]
        for name in ("longest", "rlg", "loss", "seconds")
    }
    return {
        "task": group[0]["task"],
        "learner": group[0]["learner"],
        "recipe": group[0]["recipe"] or "–",
        "exact": f"{sum(line['exact'] for line in done)} of {len(group)}",
        "proved": str(sum(not {line["strength"], line.get("merged")}.isdisjoint(SETTLED) for line in done)),
        "failed": str(len(group) - len(done)),
        "up to": f"{max(known['longest']):,}" if known["longest"] else "–",
        "RLG": _lengths(known["rlg"]) if known["rlg"] else "–",
        "loss": f"{median(known['loss']):.1e}" if known["loss"] else "–",
        "time": f"{median(known['seconds']):.1f} s" if known["seconds"] else "–",
    }


def _lengths(rlg: list[int]) -> str:
    """The median, and the range where there is one."""
    middle = f"{median(rlg):,.0f}"
    return middle if min(rlg) == max(rlg) else f"{middle} ({min(rlg):,}–{max(rlg):,})"
