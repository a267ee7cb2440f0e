"""The local server: what it answers, and above all what it does not."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import to_bytes
from dfst.viewer.bundle import bundle
from dfst.viewer.replay import replay_pieces
from dfst.viewer.server import MOST_BYTES, PlayServer


@pytest.fixture(scope="module")
def server() -> Iterator[PlayServer]:
    with PlayServer(given={"mine": expert("add2")}) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: PlayServer, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read().decode("utf-8")
    finally:
        connection.close()


def data(server: PlayServer, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, Any]:
    status, _, text = ask(server, f"/{server.token}/{path}", method, body)
    return status, json.loads(text)


def test_only_this_machine_is_served(server: PlayServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url.startswith(f"http://127.0.0.1:{server.server_port}/")
    assert len(server.token) >= 24


@pytest.mark.parametrize(
    "path",
    ["/", "/subjects", "/wrong/", "/wrong/subjects", "/../../etc/passwd", "//", "/favicon.ico", "/play.html"],
)
def test_nothing_is_told_without_the_token(server: PlayServer, path: str) -> None:
    status, _, text = ask(server, path)
    assert status == 404
    assert server.token not in text


@pytest.mark.parametrize(
    "path",
    ["../server.py", "%2e%2e/server.py", "web/play.js", "server.py", "style.css/..", "..", "machine", "x"],
)
def test_no_path_leads_to_a_file(server: PlayServer, path: str) -> None:
    assert ask(server, f"/{server.token}/{path}")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", ""])
def test_a_foreign_host_name_is_refused(server: PlayServer, host: str) -> None:
    assert ask(server, f"/{server.token}/", Host=host)[0] == 404
    assert ask(server, f"/{server.token}/", Host=f"localhost:{server.server_port}")[0] == 200


def test_every_answer_forbids_the_page_to_ask_elsewhere(server: PlayServer) -> None:
    for path in ("", "play.js", "style.css", "subjects", "subject?name=nonsense", "nowhere"):
        headers = ask(server, f"/{server.token}/{path}")[1]
        assert headers["Content-Security-Policy"].startswith("default-src 'none';"), path
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_the_list_holds_experts_machines_and_what_was_given(server: PlayServer) -> None:
    status, groups = data(server, "subjects")
    names = {group["label"]: group["names"] for group in groups}
    assert status == 200
    assert names["Given"] == ["mine"]
    assert "expert:add10" in names["Experts"]
    assert names["Published machines"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("expert:add16", "table"), ("compiled:add2", "dfst"), ("mine", "table"), ("1RB1LB_1LA1RZ", "table")],
)
def test_subjects_come_by_name(server: PlayServer, name: str, kind: str) -> None:
    status, subject = data(server, f"subject?name={name}")
    assert (status, subject["kind"], subject["key"]) == (200, kind, name)


@pytest.mark.parametrize("name", ["add2", "expert:add2", "compiled:bb2", "bb2", "add2.descent"])
def test_a_name_means_the_same_beside_a_folder_that_has_it(
    server: PlayServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    usual = data(server, f"subject?name={name}")
    assert usual[0] == 200
    folder = tmp_path / name.rpartition(":")[2]
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert data(server, f"subject?name={name}") == usual


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("expert:ad10", "did you mean add10"),
        ("%2Fetc%2Fpasswd", "drop the file"),
        ("compiled:..%2Fx.json", "drop the file"),
        ("file:x.json%2312345678", "drop the file"),
        ("notes.toml", "drop the file"),
        ("folder", "drop the file"),
        ("x" * 300, "unknown subject"),
        ("x" * 30_000, "unknown subject"),
    ],
)
def test_what_is_no_name_is_refused_in_words(
    server: PlayServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    status, answer = data(server, f"subject?name={name}")
    assert status == 400
    assert words in answer["error"]


def test_a_dropped_machine_gets_a_name_and_stays(server: PlayServer) -> None:
    status, machine = data(server, "machine?file=..%2F..%2Fbb4.bb", "POST", b"1RB1LB_1LA0LC_1RZ1LD_1RD0RA\n")
    assert (status, machine["name"], len(machine["states"])) == (200, "bb4", 4)
    assert machine["key"].startswith("file:bb4.bb#")
    again = machine["key"].replace("#", "%23")
    assert data(server, f"subject?name={again}") == (200, machine)


def test_dropped_weights_are_read(server: PlayServer) -> None:
    content = to_bytes(compile_agent(expert("add2")))
    status, model = data(server, "machine?file=mine.safetensors", "POST", content)
    assert (status, model["kind"], model["d"]) == (200, "dfst", 12)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("x.safetensors", b"junk", "not a weights file"),
        ("x.txt", b"\xff\xfe\x00", "not text"),
        ("x.json", b"{", ""),
    ],
)
def test_what_is_no_machine_is_refused_in_words(
    server: PlayServer, file: str, content: bytes, words: str
) -> None:
    status, answer = data(server, f"machine?file={file}", "POST", content)
    assert status == 400
    assert answer["error"]
    assert words in answer["error"]
    assert "\n" not in answer["error"]


def test_a_file_too_large_is_refused_before_it_is_read(server: PlayServer) -> None:
    path = f"/{server.token}/machine?file=x"
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


def test_a_length_that_is_no_number_is_refused(server: PlayServer) -> None:
    status, _, text = ask(
        server, f"/{server.token}/machine?file=x", "POST", None, **{"Content-Length": "many"}
    )
    assert status == 400
    assert "many" in text


def test_the_page_is_given_what_replays_and_learning_are_made_of(server: PlayServer) -> None:
    assert data(server, "pieces") == (200, replay_pieces())
    status, headers, body = ask(server, f"/{server.token}/learner.js")
    assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert body == bundle("learner_worker")


def test_five_hundred_requests_at_once_are_all_answered(server: PlayServer) -> None:
    """All connections stand before the first is answered; none may be refused, reset or left to wait."""
    paths = ("", "play.js", "style.css", "subjects", "subject?name=expert:add2", "nowhere")
    wanted = (200, 200, 200, 200, 200, 404)
    begin, found = threading.Barrier(500), {}

    def request(number: int) -> None:
        begin.wait()
        path = paths[number % len(paths)] if number < 60 else "style.css"
        found[number] = ask(server, f"/{server.token}/{path}")[0]

    threads = [threading.Thread(target=request, args=(number,), daemon=True) for number in range(500)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {number: wanted[number % len(wanted)] if number < 60 else 200 for number in range(500)}


def test_a_port_in_use_is_answered_in_words(server: PlayServer) -> None:
    with pytest.raises(InputError, match="give another port"):
        PlayServer(server.server_port)
    with pytest.raises(InputError, match="give another port"):
        PlayServer(99_999)
