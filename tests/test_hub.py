"""Models on the Hub, against a stand-in of its API on this machine: the real library asks it, nobody else."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import dfst
from dfst.cli import main
from dfst.errors import InputError, MissingExtra
from dfst.files.hub import CARD_FILE, MODEL_FILE
from dfst.model import weights as weights_file

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class StandIn(BaseHTTPRequestHandler):
    """As much of the Hub's API as fetching one file and sending two takes."""

    repositories: dict[str, dict[str, bytes]]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        owner, name, resolve, revision, file = (self.path.strip("/").split("/", 4) + [""] * 5)[:5]
        held = self.repositories.get(f"{owner}/{name}")
        if resolve != "resolve" or held is None:
            return self.reply(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        if revision not in ("main", COMMIT):
            return self.reply(404, {"error": "Invalid rev"}, {"X-Error-Code": "RevisionNotFound"})
        if file not in held:
            return self.reply(404, {"error": "Not found"}, {"X-Error-Code": "EntryNotFound"})
        return self.reply(200, held[file], {"ETag": f'"{len(held[file])}"'})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            if asked["organization"] != "me":
                return self.reply(403, {"error": "You may not create it"})
            self.repositories.setdefault(name, {})
            return self.reply(200, {"url": f"http://{self.headers['Host']}/{name}"})
        if self.path == "/api/validate-yaml":
            return self.reply(200, {"errors": [], "warnings": []})
        name = "/".join(self.path.split("/")[3:5])
        if "/preupload/" in self.path:
            files = [each["path"] for each in json.loads(body)["files"]]
            plain = [{"path": file, "uploadMode": "regular", "shouldIgnore": False} for file in files]
            return self.reply(200, {"files": plain})
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                self.repositories[name][line["value"]["path"]] = base64.b64decode(line["value"]["content"])
        here = f"http://{self.headers['Host']}/{name}"
        return self.reply(200, {"commitUrl": f"{here}/commit/{COMMIT}", "commitOid": COMMIT})

    def reply(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in {"X-Repo-Commit": COMMIT, **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch, tmp_path) -> Iterator[dict[str, dict[str, bytes]]]:
    """{repository: {file: content}} of a Hub that the library takes for the real one."""
    constants = pytest.importorskip("huggingface_hub.constants")
    handler = type("Handler", (StandIn,), {"repositories": {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("HF_TOKEN", "nobody")
        yield handler.repositories
        server.shutdown()


def test_what_is_sent_is_what_is_loaded(hub):
    model = dfst.load("add2")
    assert model.push_to_hub("me/adder").endswith("/me/adder")
    assert set(hub["me/adder"]) == {MODEL_FILE, CARD_FILE}
    found = dfst.load("hub:me/adder")
    assert found.fingerprint() == model.fingerprint()
    assert (found.name, found.task) == (model.name, model.task)
    assert dfst.load(f"hub:me/adder@{COMMIT}").run("1+1").answer == "10"


def test_a_card_that_is_there_is_left_alone(hub):
    hub["me/adder"] = {CARD_FILE: b"# Mine"}
    dfst.load("add2").push_to_hub("me/adder")
    assert hub["me/adder"][CARD_FILE] == b"# Mine"
    assert MODEL_FILE in hub["me/adder"]


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (
            "hub:nobody/nothing",
            "no repository nobody/nothing on the Hub that you may read; check the name",
        ),
        (
            "hub:me/empty",
            "me/empty on the Hub holds no model.safetensors; was it sent by weights.push_to_hub?",
        ),
        ("hub:me/empty@v9", "me/empty@v9: no such revision on the Hub; leave @… out for the newest"),
        ("hub:me/other", "hub:me/other is not a weights file"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(hub, subject, words, capsys):
    hub["me/empty"] = {}
    hub["me/other"] = {MODEL_FILE: b"pickled"}
    with pytest.raises(SystemExit, match="2"):
        main(["run", subject, "1+1"])
    told = capsys.readouterr().err
    assert words in told
    assert told.strip().count("\n") == 0


def test_a_repository_of_others_is_not_written(hub):
    with pytest.raises(
        InputError, match=r"^the Hub refused others/adder: .*; check your rights, or try again$"
    ):
        dfst.load("add2").push_to_hub("others/adder")


def test_without_the_library_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"huggingface_hub.*pip install 'dfst\[hub\]'"):
        dfst.load("hub:me/adder")


@pytest.mark.parametrize("name", ["adder", "a/b/c", "../x", "a/", "me/add er", ""])
def test_a_name_that_cannot_be_one_is_asked_of_nobody(name, monkeypatch):
    monkeypatch.setattr(weights_file, "from_bytes", None)
    with pytest.raises(InputError, match="is called OWNER/NAME, found"):
        dfst.load(f"hub:{name}")
