"""Every file of a run with a byte flipped, cut off, emptied or replaced: right, or one clear line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from ground import KILOBYTES, SECONDS, Ground, Try, command

FLIPS, CUTS = 12, 3


def _changes(size: int) -> Iterator[tuple[str, Callable[[Path], object]]]:
    rng = np.random.default_rng(size)
    for place in sorted(rng.integers(0, size, FLIPS).tolist()):
        bit = 1 << int(rng.integers(8))

        def flip(file: Path, place: int = place, bit: int = bit) -> None:
            data = bytearray(file.read_bytes())
            data[place] ^= bit
            file.write_bytes(data)

        yield f"bit {bit} of byte {place} flipped", flip
    for length in sorted({0, 1, *rng.integers(0, size, CUTS).tolist()}):
        yield f"cut off after {length} bytes", lambda file, length=length: os.truncate(file, length)
    yield "all zeros", lambda file: file.write_bytes(bytes(size))
    yield "missing", lambda file: file.unlink()

    def pipe(file: Path) -> None:
        file.unlink()
        os.mkfifo(file)

    yield "a pipe", pipe


def damages(ground: Ground) -> Iterator[Try]:
    for file in sorted(ground.unbroken.iterdir()):
        if file.suffix == ".html" or file.name.startswith("."):
            continue  # nothing reads them
        for what, change in _changes(file.stat().st_size):

            def attempt(name: str = file.name, change: Callable[[Path], object] = change) -> str:
                folder = ground.copy()
                change(folder / name)
                ran = command("run", folder, "1+1")
                if not ran.told and ran.out != ground.ran:
                    return f"run: {ran}"
                drawn = command("plot", folder, "-o", ground.place / "drawn.svg")
                if drawn.status and not drawn.told:
                    return f"plot: {drawn}"
                if drawn.seconds > 4 * SECONDS or drawn.kilobytes > KILOBYTES:
                    return f"plot took too much: {drawn}"
                return ground.went_on(folder)

            yield f"{file.name}, {what}", attempt
