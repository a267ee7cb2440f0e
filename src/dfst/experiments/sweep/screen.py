"""What people see of a sweep: where each running trial is, how each ended, and one table of all.

Without a terminal, a plain line for whatever begins again or ends, and how far the rest is now and then.
RLG, exact and seconds of every learner come from `comparison.measure`, so that a column means one thing.
"""

import time
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from statistics import median

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from dfst.counted import counted
from dfst.experiments.lines import Line
from dfst.experiments.sweep.pool import Advanced, Died
from dfst.proof.verdict import SETTLED

BAR_WIDTH = 24
MOST_SHOWN = 16  # running trials on the screen; the others are counted
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
        columns = TextColumn("{task.description}", markup=False), BarColumn(BAR_WIDTH)
        self._bars = Progress(*columns, TextColumn("{task.fields[now]}", markup=False), console=console)
        self._all = self._bars.add_task("all trials", now="")
        self._running: dict[str, TaskID] = {}
        self._total = self._over = self._failed = 0
        self._began = self._said = time.monotonic()

    def begin(self, total: int, done: int) -> None:
        """So many trials there are, so many of them were over before."""
        self._total, self._over = total, done
        before = f", {done} of them over before" if done else ""
        self.say(f"{counted(total, 'trial')}{before}")
        if self.console.is_terminal and done < total:
            self._bars.start()

    def started(self, name: str) -> None:
        shown = len(self._running) < MOST_SHOWN
        self._running[name] = self._bars.add_task(name, total=None, now="starting or queued", visible=shown)
        self.idle()

    def advanced(self, event: Advanced) -> None:
        if event.name in self._running:
            loss = "" if event.loss is None else f"  loss {event.loss:.1e}"
            now = event.stage or f"step {event.iteration:,}{loss}"
            far = {"total": max(event.iterations, 1), "completed": event.iteration}
            self._bars.update(self._running[event.name], now=now, **far)  # type: ignore[arg-type]
        self.idle()

    def retried(self, event: Died, left: int) -> None:
        self._end(event.name)
        times = counted(left, "time")
        self.say(f"{event.name}: {event.reason}; it goes on from its last checkpoint, at most {times} more")

    def finished(self, line: Line) -> None:
        self._end(line["trial"])
        self._over += 1
        self._failed += line["status"] == "failed"
        self.idle()
        self.say(f"[{self._over}/{self._total}] {sentence(line)}")

    def _end(self, name: str) -> None:
        if name in self._running:
            self._bars.remove_task(self._running.pop(name))
        for bar in list(self._running.values())[:MOST_SHOWN]:
            self._bars.update(bar, visible=True)

    def idle(self) -> None:
        """Show how far all of it is; without a terminal, now and then."""
        elapsed = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - self._began))
        failed = f", {self._failed} failed" if self._failed else ""
        far = f"{self._over} of {self._total} over{failed}, {len(self._running)} running, {elapsed}"
        self._bars.update(self._all, total=self._total, completed=self._over, now=far)
        if not self._bars.live.is_started and time.monotonic() - self._said > PLAIN_SECONDS:
            shown = [f"{bar.description} {bar.fields['now']}" for bar in self._bars.tasks[1:5]]
            self.say(f"{far}: {', '.join(shown)}")

    def close(self) -> None:
        if self._bars.live.is_started:
            self._bars.stop()

    def say(self, text: str) -> None:
        self.console.print(Text(f"· {text}"), soft_wrap=True)
        self._said = time.monotonic()


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
