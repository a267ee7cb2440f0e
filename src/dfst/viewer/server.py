"""The page of `dfst play`, served to this machine alone.

Every path begins with a random token, so that no other page in the browser can guess it; the Host header must
name the loopback address, so that no foreign name can be bent to it; the content security policy forbids the
page to ask anything of anybody else. There are no files behind the paths. Whoever changes something (POST)
must come from this very page: a browser names the origin of such a request.
"""

import hmac
import json
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import Template
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from dfst.errors import DfstError, InputError
from dfst.viewer.bundle import asset, bundle
from dfst.viewer.offered import Offered, describe_offered, shipped_proof
from dfst.viewer.payload import Subject
from dfst.viewer.replay import replay_pieces

LOOPBACK = "127.0.0.1"
MOST_BYTES = 16 << 20  # the largest file that may be dropped
PARTS = """<link rel="stylesheet" href="style.css">
<link rel="stylesheet" href="teach.css">
<script type="module" src="play.js"></script>"""
"""What the page asks this server for."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page_html(home: str, parts: str, end: str = "") -> str:
    """The page with its scripts and styles (`parts`), and `end` below everything. `home`: its address as
    links are to have it, as seen from itself; none where it has no lasting one."""
    return Template(asset("play.html")).substitute(home=home, parts=parts, end=end)


class PlayServer(ThreadingHTTPServer):
    """One page, one token; `url` is where it is."""

    daemon_threads = True
    request_queue_size = 1024
    """A browser that restores its tabs knocks often and at once; nobody is turned away."""

    def __init__(self, port: int = 0, given: Mapping[str, Subject] | None = None) -> None:
        self.token = secrets.token_urlsafe(18)
        self.offered = Offered(given)
        try:
            super().__init__((LOOPBACK, port), Handler)
        except (OSError, OverflowError) as error:
            raise InputError(
                f"cannot serve on port {port}: {error}; give another port, or 0 for any"
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that was closed no longer waits for its answer; all else is told as ever."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: PlayServer
    server_version = "dfst"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        offered, script = self.server.offered, "text/javascript; charset=utf-8"
        self._answer(
            {
                "": lambda: self._send("text/html; charset=utf-8", page_html("", PARTS)),
                "play.js": lambda: self._send(script, bundle("play")),
                "learner.js": lambda: self._send(script, bundle("learner_worker")),
                "style.css": lambda: self._send("text/css; charset=utf-8", asset("style.css")),
                "teach.css": lambda: self._send("text/css; charset=utf-8", asset("teach.css")),
                "subjects": lambda: self._send_json(offered.groups()),
                "subject": lambda: self._send_json(self._described(self._given("name"))),
                "pieces": lambda: self._send_json(replay_pieces()),
                "proof": lambda: self._send_json({"text": shipped_proof(self._given("name"))}),
            }
        )

    def do_POST(self) -> None:
        def machine() -> None:
            key, subject = self.server.offered.drop(self._given("file"), self._body())
            self._send_json(describe_offered(key, subject))

        self._answer({"machine": machine})

    def _given(self, key: str) -> str:
        return self.query.get(key, "")

    def _described(self, name: str) -> dict[str, Any]:
        return describe_offered(name, self.server.offered.find(name))

    def _answer(self, routes: Mapping[str, Callable[[], None]]) -> None:
        """Whatever was asked, there is an answer; where it is our fault, the terminal is told why."""
        try:
            self._route(routes)
        except DfstError as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
        except ConnectionError:
            raise
        except TimeoutError:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request did not come to its end")
        except Exception:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "dfst made a mistake; its terminal says which")
            raise

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer, and let the connection go: what follows on it may be the rest of this request."""
        self.close_connection = True
        self._send_json({"error": why}, status)

    def _route(self, routes: Mapping[str, Callable[[], None]]) -> None:
        try:
            parts = urlsplit(self.path)
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST, "expected a path")
        self.query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        token, slash, name = parts.path.removeprefix("/").partition("/")
        right = hmac.compare_digest(token.encode(), self.server.token.encode())
        route = routes.get(name)
        if not self._is_local() or not right or not slash or route is None:
            return self._refuse(HTTPStatus.NOT_FOUND, "nothing here; use the address that dfst play printed")
        return route()

    def _is_local(self) -> bool:
        hosts = [f"{name}:{self.server.server_port}" for name in (LOOPBACK, "localhost")]
        origin = self.headers.get("Origin")
        return self.headers.get("Host") in hosts and (
            origin is None or origin in [f"http://{host}" for host in hosts]
        )

    def _body(self) -> bytes:
        given = self.headers.get("Content-Length") or "0"
        length = int(given) if given.isdecimal() and len(given) < 20 else -1
        if not 1 <= length <= MOST_BYTES:
            self.close_connection = True
            raise InputError(f"expected a file of 1 to {MOST_BYTES:,} bytes, found {given:.40}")
        if len(body := self.rfile.read(length)) < length:
            self.close_connection = True
            raise InputError(f"expected a file of {length:,} bytes, found {len(body):,}")
        return body

    def _send_json(self, value: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send("application/json; charset=utf-8", json.dumps(value, ensure_ascii=False), status)

    def _send(self, kind: str, text: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = text.encode("utf-8", "replace")  # half a character of somebody's machine
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: their paths hold the token and what a person typed."""


def serve(
    port: int = 0,
    open_browser: bool = True,
    given: Mapping[str, Subject] | None = None,
    state: Mapping[str, str] = {},
) -> None:
    """Serve the page until interrupted. `state` is what it shows first: subject, input, against, step."""
    with PlayServer(port, given) as server:
        address = server.url + (f"#{urlencode(state)}" if state else "")
        print(f"dfst play: {address}\nPress Ctrl+C to stop.", file=sys.stderr)
        if open_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
