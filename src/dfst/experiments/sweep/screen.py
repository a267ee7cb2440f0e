"""What people see of a sweep: where each running trial is, how each ended, and one table of all.

Without a terminal, a plain line for whatever begins again or ends, and how far the rest is now and then.
RLG, exact and seconds of every learner come from `comparison.measure`, so that a column means one thing.
"""

import json
import os
import time
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.live import Live
from rich.text import Text

from dfst.counted import counted, ranged
from dfst.experiments.lines import Line
from dfst.proof.verdict import SETTLED
from dfst.train.runfolder import RunFolder

MOST_SHOWN = 16  # running trials on the screen; the others are counted
TAIL = 4096  # bytes in which the last line of a log is sought
PLAIN_SECONDS = 30.0
NOTE = (
    "proved: the model, or the automaton that its hidden states merge into; "
    "RLG: largest length that is right, searched up to the digits beside it; "
    "time: until the model is finished; medians over seeds"
)


class Screen:
    """Shows the trials of a sweep on a console. Where they are is read in their folders."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._running: dict[str, Path] = {}
        self._total = self._over = self._failed = 0
        self._began = self._said = time.monotonic()
        self._live = Live(console=console, get_renderable=self._picture, transient=True)

    def begin(self, total: int, done: int) -> None:
        """So many trials there are, so many of them were over before."""
        self._total, self._over = total, done
        before = f", {done} of them over before" if done else ""
        self.say(f"{counted(total, 'trial')}{before}")
        if self.console.is_terminal and done < total:
            self._live.start()

    def started(self, name: str, folder: Path) -> None:
        self._running[name] = folder

    def retried(self, name: str, reason: str, left: int) -> None:
        del self._running[name]
        times = counted(left, "time")
        self.say(f"{name}: {reason}; it goes on from its last checkpoint, at most {times} more")

    def finished(self, line: Line) -> None:
        self._running.pop(line["trial"], None)
        self._over += 1
        self._failed += line["status"] == "failed"
        self.say(f"[{self._over}/{self._total}] {sentence(line)}")

    def idle(self) -> None:
        """Without a terminal, say now and then how far all of it is."""
        if not self._live.is_started and time.monotonic() - self._said > PLAIN_SECONDS:
            self.say(", ".join(self._lines(4)))

    def close(self) -> None:
        self._live.stop()

    def say(self, text: str) -> None:
        self.console.print(Text(f"· {text}"), soft_wrap=True)
        self._said = time.monotonic()

    def _picture(self) -> Text:
        return Text("\n".join(self._lines(MOST_SHOWN)))

    def _lines(self, most: int) -> list[str]:
        """How far all of it is, and where so many of the running trials are."""
        elapsed = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - self._began))
        failed = f", {self._failed} failed" if self._failed else ""
        far = f"{self._over} of {self._total} over{failed}, {len(self._running)} running, {elapsed}"
        shown = list(self._running.items())[:most]
        return [far, *(f"{name}: {newest_step(folder)}" for name, folder in shown)]


def newest_step(folder: Path) -> str:
    """How far a trial has logged its training."""
    try:
        with RunFolder(folder).metrics_file.open("rb") as file:
            file.seek(-min(TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
            record = json.loads(file.read().split(b"\n")[-2])
    except (OSError, ValueError, IndexError):
        return "starting or queued"
    [loss, *_] = record["loss"]
    return f"step {record['iteration']:,}" + ("" if loss is None else f", loss {loss:.1e}")


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
        "RLG": ranged(median(known["rlg"]), min(known["rlg"]), max(known["rlg"])) if known["rlg"] else "–",
        "loss": f"{median(known['loss']):.1e}" if known["loss"] else "–",
        "time": f"{median(known['seconds']):.1f} s" if known["seconds"] else "–",
    }
