"""The page and the replay in headless Chromium: one verdict a scenario, all from one browser.

The scenarios are in browser.mjs. They need Chromium and playwright-core and are skipped, with the reason,
where one is missing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from viewer_subjects import dense

from dfst.agents import expert
from dfst.model import compile_agent
from dfst.viewer.bundle import asset, bundle
from dfst.viewer.payload import describe
from dfst.viewer.replay import write_html
from dfst.viewer.server import PlayServer

SOURCE = (Path(__file__).parent / "browser.mjs").read_text(encoding="utf-8")
SCENARIOS = re.findall(r'^  async "(.+)"\(\) \{$', SOURCE, re.MULTILINE)


@pytest.fixture(scope="module")
def verdicts(
    ask_node: Callable[..., Any], chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("replays")
    write_html(expert("add10"), "999+1", folder / "replay.html")
    erring = dense(compile_agent(expert("add10")), 5, noise=0.08)
    write_html(erring, "967+58", folder / "paired.html", against=expert("add10"))
    with PlayServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        question = {
            "executable": chromium,
            "page": server.url,
            "replay": (folder / "replay.html").as_uri(),
            "paired": (folder / "paired.html").as_uri(),
            "widget": {
                "script": bundle("widget"),
                "style": asset("style.css"),
                "data": {"subject": describe(expert("add10")), "against": None, "input": "999+1"},
            },
        }
        try:
            return ask_node("browser.mjs", question, timeout=300)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_in_the_browser(verdicts: dict[str, str], scenario: str) -> None:
    assert verdicts[scenario] == "ok", verdicts[scenario]
