"""Files made to harm: refused in one line, within five seconds and a gigabyte."""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from ground import KILOBYTES, SECONDS, Ground, Try, busy, command

DEEP = 100_000
LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{n}: &{n} [{','.join(['*' + p] * 9)}]\n" for p, n in zip("abcdefghi", "bcdefghij", strict=True)
)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "x">' + "".join(
    f'<!ENTITY {n} "{f"&{p};" * 10}">' for p, n in zip("abcdefgh", "bcdefghi", strict=True)
)
HEADER = {"format": "dfst-traces/2", "alphabet": ["0", "λ"], "blank": "λ"}
STEP = {"input": "0", "read": "0", "wrote": "0", "moved": "S"}


def _bomb() -> bytes:
    inside = base64.b64encode(zlib.compress(bytes(1 << 28))).decode()
    return json.dumps({"format": "dfst-proof/4", "x": inside}).encode()


def _tensors(header: object, content: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + content


def _a(**more: object) -> dict[str, object]:
    return {"A": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} | more}


def _lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FILES: dict[str, bytes | Callable[[], bytes]] = {
    "empty.yaml": b"",
    "zeros.yaml": bytes(1000),
    "noise.yaml": bytes(range(256)) * 10,
    "laughs.yaml": LAUGHS.encode(),
    "deep.yaml": b"[" * DEEP,
    "nested.yaml": b"a:\n" + b"".join(b" " * i + b"- \n" for i in range(2_000)),
    "object.yaml": b"!!python/object/apply:os.system ['true']\n",
    "long.yaml": b"blank: " + b"x" * 40_000_000,
    "deep.json": b"[" * DEEP,
    "number.json": b"9" * 1_000_000,
    "half.json": b'{"name": "\\ud800", "states": ["\\udfff"]}',
    "entities.jff": (ENTITIES + "]><structure>&i;</structure>").encode(),
    "external.jff": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><structure>&a;</structure>',
    "deep.jff": b"<a>" * DEEP,
    "noise.tm": os.urandom(2_000),
    "short.safetensors": b"\x01",
    "long.safetensors": _tensors(b"{}", length=1 << 62),
    "deep.safetensors": _tensors(b'{"a":' * DEEP),
    "list.safetensors": _tensors([]),
    "outside.safetensors": _tensors(_a(data_offsets=[0, 1 << 40])),
    "negative.safetensors": _tensors(_a(data_offsets=[-4, 0])),
    "huge.safetensors": _tensors(_a(shape=[1 << 31, 1 << 31]), bytes(4)),
    "other.safetensors": _tensors(_a() | {"__metadata__": {"format": "dfst/99"}}, bytes(4)),
    "text.safetensors": _tensors(_a() | {"__metadata__": {"format": 3}}, bytes(4)),
    "many.safetensors": lambda: _tensors({"__metadata__": {str(i): "" for i in range(1_000_000)}}),
    "deep.jsonl": b"[" * DEEP + b"\n",
    "half.jsonl": _lines(HEADER, STEP | {"input": "\ud800"}),
    "list.jsonl": _lines(HEADER, STEP | {"read": [["0"]]}),
    "large.jsonl": _lines(HEADER | {"shown": 1 << 70}, STEP),
    "header.jsonl": _lines(HEADER | {"alphabet": [str(n) for n in range(300_000)]}, STEP),
    "later.jsonl": _lines(HEADER | {"format": "dfst-traces/9"}, STEP),
    "bomb.jsonl.gz": lambda: gzip.compress(bytes(1 << 24), 6) * 64,
    "lines.jsonl.gz": lambda: gzip.compress(_lines(HEADER)) + gzip.compress(b"\n" * (1 << 22), 6) * 66,
    "seeds.sweep": b"tasks: [add2]\nseeds: 99999999999999999999\n",
    "laughs.sweep": LAUGHS.encode(),
    "deep.sweep": b"[" * DEEP,
    "deep.proof": b"[" * DEEP,
    "bomb.proof": _bomb,
}
SPARSE = tuple(
    "sparse" + suffix for suffix in (".yaml", ".safetensors", ".jsonl", ".proof", ".sweep", ".txt")
)
"""Four gigabytes of nothing."""
NOT_PLAIN: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path),
    "endless": lambda path: path.symlink_to("/dev/zero"),
}
"""What may stand where a file is expected, and never end."""
SUFFIXES = (".yaml", ".jff", ".safetensors", ".jsonl", ".jsonl.gz", ".proof", ".sweep")
SWEEP = {
    "format": "dfst-sweep/2", "tasks": ["add2"], "learners": ["dfst"], "seeds": [0], "set": {}, "digits": [1],
    "recipes": {"quick": {"preset": "quick"}},
}  # fmt: skip
KEPT = {"deep": b"[" * DEEP + b"\n", "noise": bytes(range(256)) + b"\n", "folder": None}
"""What may stand in the folder of a sweep; None: a folder"""
PATTERNS = ("(" * 10_000, "a{1000000000}", "(((a{99}){99}){99})*", "[" + "a" * 100_000, "(a|b)*" * 5_000)


def hostile_files(ground: Ground) -> Iterator[Try]:
    place = ground.place / "hostile"
    place.mkdir(exist_ok=True)
    for name in (*FILES, *SPARSE, *(kind + suffix for kind, suffix in product(NOT_PLAIN, SUFFIXES))):
        yield name, lambda file=place / name: _refused(*_words(_made(file)))
    for kind, file in product(KEPT, ("sweep.json", "results.jsonl")):
        folder = place / f"{kind}-{file}"
        yield folder.name, lambda folder=folder: _refused("sweep", "--resume", _made_sweep(folder))
    for number, pattern in enumerate(PATTERNS):
        words = ("prove", "expert:parity", "--language", pattern)
        yield f"pattern {number}", lambda words=words: _refused(*words)


def _made(file: Path) -> Path:
    if make := NOT_PLAIN.get(file.name.split(".")[0]):
        make(file)
        return file
    content = FILES.get(file.name, b"")
    file.write_bytes(content() if callable(content) else content)
    if file.name in SPARSE:
        os.truncate(file, 1 << 32)
    return file


def _made_sweep(folder: Path) -> Path:
    kind, file = folder.name.split("-")
    folder.mkdir()
    (folder / "sweep.json").write_text(json.dumps(SWEEP))
    (folder / file).unlink(missing_ok=True)
    content = KEPT[kind]
    (folder / file).mkdir() if content is None else (folder / file).write_bytes(content)
    return folder


def _words(file: Path) -> tuple[object, ...]:
    if file.suffix == ".sweep":
        return "sweep", file, "--out", file.parent / "never"
    if file.suffix == ".txt":
        return "run", "add2", file
    if file.name.endswith((".jsonl", ".jsonl.gz")):
        return "learn", file, "--out", file.parent / "never"
    if file.suffix == ".proof":
        return "prove", "add2", "--check", file
    return "run", file, "1"


def _refused(*words: object) -> str:
    done = command(*words, kill_after=4 * SECONDS * busy())
    if not done.told:
        return str(done)
    if done.seconds > SECONDS or done.kilobytes > KILOBYTES:
        return f"took {done.seconds:.1f} s and {done.kilobytes / 1e6:.1f} GB: {done}"
    return ""
