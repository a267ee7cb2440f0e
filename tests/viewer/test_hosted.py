"""The page without a server answers as the local server does, and takes Python's steps."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fifteen import MACHINES
from machine_texts import KINDS, PIECES, SEEDS, machine_for, mutated, random_text
from site_home import everything

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.formats import FORMATS, format_machine
from dfst.model import compile_agent
from dfst.model.weights import to_bytes
from dfst.subjects import resolve, shipped
from dfst.viewer.offered import Offered, describe_offered
from dfst.viewer.replay import replay_html
from dfst.world.grid import Limits
from dfst.world.unit import Action, ClosedLoop

COMPILED = ["compiled:add10", "compiled:mult2", "compiled:increment2", "compiled:stack"]
STEPS = 160
EXAMPLES = Path(__file__).parents[2] / "examples"
IN_NODE = [name for name in KINDS if name != "jflap"]
"""XML is read by the browser's own reader: tests/viewer/home.scenarios.mjs."""

AskHome = Callable[[list[dict[str, Any]]], list[Any]]


@pytest.fixture(scope="module")
def home() -> dict[str, Any]:
    return everything()


@pytest.fixture(scope="module")
def names(home: dict[str, Any]) -> list[str]:
    return [*(name for group in home["groups"] for name in group["names"]), *COMPILED]


@pytest.fixture(scope="module")
def ask(ask_node: Callable[[str, Any], Any], home: dict[str, Any]) -> AskHome:
    return lambda jobs: ask_node("hosted.mjs", {"home": home, "jobs": jobs})


def read(file: str, content: bytes) -> dict[str, Any]:
    return {"action": "read", "file": file, "content": base64.b64encode(content).decode("ascii")}


def by_python(file: str, content: bytes) -> dict[str, Any] | None:
    """What the local server makes of a file; None where it refuses it."""
    try:
        return describe_offered(*Offered().drop(file, content))
    except InputError:
        return None


