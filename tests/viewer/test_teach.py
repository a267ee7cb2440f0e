"""Teaching by hand, without a browser: what examples show, one training at a time, what is refused."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from test_server import ask, data

from dfst.viewer.server import PlayServer
from dfst.viewer.teach import describe_shown, read_examples

HEADER = {"format": "dfst-traces/2", "alphabet": ["0", "1", "λ"], "blank": "λ", "start": "last"}
INCREMENT = [
    {"input": "0", "read": "0", "wrote": "1", "moved": "S"},
    {"input": "11", "read": "11λ", "wrote": "001", "moved": "LLS"},
]
LONG = [{"input": "10" * 200, "read": "01" * 200 + "λ", "wrote": "10" * 200 + "λ", "moved": "L" * 400 + "S"}]


def examples(*rows: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(row) for row in (HEADER, *rows)).encode()


@pytest.fixture
def server(training_is_compiled: None) -> Iterator[PlayServer]:
    with PlayServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.classroom.stop()
        server.shutdown()
        thread.join()


def finished(server: PlayServer) -> dict[str, Any]:
    for _ in range(600):
        told = data(server, "learning")[1]
        if told["phase"] != "learning":
            return dict(told)
        time.sleep(0.1)
    raise AssertionError("the training did not end")


def test_examples_show_rules_of_the_smallest_machine_that_explains_them() -> None:
    machine = describe_shown(read_examples(examples(*INCREMENT).decode()))["machine"]
    assert machine["states"] == ["1"]
    assert machine["uses"] == [1, 2, 1]
    assert machine["write"] == [1, 0, 1]


def test_examples_are_learnt_and_nothing_more_is_claimed_than_was_shown(server: PlayServer) -> None:
    assert data(server, "learning") == (200, {"phase": "idle"})
    assert data(server, "learn", "POST", examples(*INCREMENT)) == (200, {})
    told = finished(server)
    assert told["phase"] == "done", told
    assert told["said"].endswith(
        "does what 2 of 2 of them show; none was held out, so nothing is known of other inputs"
    )
    assert told["model"]["key"].startswith("taught:by hand#")
    assert told["machine"]["uses"] == [1, 2, 1]
    assert told["curve"][-1][0] == told["iterations"]
    status, model = data(server, f"subject?name={told['model']['key'].replace('#', '%23').replace(' ', '+')}")
    assert (status, model) == (200, told["model"])
    assert data(server, f"learning?after={len(told['curve'])}")[1]["curve"] == []


def test_one_training_at_a_time_and_it_can_be_stopped(server: PlayServer) -> None:
    assert data(server, "learn", "POST", examples(*LONG))[0] == 200
    status, answer = data(server, "learn", "POST", examples(*INCREMENT))
    assert (status, answer["error"]) == (
        400,
        "one training at a time: stop the one under way, or wait for its end",
    )
    assert data(server, "stop", "POST", b"")[1]["phase"] == "stopped"
    assert data(server, "learn", "POST", examples(*INCREMENT))[0] == 200
    assert finished(server)["phase"] == "done"


@pytest.mark.parametrize("path", ["shown", "learn"])
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "the examples, line 1: expected a JSON object"),
        (b"\xff\xfe", "expected examples as UTF-8 text"),
        (examples(), "the examples: expected traces after the first line, found none"),
        (
            examples(INCREMENT[0], INCREMENT[0] | {"wrote": "0"}),
            "the examples: lines 2 and 3 contradict each other",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused_in_words(
    server: PlayServer, path: str, body: bytes, words: str
) -> None:
    status, answer = data(server, path, "POST", body)
    assert status == 400
    assert answer["error"].startswith(words)
    assert "\n" not in answer["error"]


@pytest.mark.parametrize("headers", [{"Origin": "http://example.org"}, {"Host": "example.org"}])
def test_no_other_page_can_ask_for_a_training(server: PlayServer, headers: dict[str, str]) -> None:
    status, _, _ = ask(server, f"/{server.token}/learn", "POST", examples(*INCREMENT), **headers)
    assert status == 404
    assert server.classroom.training is None
