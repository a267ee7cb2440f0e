"""The pages of the site that are not in docs/: called by MkDocs when it builds the site (mkdocs.yml, hooks).

The README is the one home of what it says, so the home page, the quickstart and the results are cut out of
it. The home holds the page of `dfst play` in a frame, with everything in it and no server behind it. The live
pages are replays, as `dfst run --html` writes them: the browser runs the very model or machine. The reference
is one line for each public name; its words are docstrings.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import dfst
from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.catalogue import catalogue
from dfst.subjects import input_for, resolve
from dfst.viewer.home import home_html
from dfst.viewer.offered import LABELS
from dfst.viewer.replay import replay_html

ROOT = Path(__file__).parents[1]
PLAY = "play.html"
"""The page of `dfst play`, by itself."""
INPUTS = {"add10": "999+1", "mult2": "101*11", "mult10": "12*34"}
"""Where the example of the task is not the one worth watching."""


def on_files(files: Files, config: Any) -> Files:
    """Add what is made here to what lies in docs/."""
    parts = readme_parts()
    live = live_pages()
    pages = {
        "index.md": home(parts[""]),
        "quickstart.md": page("Quickstart", parts["Two commands"], parts["Try it"]),
        "results.md": page("Results", parts["Results"]),
        "watch.md": watch(),
        "reference.md": reference(),
        PLAY: home_html(PLAY),
        **{f"live/{file_name(subject)}": html for subject, html in live.items()},
    }
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Files outside docs/ are not on the site: they keep their names and lose their links."""
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)


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


def home(introduction: str) -> str:
    """The introduction, and the page to watch in where the README has a picture."""
    _, _, explained = introduction.strip().partition("\n\n")  # the heading says what the first sentence does
    words = re.sub(r"^!\[.*\n", PLAYGROUND, explained, flags=re.MULTILINE)
    # The table of contents would be empty; the page needs the room.
    return "---\nhide: [navigation, toc]\n---\n" + page(
        "Learn an algorithm exactly, and prove it",
        words,
        "[Quickstart](quickstart.md) · [Your own algorithm](your-own.md) · [Results](results.md) · "
        "[What is proved](proof.md) · [Single replays](watch.md)",
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
    """A list of the live pages, by kind."""
    lines = []
    for kind, rows in groupby(catalogue(), lambda row: row["kind"]):
        lines += ["", f"## {LABELS.get(str(kind), str(kind).capitalize())}", ""]
        for row in rows:
            subject = str(row["subject"])
            lines.append(f"- [{subject}](live/{file_name(subject)}): {row['does'] or row['known']}")
    return page(
        "Watch",
        "Each of these is one file that runs in the browser: save it, and it works offline. The "
        "[home](index.md) has all of them on one page, and takes files of yours.",
        *lines,
    )


def reference() -> str:
    """Every public name."""
    return page("Reference", *(f"::: dfst.{name}" for name in dfst.__all__))


def file_name(subject: str) -> str:
    return subject.replace(":", "-") + ".html"
