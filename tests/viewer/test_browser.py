"""The page and the replay in headless Chromium: one verdict a scenario, all from one browser.

The scenarios are in *.scenarios.mjs. They need Chromium and playwright-core and are skipped, with the reason,
where one is missing.
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_html_report import FULL
from viewer_subjects import dense

from dfst.agents import expert
from dfst.model import compile_agent
from dfst.model.weights import to_bytes
from dfst.viewer.bundle import asset, bundle
from dfst.viewer.payload import describe
from dfst.viewer.replay import notebook_html, write_html
from dfst.viewer.report import write_report
from dfst.viewer.server import PlayServer

HERE = Path(__file__).parent
SOURCES = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.scenarios.mjs"))]
SCENARIOS = [
    name for source in SOURCES for name in re.findall(r'^  async "(.+)"\(\) \{$', source, re.MULTILINE)
]

INCREMENTS = [["1011", "RRRRL0L0L1H"], ["111", "RRRL0L0L0L1H"], ["0", "RL1H"]]
"""Binary increment as a person works it: to the end of the number, then back with the carry."""
THOUSAND = ["1" * 1000, "10" * 500, f"{random.Random(0).getrandbits(999) | 1 << 999:b}"]


@pytest.fixture(scope="module")
def verdicts(
    ask_node: Callable[..., Any], chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("replays")
    write_html(expert("add10"), "999+1", folder / "replay.html")
    erring = dense(compile_agent(expert("add10")), 5, noise=0.08)
    write_html(erring, "967+58", folder / "paired.html", against=expert("add10"))
    write_report(FULL, folder / "report.html")
    with PlayServer() as server, PlayServer() as other:
        threads = [threading.Thread(target=each.serve_forever, daemon=True) for each in (server, other)]
        for thread in threads:
            thread.start()
        question = {
            "executable": chromium,
            "page": server.url,
            "other": other.url,
            "taught": server.offered.drop("mine.safetensors", to_bytes(compile_agent(expert("add2"))))[0],
            "report": (folder / "report.html").as_uri(),
            "replay": (folder / "replay.html").as_uri(),
            "paired": (folder / "paired.html").as_uri(),
            "increment": {
                "examples": INCREMENTS,
                "asked": [[digits, f"{int(digits, 2) + 1:b}"] for digits in THOUSAND],
            },
            "widget": {
                "script": bundle("widget"),
                "style": asset("style.css"),
                "data": {"subject": describe(expert("add10")), "against": None, "input": "999+1"},
                "paired": {
                    "subject": describe(compile_agent(expert("add2"))),
                    "against": describe(expert("add2")),
                    "input": "1+1",
                },
            },
            "frame": notebook_html(expert("add10"), "999+1"),
        }
        try:
            return ask_node("browser.mjs", question, timeout=300)
        finally:
            for each, thread in zip((server, other), threads, strict=True):
                each.shutdown()
                thread.join()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_in_the_browser(verdicts: dict[str, str], scenario: str) -> None:
    assert verdicts[scenario] == "ok", verdicts[scenario]
