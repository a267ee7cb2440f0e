"""Where faults are tried: commands in forked processes, an unbroken run, and what counts as held.

A process is forked from one that has learnt once, so that everything is compiled and loaded: a try takes as
long as the command itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dfst.cli import execute, main
from dfst.train.runfolder import RunFolder

SECONDS, KILOBYTES = 5.0, 1_000_000
"""What a refusal may take."""
PATIENCE = 120
MOST_SAID = 1 << 20
"""Bytes."""
LEARN = [
    "learn", "add2", "--preset", "paper", "--steps", "40", "--seeds", "2", "--digits", "1", "--device", "cpu",
]  # fmt: skip
SAME = (
    "checkpoint.safetensors", "traces.safetensors", "model.safetensors", "seed-0.safetensors",
    "seed-1.safetensors",
)  # fmt: skip
"""Files that must come out the same, to the bit, whatever happened on the way."""
TRIES: Counter[tuple[str, bool]] = Counter()
"""(kind of fault, whether it held) → how often"""


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    status: int
    """Negative: the signal that killed it"""
    out: str
    err: str
    seconds: float
    """Of the processor, so that a busy machine refuses as quickly"""
    kilobytes: int

    @property
    def told(self) -> bool:
        """Whether it was refused in one clear line."""
        last = self.err.splitlines()[-1:] or [""]
        return self.status in (1, 2) and last[0].startswith("dfst: ") and "Traceback" not in self.err

    def __str__(self) -> str:
        return f"status {self.status} after {self.seconds:.1f} s: {self.err.strip()[-300:]}"


@dataclass
class Begun:
    """A command under way."""

    process: int
    said: tuple[int, int]
    """The ends of the pipes for what it answers and what it says besides: a pipe has room on a full disk"""
    at: float = field(default_factory=time.monotonic)


def command(
    *words: object, before: Callable[[], object] = lambda: None, kill_after: float = PATIENCE
) -> Done:
    """`dfst …` in a process of its own. before: what is done in it first, to make trouble"""
    return finish(begin(*words, before=before), kill_after)


def begin(*words: object, before: Callable[[], object] = lambda: None) -> Begun:
    out, err = os.pipe(), os.pipe()
    for _, end in (out, err):
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, MOST_SAID)
    process = os.fork()
    if process == 0:
        status = 70
        try:
            for stream, (_, end) in ((1, out), (2, err)):
                os.dup2(end, stream)
            sys.stdin, sys.stdout, sys.stderr = open(os.devnull), open(1, "w"), open(2, "w")  # noqa: SIM115
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.default_int_handler)
            before()
            main([str(word) for word in words])
        except SystemExit as end:
            status = int(end.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
    for _, end in (out, err):
        os.close(end)
    return Begun(process, (out[0], err[0]))


def finish(begun: Begun, kill_after: float = PATIENCE) -> Done:
    """Wait for the end of a command, or end it."""
    until = begun.at + kill_after
    while True:
        process, state, used = os.wait4(begun.process, os.WNOHANG)
        if process:
            break
        if time.monotonic() > until:
            os.kill(begun.process, signal.SIGKILL)
            until += PATIENCE
        time.sleep(0.005)
    said = []
    for end in begun.said:
        os.set_blocking(end, False)  # a child of its own may live on and hold the other end
        with contextlib.suppress(BlockingIOError), open(end, "rb", buffering=0) as told:
            said.append((told.read(MOST_SAID) or b"").decode("utf-8", errors="replace"))
    seconds = used.ru_utime + used.ru_stime
    return Done(os.waitstatus_to_exitcode(state), said[0], said[1], seconds, used.ru_maxrss)


class Ground:
    """A folder to make trouble in, and the run that nothing happened to."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.unbroken = place / "unbroken"
        assert execute([*LEARN, "--out", str(self.unbroken)]) in (0, 1)
        assert execute(["plot", str(self.unbroken), "-o", str(place / "drawn.svg")]) == 0
        self.ran = command("run", self.unbroken, "1+1").out

    def folder(self) -> Path:
        return self.place / f"run-{time.monotonic_ns()}"

    def copy(self) -> Path:
        """The finished run once more."""
        folder = self.folder()
        shutil.copytree(self.unbroken, folder)
        return folder

    def went_on(self, folder: Path) -> str:
        """Go on with a run and look whether it ends as the unbroken one; what is wrong, or nothing."""
        words = ["learn", "--resume", folder] if RunFolder(folder).exists() else [*LEARN, "--out", folder]
        done = command(*words)
        if done.told:
            return ""
        if done.status not in (0, 1) or "Traceback" in done.err:
            return f"--resume: {done}"
        wrong = self.differs(folder)
        shutil.rmtree(folder)
        return wrong

    def differs(self, folder: Path) -> str:
        """In what a finished run is another than the unbroken one."""
        for name in SAME:
            if (folder / name).read_bytes() != (self.unbroken / name).read_bytes():
                return f"{name} is another"
        found, wanted = (
            {str((line["iteration"], line["loss"])) for line in RunFolder(each).read_metrics()}
            for each in (folder, self.unbroken)
        )
        if not found <= wanted:
            return "metrics.jsonl holds other losses"
        left = [file.name for file in folder.glob(".*.partial")]
        return f"{left[0]} was left behind" if left else ""


Try = tuple[str, Callable[[], str]]
"""What is tried, and what was wrong with how it ended; nothing where it held."""
Tries = Callable[[Ground], Iterator[Try]]


def busy() -> float:
    """How many times as long as on a quiet machine a process may wait for its turn."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def limit(what: int, amount: int) -> Callable[[], None]:
    """Take some resource away from a process."""
    return lambda: resource.setrlimit(what, (amount, amount))


def share(tries: Sequence[Try], count: int) -> Sequence[Try]:
    """A fixed few of them, evenly spaced."""
    return [tries[i * len(tries) // count] for i in range(min(count, len(tries)))]
