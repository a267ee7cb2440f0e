"""Files that survive a crash: written beside their place, synced, then renamed into it, by one process at a
time.

Only a plain file is ever replaced, and it keeps its mode: a device, a pipe or a link that stands at the path
is there for a reason. What a killed process leaves half written is removed by the next one that writes there.
"""

import contextlib
import fcntl
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from dfst.errors import InputError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}

KEPT = "nothing was written there, and what was there before still is"
LOCK = ".lock"  # its content is the process that holds, or last held, the folder
LOOK_SECONDS = 0.1


def write_atomically(path: str | Path, content: bytes | str, older: Path | None = None) -> None:
    """Replace `path` by `content`: a reader, or a crash, sees the old file or the new one, never a part.
    older: where the old file is kept; one of the two is always there"""
    path = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name[:32]}.{os.getpid()}.{secrets.token_hex(4)}.partial")
    replaced = False
    try:
        mode = mode_of(path)
        remove_partial(path.parent, path.name)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if older is not None and mode is not None:
            _keep(path, older)
        os.replace(temporary, path)
        replaced = True
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)  # makes the renaming last
        finally:
            os.close(handle)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # the file people know, not the one beside it
            if not replaced:
                error.add_note(KEPT)
        raise


def _keep(path: Path, older: Path) -> None:
    """Give the file a second name; where a file can have but one, `path` is missing for a moment."""
    older.unlink(missing_ok=True)
    try:
        os.link(path, older)
    except OSError:
        os.replace(path, older)


def remove_partial(folder: Path, name: str = "") -> None:
    """Remove what killed processes left of a file, or of any in the folder."""
    for left in folder.glob(f".{escape(name[:32]) or '*'}.*.partial"):
        process = left.name.split(".")[-3]
        if process.isdecimal():
            try:
                os.kill(int(process), 0)
            except (ProcessLookupError, OverflowError):
                with contextlib.suppress(OSError):
                    left.unlink()
            except PermissionError:  # somebody else's, and alive
                pass


def write_json(path: str | Path, value: object) -> None:
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def mode_of(path: Path) -> int | None:
    """The permissions of the file that stands there, None where there is none; refuses what is no file."""
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        kind = KINDS.get(stat.S_IFMT(found), "no plain file")
        raise InputError(f"cannot write {path}: expected a plain file, found {kind}; give another path")
    return stat.S_IMODE(found)


@contextlib.contextmanager
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
