"""Run folders on machines that share no disk: what changed is sent home as it changes.

Every file of a run folder is replaced whole or only appended to, so any moment's copy of it can be gone on
from: a checkpoint is whole, and lines that are newer than it are dropped by whoever goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from dfst.files import write_atomically

Files = dict[str, bytes]
"""Path inside the folder, with slashes → content."""
SEND_SECONDS = 5.0


class ChangedFiles:
    """Which files of a folder changed since they were last taken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, tuple[int, int]] = {}

    def take(self) -> Files:
        files: Files = {}
        for path in sorted(self._folder.rglob("*")):
            name = path.relative_to(self._folder).as_posix()
            if path.name == ".lock" or path.suffix == ".partial" or path.is_symlink():
                continue
            try:
                if not path.is_file():
                    continue
                status = path.stat()
                stamp = status.st_mtime_ns, status.st_size
                if self._seen.get(name) != stamp:
                    files[name] = path.read_bytes()
                    self._seen[name] = stamp
            except FileNotFoundError:
                continue
        return files


def unpack(files: Files, folder: Path) -> None:
    """Put files where they belong."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, content)


class FolderSender:
    """Sends what changed in a folder every few seconds, beside the training."""

    def __init__(self, folder: Path, send: Callable[[Files], None], known: Files) -> None:
        self._changed, self._send = ChangedFiles(folder), send
        unpack(known, folder)
        self._changed.take()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def _repeat(self) -> None:
        while not self._over.wait(SEND_SECONDS):
            self.send()

    def send(self) -> None:
        files = self._changed.take()
        if files:
            self._send(files)

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
