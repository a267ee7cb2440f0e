"""One process at a time in a folder: a lock that the system frees when its holder dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dfst.errors import InputError
from dfst.files.atomic import remove_partial

LOCK = ".lock"  # its content is the process that holds, or last held, the folder
LOOK_SECONDS = 0.1


@contextmanager
def hold_folder(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold a folder, made where there is none; refuse if another process still does after some seconds."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"cannot write into {folder}: expected a folder, found a file; give another path")
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + patience
    with open(folder / LOCK, "a+", encoding="utf-8") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    lock.seek(0)
                    holder = lock.read().strip() or "unknown"
                    raise InputError(
                        f"{folder} is in use by another run (process {holder}); "
                        "wait for it or give another --out"
                    ) from None
            time.sleep(LOOK_SECONDS)
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        remove_partial(folder)
        yield
