"""The pages of the site that are not in docs/: called by MkDocs when it builds the site (mkdocs.yml, hooks).

The home is the lesson, and the workbench is the page of `dfst play` with everything in it and no server
behind it: neither is a page of MkDocs. The README is the one home of what it says, so the page About is cut
out of it. The live pages are replays, as `dfst run --html` writes them: the browser runs the very model or
machine. The reference comes from the code (tools/site_reference.py).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from dfst.experts.registry import expert
from dfst.machines.agent import Agent
from dfst.subjects import catalogue, input_for, resolve
from dfst.viewer.offered import LABELS
from dfst.viewer.replay import replay_html

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path
from site_home import home_html, lesson_html
from site_pictures import picture
from site_reference import reference

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "src" / "dfst" / "weights"
PLAY = "play.html"
"""The page of `dfst play`, which the site calls the workbench."""
FIRST = ("add10", "mult10", "expert:maze", "bb5", "langton", "sort")
"""What the gallery begins with."""
INPUTS = {"add10": "999+1", "mult2": "101*11", "mult10": "12*34"}
"""Where the example of the task is not the one worth watching."""


def on_files(files: Files, config: Any) -> Files:
    """Add what is made here to what lies in docs/."""
    parts = readme_parts()
    pages = {
        "index.html": lesson_html(PLAY, "about.html", config["site_url"] or ""),
        "about.md": about(parts[""]),
        "watch.md": watch(),
        **reference(),
        PLAY: home_html(PLAY),
        **{f"proofs/{path.name}": path.read_text("utf-8") for path in WEIGHTS.glob("*.proof.json")},
        **live_pages(),
    }
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Files outside docs/ are not on the site: links to them lead to the source, where that is known."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    source = config["repo_url"]
    to = rf"[\1]({source}/blob/main/\2)" if source else r"\1"
    return re.sub(rf"\[([^\]]+)\]\({re.escape(up)}([^)]*)\)", to, markdown)


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
    """The introduction of the README, its picture a link to the workbench."""
    # The heading says what the first sentence does.
    _, _, explained = introduction.strip().split("\n\n", 2)
    return page(
        "Learn an algorithm exactly, and prove it",
        f"[![A learnt adder at work beside its expert](images/side-by-side.png)]({PLAY})",
        "",
        f"The [workbench]({PLAY}) has every model, expert and published machine, takes files of yours, and "
        "learns what you teach it by hand. It is one file that runs in this browser: nothing is sent "
        "anywhere, and it works offline once it is saved.",
        "",
        explained,
        "",
        "[Tutorial](tutorial.md) · [Your own algorithm](how-to/machine.md) · "
        "[Results](results/arithmetic.md) · "
        "[What is proved](concepts/proof.md) · [Single replays](watch.md)",
    )


def live_pages() -> dict[str, str]:
    """Replay and picture of everything there is, by path; a model of a task works beside its expert."""
    pages = {}
    for row in catalogue():
        subject = str(row["subject"])
        unit = resolve(subject)
        text, against = input_for(unit, None) if unit.task is None else unit.task.example, None
        if unit.task is not None:
            text = INPUTS.get(subject, text)
            against = None if isinstance(unit, Agent) else expert(unit.task.name)
        pages[f"live/{file_name(subject)}"] = replay_html(unit, text, against)
        pages[f"live/{file_name(subject, 'svg')}"] = picture(unit, text)
    return pages


def watch() -> str:
    """A card with a picture for each of the live pages: some to begin with, then all of them by kind."""
    rows = {str(row["subject"]): row for row in catalogue()}
    lines = ["", *cards([rows[name] for name in FIRST])]
    for kind, found in groupby(rows.values(), lambda row: row["kind"]):
        lines += ["", f"## {LABELS.get(str(kind), str(kind).capitalize())}", "", *cards(list(found))]
    return page(
        "Watch",
        "Each of these is one file that runs in the browser: save it, and it works offline. The "
        f"[workbench]({PLAY}) has all of them on one page, and takes files of yours.",
        *lines,
    )


def cards(rows: list[Mapping[str, object]]) -> list[str]:
    """As HTML, with the picture of each."""
    made = []
    for row in rows:
        name = str(row["subject"])
        image = f'<img src="live/{file_name(name, "svg")}" alt="" loading="lazy" width="240" height="120">'
        says = escape(str(row["does"] or row["known"]))
        made.append(f'<li><a href="live/{file_name(name)}">{image}{name}</a> {says}</li>')
    return ['<ul class="dfst-cards">', *made, "</ul>"]


def file_name(subject: str, kind: str = "html") -> str:
    return f"{subject.replace(':', '-')}.{kind}"
