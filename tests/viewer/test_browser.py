"""The page and the replay in headless Chromium: one verdict a scenario, all from one browser.

The scenarios are in *.scenarios.mjs. They need Chromium and playwright-core and are skipped, with the reason,
where one is missing.
"""

from __future__ import annotations

import gzip
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from machine_texts import PIECES, SEEDS, machine_for, mutated
from site_home import everything, home_html, lesson_html
from test_html_report import FULL
from viewer_subjects import dense

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.formats import format_machine, parse_machine
from dfst.model import compile_agent
from dfst.model.weights import from_bytes, to_bytes
from dfst.proof.checker import check, strength
from dfst.viewer.bundle import asset, bundle
from dfst.viewer.payload import describe
from dfst.viewer.replay import notebook_html, write_html
from dfst.viewer.report import report_html
from dfst.viewer.server import PlayServer

HERE = Path(__file__).parent
SOURCES = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.scenarios.mjs"))]
SCENARIOS = [
    name for source in SOURCES for name in re.findall(r'^  async "(.+)"\(\) \{$', source, re.MULTILINE)
]

INCREMENTS = [["1011", "RRRRL0L0L1H"], ["111", "RRRL0L0L0L1H"], ["0", "RL1H"]]
"""Binary increment as a person works it: to the end of the number, then back with the carry."""
OWN_FILES = [
    {
        "file": "even.yaml",
        "content": "blank: ' '\ninput: '11'\nstart state: e\ntable:\n  e: {1: {R: o}, ' ': {N: accept}}\n"
        "  o: {1: {R: e}, ' ': {N: reject}}\n  accept:\n  reject:\n",
        "end": "Accepted in state accept after 3 steps.",
    },
    {
        "file": "steps.jff",
        "content": '<structure><type>turing</type><automaton><state id="0" name="a"><initial/></state>'
        '<state id="1" name="b"><final/></state><transition><from>0</from><to>1</to><read/><write>x</write>'
        "<move>R</move></transition></automaton></structure>",
        "end": "Accepted in state b after 1 step.",
    },
    {"file": "flip.tm", "content": "0 _ 1 r 1\n1 _ 1 l halt\n", "end": "The tape reads 11."},
    {
        "file": "add2.safetensors",
        "content": list(to_bytes(compile_agent(expert("add2")))),
        "end": "Answer 1000. ✓",
    },
]
"""Files that a visitor drops on the page, and what is said at the end of their runs."""


def xml_files() -> list[dict[str, Any]]:
    """JFLAP files, whole and tampered with, and the machine that Python reads; None where it refuses them."""
    rng = random.Random("jflap")
    texts = [format_machine(machine_for("jflap", seed), "jflap") for seed in range(3)]
    texts += [
        *SEEDS["jflap"],
        *(mutated(rng, rng.choice(SEEDS["jflap"]), PIECES["jflap"]) for _ in range(200)),
    ]
    found = []
    for text in texts:
        try:
            machine = describe(parse_machine(text, "jflap", "machine")) | {"key": ""}
        except InputError:
            machine = None
        found.append({"text": text, "machine": machine})
    return found


LESSON = "sixty: three numbers by hand, one answer, right on a thousand digits"
THOUSAND = ["1" * 1000, "10" * 500, f"{random.Random(0).getrandbits(999) | 1 << 999:b}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replays")


@pytest.fixture(scope="module")
def verdicts(
    request: pytest.FixtureRequest, ask_node: Callable[..., Any], chromium: str, folder: Path
) -> dict[str, str]:
    wanted = [
        item.callspec.params.get("scenario") for item in request.session.items if hasattr(item, "callspec")
    ]
    write_html(expert("add10"), "999+1", folder / "replay.html")
    erring = dense(compile_agent(expert("add10")), 5, noise=0.08)
    write_html(erring, "967+58", folder / "paired.html", against=expert("add10"))
    (folder / "report.html").write_text(report_html(**FULL), "utf-8")
    (folder / "play.html").write_text(home_html("play.html"), "utf-8")
    (folder / "lesson.html").write_text(lesson_html("play.html", "about.html"), "utf-8")
    with PlayServer() as server, PlayServer() as other:
        threads = [threading.Thread(target=each.serve_forever, daemon=True) for each in (server, other)]
        for thread in threads:
            thread.start()
        question = {
            "executable": chromium,
            "folder": str(folder),
            "only": wanted,
            "page": server.url,
            "other": other.url,
            "taught": server.offered.drop("mine.safetensors", to_bytes(compile_agent(expert("add2"))))[0],
            "lesson": (folder / "lesson.html").as_uri(),
            "home": (folder / "play.html").as_uri(),
            "files": OWN_FILES,
            "xml": {"script": bundle("hosted"), "data": everything(), "texts": xml_files()},
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
            return ask_node("browser.mjs", question, timeout=600)
        finally:
            for each, thread in zip((server, other), threads, strict=True):
                each.shutdown()
                thread.join()


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(name, marks=[pytest.mark.slow] * name.endswith("(long)")) for name in SCENARIOS],
)
def test_in_the_browser(verdicts: dict[str, str], scenario: str) -> None:
    assert verdicts[scenario] == "ok", verdicts[scenario]


def test_the_lesson_is_light() -> None:
    """Bytes that a phone loads until something moves: all of it."""
    assert len(gzip.compress(lesson_html("play.html", "about.html").encode("utf-8"))) < 350_000


def test_what_was_taught_and_proved_in_the_browser_python_reads(
    verdicts: dict[str, str], folder: Path
) -> None:
    if LESSON not in verdicts:  # with the slow evidence only
        pytest.skip("the lesson was not played")
    weights = (folder / "increment.safetensors").read_bytes()
    shown = check((folder / "increment.proof.json").read_bytes(), weights)
    assert (strength(shown), shown["states"], shown["stops"]) == ("proved", 2, [])
    assert from_bytes(weights, "increment").run("1011").answer == "1100"
