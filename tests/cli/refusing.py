"""How `dfst` refuses: a line with what was expected, found and to do; exit status 2; nothing written."""

from __future__ import annotations

from pathlib import Path


def everything_in(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder, but for the note of who holds a lock."""
    found = {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else None for f in folder.rglob("*")}
    return {name: content for name, content in found.items() if not name.endswith(".lock")}


def refuses(dfst, place: Path, words: str, line: str) -> None:
    before = everything_in(place)
    done = dfst(*words.split())
    assert (done.err, done.out, done.status) == (f"dfst: {line}\n", "", 2)
    assert everything_in(place) == before
