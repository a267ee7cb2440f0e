"""Make the pictures of this folder: python docs/images/make.py (needs Chromium, playwright-core, Pillow).

Each comes from a self-contained replay, or from the page of `dfst play`, in headless Chromium, so that they
show what people get.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from dfst.experts import expert
from dfst.machines.formats.published import published
from dfst.subjects import shipped
from dfst.viewer.replay import write_html

HERE = Path(__file__).parent
SHOTS = HERE.parents[1] / "tests" / "viewer" / "shots.mjs"
SIZE = {"width": 1120, "height": 620}
TALLER = {"width": 1120, "height": 700}
"""Shows all twelve symbols of add10."""
LESSON = {
    "examples": [["1011", "RRRRL0L0L1H"], ["111", "RRRL0L0L0L1H"], ["0", "RL1H"]],
    "half": ["10011", "RRRRRL0L"],
    "asked": "1110111011111",
}
"""Inputs, and the keys that work them: arrows, digits and H for the halt."""
COLOURS = 128
BRIGHT = ("#ffd45e", "#ffe9a8", "#e0a100", "#f3f1e7", "#1f6f5c", "#6fd3b8", "#9c7a52", "#7d6d48")


def shots(
    page: Path, steps: list[int], scheme: str = "light", size: dict[str, int] = SIZE
) -> list[Image.Image]:
    """One picture a step."""
    with tempfile.TemporaryDirectory() as folder:
        question = {"page": page.as_uri(), "steps": steps, "scheme": scheme, "size": size, "folder": folder}
        subprocess.run(["node", str(SHOTS)], input=json.dumps(question), text=True, check=True)
        return [
            Image.open(io.BytesIO(Path(folder, f"{step}.png").read_bytes())).convert("RGB") for step in steps
        ]


def teaching(size: dict[str, int]) -> Image.Image:
    """Binary increment taught in three examples and learnt, with a fourth half worked."""
    command = [sys.executable, "-c", "from dfst.cli import main; main()", "play", "--no-browser"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        try:
            assert server.stderr is not None
            address = re.search(r"http://\S+", server.stderr.readline())
            assert address is not None
            question = {"page": address[0], **LESSON, "size": size, "to": str(Path(folder, "teach.png"))}
            subprocess.run(
                ["node", str(HERE / "teach.mjs")], input=json.dumps(question), text=True, check=True
            )
            return Image.open(io.BytesIO(Path(folder, "teach.png").read_bytes())).convert("RGB")
        finally:
            server.terminate()


def palette_of(picture: Image.Image) -> Image.Image:
    """A palette that keeps the few bright pixels bright: by count alone, the board would take every place."""
    width, height = picture.size
    swatch = width // len(BRIGHT)
    source = Image.new("RGB", (width, height + 8 * swatch // 10))
    source.paste(picture)
    for i, colour in enumerate(BRIGHT):
        source.paste(Image.new("RGB", (swatch, swatch), colour), (i * swatch, height))
    return source.quantize(COLOURS)


def save_png(picture: Image.Image, name: str) -> None:
    picture.quantize(palette=palette_of(picture), dither=Image.Dither.NONE).save(HERE / name, optimize=True)


def save_gif(pictures: list[Image.Image], name: str, width: int) -> None:
    height = round(pictures[0].height * width / pictures[0].width)
    small = [picture.resize((width, height), Image.Resampling.LANCZOS) for picture in pictures]
    palette = palette_of(small[len(small) // 2])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in small]
    pace = [700] + [170] * (len(frames) - 2) + [2600]
    frames[0].save(HERE / name, save_all=True, append_images=frames[1:], duration=pace, loop=0, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "replay.html")
        add = shipped("add10")
        write_html(add, "999+1", page)
        every_step = list(range(add.run("999+1").steps + 1))
        save_gif(shots(page, every_step, size=TALLER), "carry.gif", 860)
        write_html(add, "58+967", page, against=expert("add10"))
        save_png(shots(page, [46], size={"width": 1120, "height": 800})[0], "side-by-side.png")
        write_html(published("langton"), "", page)
        save_png(shots(page, [11_000], "dark")[0], "langton.png")
    save_png(teaching({"width": 1280, "height": 800}), "teach.png")


if __name__ == "__main__":
    main()
