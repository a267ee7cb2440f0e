"""A run as one HTML file: works from disk, offline, and asks nothing of anybody.

The file holds the control unit and the viewer, not a recording: the browser runs the machine or model
again, so a replay of a million steps is as small as one of ten, and other inputs can be tried in it.
"""

import html
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from dfst.files import write_atomically
from dfst.model.weights import Weights
from dfst.viewer.bundle import asset, page_parts
from dfst.viewer.payload import Subject, describe, one_line, pack

HOLE = "\0"
LARGEST_MODEL = 600_000  # bytes of parameters that a page holds as they are


def replay_html(subject: Subject, text: str = "", against: Subject | None = None, steps: int = 0) -> str:
    """The document. `against` is shown below the subject, step by step, with the first difference marked.
    steps: how long the run is known to be, where that is more than a viewer would go on by itself"""
    heading = _short(f"{subject.name} {text}".strip())
    data = pack(replay_data(subject, text, against, steps))
    return _document(html.escape(f"{heading} · dfst"), html.escape(heading), data)


def replay_data(subject: Subject, text: str, against: Subject | None, steps: int = 0) -> dict[str, Any]:
    """What a page needs to run it again."""
    subject.encode(text)
    if against is not None:
        against.encode(text)
    described = describe(_light(subject))
    return {
        "subject": described | {"limit": max(described["limit"], steps)},
        "against": None if against is None else describe(_light(against)),
        "input": one_line(text, subject.alphabet),
    }


def replay_pieces() -> list[str]:
    """The document but for its title, its heading and its data, which go between the pieces. For a page that
    makes replays by itself (web/replay_page.js)."""
    return _document(HOLE, HOLE, HOLE).split(HOLE)


def _document(title: str, heading: str, data: str) -> str:
    return Template(asset("replay.html")).substitute(
        title=title, heading=heading, parts=page_parts("replay", "style.css"), data=data
    )


def write_html(
    subject: Subject, text: str, path: str | Path, against: Subject | None = None, steps: int = 0
) -> None:
    """Write a replay, all or nothing."""
    write_atomically(path, replay_html(subject, text, against, steps))


def notebook_html(subject: Subject, text: str = "", height: int = 520, steps: int = 0) -> str:
    """A replay in a frame of its own, for `_repr_html_`: works in notebooks without any extension."""
    page = html.escape(replay_html(subject, text, steps=steps), quote=True)
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="{html.escape(_short(text))}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def _light(subject: Subject) -> Subject:
    """A large model in float32, so that a page of it stays under a megabyte; the page says which it is."""
    if isinstance(subject, Weights) and subject.flat().nbytes > LARGEST_MODEL:
        return subject.astype(np.float32)
    return subject


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