def assert_alike(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    one, two = ({**subject, "key": subject["key"].partition("#")[0]} for subject in (found, wanted))
    assert one == two


def test_no_words_of_a_graph_lie_over_each_other(ask: AskHome) -> None:
    names = ["expert:add10", "expert:mult2", "bb5", "langton"]
    for name, graph in zip(names, ask([{"action": "graph", "name": name} for name in names]), strict=True):
        boxes = graph["nodes"] + [
            [*at, 0.62 * max(map(len, words)) + 0.3, 1.25 * len(words)] for *_, at, words in graph["arrows"]
        ]
        x, y, w, h = np.array(boxes).T
        beside = np.abs(x[:, None] - x) >= (w[:, None] + w) / 2 - 0.03
        below = np.abs(y[:, None] - y) >= (h[:, None] + h) / 2 - 0.03
        assert (beside | below | np.eye(len(boxes), dtype=bool)).all(), name


def test_rules_between_two_states_share_an_arrow(ask: AskHome) -> None:
    [graph] = ask([{"action": "graph", "name": "expert:add10"}])
    place = {name: number for number, name in enumerate(graph["names"])}
    words = {(start, end): lines for start, end, *_, lines in graph["arrows"]}
    assert words[place["left"], place["left"]] == ["0…9 : · ←"]
    assert words[place["left"], place["mark"]] == ["+ : · ←"]
    assert words[place["trim"], place["halt"]] == ["1…9 : · •", "λ : 0 •"]


def test_every_subject_on_the_list_is_answered_as_by_the_server(
    ask: AskHome, home: dict[str, Any], names: list[str]
) -> None:
    offered = Offered()
    for group, whole in zip(home["groups"], offered.groups(), strict=True):
        assert group == {**whole, "names": [name for name in whole["names"] if name != "mult10.descent"]}
    asked = [*names, "1RB1LB_1LA1RZ", "{{{1,2,0},{0,8,0}}}"]
    for name, found in zip(asked, ask([{"action": "subject", "name": name} for name in asked]), strict=True):
        assert_alike(found, describe_offered(name, offered.find(name)))


def test_a_name_that_is_not_here_is_told_in_one_line(ask: AskHome) -> None:
    unknown = ("expert:add16", "expert:ad10", "nonsense", "file:x.bb#00000000", "toString")
    answers = ask([{"action": "subject", "name": name} for name in unknown])
    for name, found in zip(unknown, answers, strict=True):
        assert found["error"].startswith(f"this page has no '{name}'")
        assert "\n" not in found["error"]


def awkward(name: str) -> list[str]:
    """Carry chains, zeros, lopsided lengths, repetitions; what came with a published machine."""
    unit = resolve(name)
    if unit.task is None:
        return list(unit.sample_inputs) or [""]
    hard = [unit.task.write(operands) for operands in unit.task.hard(5).values()]
    return list(dict.fromkeys([unit.task.example, *hard]))[:2]


def test_every_subject_takes_the_steps_of_the_readable_loop(ask: AskHome, names: list[str]) -> None:
    cases = [(name, text) for name in names for text in awkward(name)]
    answers = ask([{"action": "steps", "name": name, "input": text, "limit": STEPS} for name, text in cases])
    for (name, text), found in zip(cases, answers, strict=True):
        seen: list[Action] = []
        run = ClosedLoop(resolve(name), text, Limits(steps=STEPS)).finish(seen.append)
        assert found["steps"] == [list(action[2:]) for action in seen], (name, text)
        assert found["halted"] == run.halted


@pytest.mark.parametrize("format", IN_NODE)
def test_machine_files_are_read_as_by_python(ask: AskHome, format: str) -> None:
    """Random machines and tampered files: the same machine, or refused by both in one line."""
    rng = random.Random(format)
    texts = [format_machine(machine_for(format, seed), format) for seed in range(4)]
    texts += [*SEEDS[format], *(mutated(rng, rng.choice(SEEDS[format]), PIECES[format]) for _ in range(160))]
    if format == "turingmachine.io":
        texts += [*MACHINES.values(), *(path.read_text("utf-8") for path in EXAMPLES.glob("*.yaml"))]
    texts += [random_text(rng, PIECES[format]) for _ in range(20)]
    file = f"machine{FORMATS[format].suffixes[0]}"
    # A file holds UTF-8, so no half of a surrogate pair; one without a byte never leaves the browser.
    contents = [text.encode("utf-8") for text in texts if text and "\ud800" not in text]
    left_to_python = machines = 0
    for content, found in zip(contents, ask([read(file, content) for content in contents]), strict=True):
        wanted = by_python(file, content)
        if "error" in found:
            assert found["error"].startswith(f"{format}: ")
            assert "\n" not in found["error"]
            left_to_python += wanted is not None
            assert wanted is None or "dfst play reads all of YAML" in found["error"], content
        else:
            machines += 1
            assert wanted is not None, content
            assert_alike(found, wanted)
    assert machines > 4
    assert left_to_python <= (len(contents) // 20 if format == "turingmachine.io" else 0)


def test_weights_are_read_as_by_python(ask: AskHome) -> None:
    files = [
        ("mine.safetensors", to_bytes(shipped("add10"))),
        ("mine.safetensors", to_bytes(shipped("mult2.descent"))),
        ("mine.safetensors", to_bytes(compile_agent(expert("sort2"), dtype=np.float64))),
        ("mine.safetensors", to_bytes(compile_agent(resolve("bb3")))),
        ("../odd/n/ä me!.safetensors", to_bytes(shipped("parity"))),
    ]
    for (file, content), found in zip(files, ask([read(*each) for each in files]), strict=True):
        wanted = by_python(file, content)
        assert wanted is not None
        assert_alike(found, wanted)


HALF_A_CHARACTER = json.dumps(
    {"format": "dfst-machine/1", "alphabet": ["\ud800"], "blank": "\ud800", "states": ["p"], "rules": []}
).encode()
WHOLE = to_bytes(compile_agent(expert("add2")))
NAMELESS = to_bytes(replace(compile_agent(expert("add2")), task=None))
ADDER = format_machine(expert("add2"), "json").encode()


REFUSED = [
    ("x.safetensors", b"junk", "x.safetensors is not a weights file: expected safetensors with A, B, C, h0"),
    ("x.safetensors", WHOLE[:50], "is cut off: expected "),
    ("x.safetensors", WHOLE[:-9], f"is cut off: expected {len(WHOLE):,} bytes, found {len(WHOLE) - 9:,}"),
    ("x.safetensors", WHOLE.replace(b"dfst/1", b"dfst/9"), "expected metadata format 'dfst/1'"),
    ("x.safetensors", WHOLE.replace(b"add2", b"addQ"), "this page does not know the task"),
    ("x.safetensors", WHOLE[:-4] + b"\0\0\xc0\x7f", "holds NaN or infinity"),
    ("x.safetensors", WHOLE.replace(b"U D L R S", b"U D L L S"), "expected motions that all differ, found"),
    ("x.safetensors", NAMELESS, "starts on the operator but has no task that says which symbol that is"),
    ("x.txt", b"\xff\xfe\x00", "x.txt is not text"),
    ("double.py", b"print(1)", "is Python, which a page cannot run; ask: dfst run double.py:FUNCTION INPUT"),
    ("x.dot", b"digraph {}", "dot is written only; give json, bbchallenge"),
    ("x.bb", b"", "expected a file of 1 to"),
    ("x.json", HALF_A_CHARACTER, "expected characters of Unicode in symbols, found half of one"),
    ("x.json", ADDER.replace(b'"start": "operator"', b'"start": "first"'), "as add2 has it, found 'first'"),
]


def test_what_cannot_be_read_is_told_in_one_line(ask: AskHome) -> None:
    answers = ask([read(file, content) for file, content, _ in REFUSED])
    for (file, content, words), found in zip(REFUSED, answers, strict=True):
        assert words in found["error"]
        assert "\n" not in found["error"]
        assert by_python(file, content) is None


def halves(page: str) -> tuple[str, dict[str, Any]]:
    """A replay without its data, and the data."""
    before, packed, after = re.split(r'(?<=id="dfst-data">)([^<]*)', page, maxsplit=1)
    return before + after, json.loads(gzip.decompress(base64.b64decode(packed)))


def test_a_saved_replay_is_the_one_that_python_writes(ask: AskHome) -> None:
    cases = [
        ("add10", "expert:add10", "999+1"),
        ("compiled:add2", None, "1+1"),
        ("mult10", "expert:mult10", "12*34"),
        ("expert:sort10", None, "31415926" * 9),
    ]
    keys = ("action", "subject", "against", "input")
    pages = ask([dict(zip(keys, ("replay", *case), strict=True)) for case in cases])
    for (subject, against, text), page in zip(cases, pages, strict=True):
        wanted = replay_html(resolve(subject), text, None if against is None else resolve(against))
        assert halves(page) == halves(wanted)


def test_a_replay_of_a_bad_input_is_refused(ask: AskHome) -> None:
    (found,) = ask([{"action": "replay", "subject": "add10", "against": None, "input": "12"}])
    assert found["error"].startswith("add10 takes one +")
