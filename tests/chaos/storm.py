"""The server of `dfst play` under bad requests, many at once and slow ones: an answer to each, no harm."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from ground import SECONDS, Ground, Try

from dfst.viewer.server import MOST_BYTES, PlayServer

MANY, AT_ONCE, SLOW = 300, 32, 60
HOST = "Host: 127.0.0.1:{port}"
MALFORMED = [
    "GET //[ HTTP/1.1\r\n{host}\r\n\r\n",
    "GET http://[::1/{token}/ HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /{token}/subject?name=%ff%fe HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /{token}/subject?name=%ED%A0%80 HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /{token}/subject HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /{token}/subject?name=" + "A" * 60_000 + " HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /" + "a" * 70_000 + " HTTP/1.1\r\n{host}\r\n\r\n",
    "GET /{token}/ HTTP/1.1\r\n{host}\r\n" + "X: y\r\n" * 200 + "\r\n",
    "GET /{token}/ HTTP/1.1\r\n{host}\r\nX: " + "y" * 70_000 + "\r\n\r\n",
    "GET /{token}/ HTTP/9.9\r\n{host}\r\n\r\n",
    "GET /{token}/ HTTP/x\r\n{host}\r\n\r\n",
    "NONSENSE /{token}/ HTTP/1.1\r\n{host}\r\n\r\n",
    "\x00\x01\x02\r\n\r\n",
    "GET\r\n\r\n",
    "GET /{token}/ HTTP/1.1\r\n\r\n",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\nContent-Length: -1\r\n\r\n",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\nContent-Length: ²\r\n\r\n",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\nContent-Length: " + "9" * 5_000 + "\r\n\r\n",
    f"POST /{{token}}/machine HTTP/1.1\r\n{{host}}\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\n\r\n",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "POST /{token}/machine?file=a.json HTTP/1.1\r\n{host}\r\nContent-Length: 2\r\n\r\n{{}}",
    'POST /{token}/machine?file=a.json HTTP/1.1\r\n{host}\r\nContent-Length: 18\r\n\r\n{{"name":"\\ud800"}}',
    "POST /{token}/machine?file=%00../x.yaml HTTP/1.1\r\n{host}\r\nContent-Length: 2\r\n\r\n\xff\xfe",
    "POST /{token}/machine?file=a.jff HTTP/1.1\r\n{host}\r\nContent-Length: 6\r\n\r\n<a><b>",
    "POST /{token}/machine?file=a.safetensors HTTP/1.1\r\n{host}\r\nContent-Length: 9\r\n\r\n\x01{{{{{{{{{{",
    "POST /{token}/machine HTTP/1.1\r\n{host}\r\nOrigin: http://evil.example\r\nContent-Length: 1\r\n\r\na",
]


def storms(ground: Ground) -> Iterator[Try]:
    server = PlayServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address, host = ("127.0.0.1", server.server_port), HOST.format(port=server.server_port)
    whole = f"GET /{server.token}/subjects HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n".encode()

    def answer(request: bytes) -> bytes:
        with socket.create_connection(address, timeout=SECONDS) as connection:
            with contextlib.suppress(ConnectionError):  # it may have heard enough before the end
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                return connection.recv(4096)
            return b"reset"

    for number, text in enumerate(MALFORMED):

        def attempt(text: str = text) -> str:
            found = answer(text.format(token=server.token, host=host).encode("latin-1", "replace"))
            if not found.startswith((b"HTTP/1.", b"reset", b"<!DOCTYPE")) or b" 500 " in found[:20]:
                return f"answered {found[:80]!r}"
            return "" if answer(whole).startswith(b"HTTP/1.1 200") else "no answer to others any more"

        yield f"malformed request {number}", attempt

    def many() -> str:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            right = sum(found.startswith(b"HTTP/1.1 200") for found in pool.map(answer, [whole] * MANY))
        return "" if right == MANY else f"{right} of {MANY} were answered"

    def slow() -> str:
        with contextlib.ExitStack() as stack:
            for _ in range(SLOW):
                waiting = stack.enter_context(socket.create_connection(address, timeout=SECONDS))
                waiting.sendall(whole[:20])
            return "" if answer(whole).startswith(b"HTTP/1.1 200") else "slow ones keep others waiting"

    yield f"{MANY} requests, {AT_ONCE} at once", many
    yield f"{SLOW} connections that say no more", slow
