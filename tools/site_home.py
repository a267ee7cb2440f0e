"""The page of `dfst play` as one HTML file that needs no server: the home of the site, also from a disk.

It holds every subject there is, packed, and asks nothing of anybody. What the local server answers is
answered in the browser (web/hosted.js): subjects by name, dropped files, replays to save. Worked examples
are learnt in a worker (web/learner_worker.js).
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from string import Template

from dfst.tasks.registry import find_task
from dfst.viewer.bundle import asset, bundle, page_parts
from dfst.viewer.offered import Offered, describe_offered
from dfst.viewer.payload import pack
from dfst.viewer.replay import replay_pieces
from dfst.viewer.server import page_html

SIX = Path(__file__).parents[1] / "examples" / "teaching-sets" / "mult2.txt"
"""The multiplications from which long multiplication was learnt: `python tools/fewest.py files …`."""
ALLOWED = "worker-src blob:; connect-src 'self'; "
"""The worker that learns, and proofs that lie beside the page."""
LARGEST = 500_000
"""Characters of a packed subject: mult10.descent, full matrices of d = 108, weighs more than all others."""


def home_html(home: str) -> str:
    """The page and all it needs; `home` is the name of the file that it will be found under."""
    held = json.dumps(everything(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    data = f'<script type="application/json" id="dfst-data">{held}</script>\n'
    return page_html(home, page_parts("home", "style.css", "teach.css", allowed=ALLOWED), data + _learner())


def lesson_html(workbench: str, documents: str, site: str = "") -> str:
    """The lesson: a person works examples, the page learns. The addresses are those it links to.

    `site`: where it will be found, where that is known; previews of links need it.
    """
    task = find_task("mult2")
    sums = [f"{text} = {task.solve(task.parse(text))}" for text in SIX.read_text("utf-8").split()]
    replay = f'<script type="text/plain" id="dfst-replay">{pack(replay_pieces())}</script>\n'
    return Template(asset("lesson.html")).substitute(
        workbench=workbench,
        documents=documents,
        site=site,
        sums="".join(f"<span>{escape(text)}</span>" for text in sums),
        parts=page_parts("lesson", "style.css", "lesson.css", allowed=ALLOWED),
        end=replay + _learner(),
    )


def _learner() -> str:
    """The worker that learns, as text."""
    script = bundle("learner_worker").replace("</script", "<\\/script")
    return f'<script type="text/plain" id="dfst-learner">{script}</script>\n'


def everything() -> dict[str, object]:
    """What the local server would answer: the list, each subject packed, and the pieces of a replay."""
    offered = Offered()
    groups = offered.groups()
    names = [name for group in groups for name in group["names"]]
    packed = {name: pack(describe_offered(name, offered.find(name))) for name in names}
    subjects = {name: text for name, text in packed.items() if len(text) <= LARGEST}
    light = [{**group, "names": [name for name in group["names"] if name in subjects]} for group in groups]
    return {"groups": light, "subjects": subjects, "replay": pack(replay_pieces())}
