"""The page of `dfst play` as one HTML file that needs no server: the home of the site, also from a disk.

It holds every subject there is, packed, and asks nothing of anybody. What the local server answers is
answered in the browser (web/hosted.js): subjects by name, dropped files, replays to save. Learning alone
needs Python.
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
    style, script = asset("style.css") + asset("teach.css"), bundle("home")
    policy = (
        f"default-src 'none'; script-src {hash_source(script)}; style-src {hash_source(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<style>{style}</style>\n<script type="module">{script}</script>'
    )
    held = json.dumps(everything(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return page_html(home, parts, f'<script type="application/json" id="dfst-data">{held}</script>\n')


def everything() -> dict[str, object]:
    """What the local server would answer: the list, each subject packed, and the pieces of a replay."""
    offered = Offered()
    groups = offered.groups()
    names = [name for group in groups for name in group["names"]]
    packed = {name: pack(describe_offered(name, offered.find(name))) for name in names}
    subjects = {name: text for name, text in packed.items() if len(text) <= LARGEST}
    light = [{**group, "names": [name for name in group["names"] if name in subjects]} for group in groups]
    return {"groups": light, "subjects": subjects, "replay": pack(replay_pieces())}
