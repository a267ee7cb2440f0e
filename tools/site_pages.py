"""The pages of the site that are not in docs/: called by MkDocs when it builds the site (mkdocs.yml, hooks).

The home is the lesson, a page of its own. The README is the one home of what it says, so the page About is
cut out of it; it holds the page of `dfst play` in a frame, with everything in it and no server behind it. The
live pages are replays, as `dfst run --html` writes them: the browser runs the very model or machine. The
reference comes from the code (tools/site_reference.py).
"""

from __future__ import annotations

import re
import sys
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from dfst.catalogue import catalogue
from dfst.experts.registry import expert
from dfst.machines.agent import Agent
from dfst.subjects import input_for, resolve
from dfst.viewer.home import home_html, lesson_html
from dfst.viewer.offered import LABELS
from dfst.viewer.replay import replay_html

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path
from site_reference import reference

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "src" / "dfst" / "weights"
PLAY = "play.html"
"""The page of `dfst play`, by itself."""
INPUTS = {"add10": "999+1", "mult2": "101*11", "mult10": "12*34"}
"""Where the example of the task is not the one worth watching."""


def on_files(files: Files, config: Any) -> Files:
    """Add what is made here to what lies in docs/."""
    parts = readme_parts()
    live = live_pages()
    pages = {
        "index.html": lesson_html(PLAY, "about.html"),
        "about.md": about(parts[""]),
        "watch.md": watch(),
        **reference(),
        PLAY: home_html(PLAY),
        **{f"proofs/{path.name}": path.read_text("utf-8") for path in WEIGHTS.glob("*.proof.json")},
        **{f"live/{file_name(subject)}": html for subject, html in live.items()},
    }
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Files outside docs/ are not on the site: they keep their names and lose their links."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\[([^\]]+)\]\({re.escape(up)}[^)]*\)", r"\1", markdown)


def readme_parts() -> dict[str, str]:
    """Its sections by title, what stands before the first under the empty one; links as seen from docs/."""
    text = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    text = re.sub(r"\[([^\]]+)\]\(CONTRIBUTING\.md\)", r"\1", text)
    first, *others = re.split(r"^## ", text, flags=re.MULTILINE)
    parts = {"": first.split("\n", 1)[1]}
    for part in others:
        title, _, body = part.partition("\n")
        parts[title] = body
    return parts


def page(title: str, *parts: str) -> str:
    """A title and what stands below it."""
    return "\n".join([f"# {title}", *parts])


def about(introduction: str) -> str:
    """The page to watch in where the README has a picture, then its introduction."""
    # The heading says what the first sentence does.
    _, _, explained = introduction.strip().split("\n\n", 2)
    # The table of contents would be empty; the page needs the room.
    return "---\nhide: [navigation, toc]\n---\n" + page(
        "Learn an algorithm exactly, and prove it",
        PLAYGROUND,
        explained,
        "",
        "[Tutorial](tutorial.md) · [Your own algorithm](how-to/machine.md) · "
        "[Results](results/arithmetic.md) · "
        "[What is proved](concepts/proof.md) · [Single replays](watch.md)",
    )


PLAYGROUND = f"""<iframe src="{PLAY}" title="dfst at work" class="dfst-live"
  allow="fullscreen; clipboard-write"></iframe>

A learnt adder works beside its expert. Choose another model, an expert or a published machine, type an input
of your own, or drop a machine file, weights or worked examples on it. Everything runs in this browser, and
nothing is sent anywhere. [Open it alone]({PLAY}): it is one file, and works offline once it is saved.
"""


def live_pages() -> dict[str, str]:
    """{subject: its replay} of everything there is; a model of a task works beside its expert."""
    pages = {}
    for row in catalogue():
        subject = str(row["subject"])
        unit = resolve(subject)
        if unit.task is None:
            pages[subject] = replay_html(unit, input_for(unit, None))
            continue
        against = None if isinstance(unit, Agent) else expert(unit.task.name)
        pages[subject] = replay_html(unit, INPUTS.get(subject, unit.task.example), against)
    return pages


def watch() -> str:
    """A card for each of the live pages, by kind."""
    lines = []
    for kind, rows in groupby(catalogue(), lambda row: row["kind"]):
        cards = [
            f'<li><a href="live/{file_name(str(row["subject"]))}">{row["subject"]}</a> '
            f"{escape(str(row['does'] or row['known']))}</li>"
            for row in rows
        ]
        heading = LABELS.get(str(kind), str(kind).capitalize())
        lines += ["", f"## {heading}", "", '<ul class="dfst-cards">', *cards, "</ul>"]
    return page(
        "Watch",
        "Each of these is one file that runs in the browser: save it, and it works offline. The "
        "[workbench](about.md) has all of them on one page, and takes files of yours. Begin with "
        "[add10](live/add10.html), which carries a one through three nines, "
        "[bb5](live/bb5.html), the longest run of any five-state machine that halts, or "
        "[langton](live/langton.html), an ant on the plane.",
        *lines,
    )


def file_name(subject: str) -> str:
    return subject.replace(":", "-") + ".html"
