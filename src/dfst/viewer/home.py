"""The page of `dfst play` as one HTML file that needs no server: the home of the site, also from a disk.

It holds every subject there is, packed, and asks nothing of anybody. What the local server answers is
answered in the browser (web/hosted.js): subjects by name, dropped files, replays to save. Worked examples
are learnt in a worker (web/learner_worker.js).
"""

from __future__ import annotations

import json
from string import Template

from dfst.viewer.bundle import asset, bundle
from dfst.viewer.offered import Offered, describe_offered
from dfst.viewer.payload import pack
from dfst.viewer.replay import hash_source, replay_pieces

LARGEST = 500_000
"""Characters of a packed subject: mult10.descent, full matrices of d = 108, weighs more than all others."""


def page_html(home: str, parts: str, end: str = "") -> str:
    """The page with its scripts and styles (`parts`), and `end` below everything.

    `home`: its address as links are to have it, as seen from itself; none where it has no lasting one.
    """
    return Template(asset("play.html")).substitute(home=home, parts=parts, end=end)


def home_html(home: str) -> str:
    """The page and all it needs; `home` is the name of the file that it will be found under."""
    held = json.dumps(everything(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    data = f'<script type="application/json" id="dfst-data">{held}</script>\n'
    return page_html(home, _parts("home", "teach.css"), data + _learner())


def lesson_html(workbench: str, documents: str) -> str:
    """The lesson: a person works examples, the page learns. The addresses are those it links to."""
    replay = f'<script type="text/plain" id="dfst-replay">{pack(replay_pieces())}</script>\n'
    return Template(asset("lesson.html")).substitute(
        workbench=workbench,
        documents=documents,
        parts=_parts("lesson", "lesson.css"),
        end=replay + _learner(),
    )


def _parts(entry: str, sheet: str) -> str:
    """Script, styles, and a policy that allows these and nothing else."""
    style, script = asset("style.css") + asset(sheet), bundle(entry)
    policy = (
        f"default-src 'none'; script-src {hash_source(script)}; style-src {hash_source(style)}; "
        "worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<style>{style}</style>\n<script type="module">{script}</script>'
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
