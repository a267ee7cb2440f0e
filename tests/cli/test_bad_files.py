"""Weights and machine files that are none, or not what they say: one line, exit status 2, nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from refusing import refuses
from safetensors.numpy import save

from dfst.experts import expert
from dfst.files.sealed import CHECKSUM
from dfst.machines.formats import write_machine
from dfst.model import compile_agent
from dfst.model.weights import from_bytes, to_bytes

GOOD = to_bytes(compile_agent(expert("add2")))


def changed(**changes: Callable[[np.ndarray], np.ndarray]) -> bytes:
    """The weights of add2 with some tensors changed and the metadata as they were."""
    model = compile_agent(expert("add2"))
    tensors = {name: getattr(model, name).copy() for name in ("A", "B", "C", "h0")}
    for name, change in changes.items():
        tensors[name] = change(tensors[name])
    data = to_bytes(model)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    del header["__metadata__"][CHECKSUM]  # as a file that others wrote
    return save(tensors, header["__metadata__"])


def meaning(**changes: str) -> bytes:
    """The weights of add2 with some metadata changed."""
    size = 8 + int.from_bytes(GOOD[:8], "little")
    header = json.loads(GOOD[8:size])
    del header["__metadata__"][CHECKSUM]
    header["__metadata__"] |= changes
    text = json.dumps(header, ensure_ascii=False).encode()
    return len(text).to_bytes(8, "little") + text + GOOD[size:]


def with_nan(tensor: np.ndarray) -> np.ndarray:
    tensor[1, 0, 0] = np.nan
    return tensor


NO_WEIGHTS = (
    "w.safetensors is not a weights file: expected safetensors with A, B, C, h0 (Error while deserializing:"
)
NOT_OURS = "; it was not written by dfst"
WEIGHTS = [
    (b"", f"{NO_WEIGHTS} header too small){NOT_OURS}"),
    (b"hello", f"{NO_WEIGHTS} header too small){NOT_OURS}"),
    (
        GOOD[:-5],
        f"w.safetensors is cut off: expected {len(GOOD):,} bytes, found {len(GOOD) - 5:,}; "
        "fetch or copy it again",
    ),
    (
        GOOD[:50],
        f"w.safetensors is cut off: expected {8 + int.from_bytes(GOOD[:8], 'little')} bytes, found 50; "
        "fetch or copy it again",
    ),
    (
        save({"A": np.zeros(3)}),
        "w.safetensors: expected the format 'dfst/1', found None; it was not written by dfst",
    ),
    (
        changed(B=lambda B: B[:, :-1]),
        "compiled:add2: tensor B must have shape (4, 4, 12) for 4 symbols and 5 motions, found (4, 3, 12)",
    ),
    (
        changed(A=lambda A: A[:, :, :-1]),
        "compiled:add2: tensor A must have shape (4, 12, 12) for 4 symbols and 5 motions, found (4, 12, 11)",
    ),
    (
        changed(C=with_nan),
        "compiled:add2: tensor C holds NaN or infinity; the training run diverged",
    ),
    (
        changed(B=lambda B: B.astype(np.float64)),
        "compiled:add2: tensor B must be float32 like h0, found float64",
    ),
    (
        changed(h0=lambda h0: h0.astype(np.int32)),
        "compiled:add2: tensor h0 must be float32 or float64, found int32",
    ),
    (
        meaning(motions="U U L R S"),
        "compiled:add2: expected motions that all differ, found 'U U L R S'",
    ),
    (
        meaning(task="", start="first", alphabet="0 0 λ +"),
        "compiled:add2: expected symbols that all differ, found '0 0 λ +'",
    ),
    (
        meaning(task=""),
        "w.safetensors starts on the operator but has no task that says which symbol that is",
    ),
]


@pytest.mark.parametrize(("content", "line"), WEIGHTS, ids=[line for _, line in WEIGHTS])
def test_weights_files(dfst, place, content, line):
    (place / "w.safetensors").write_bytes(content)
    refuses(dfst, place, "run w.safetensors 1+1", line)


@pytest.mark.parametrize(("said", "examples"), [("20", 20), ("zero", 0), ("-1", 0), ("9" * 5000, 0), ("", 0)])
def test_what_a_file_says_of_its_examples_is_a_number_or_nothing(said, examples):
    """It is part of what `dfst prove` says of a model."""
    assert from_bytes(meaning(samples=said), "w").examples == examples


def flip(**changes: object) -> str:
    """A machine that exchanges a and another symbol."""
    other = changes.pop("other", "b")
    rules = [["go", "a", other, "R", "go"], ["go", other, "a", "R", "go"], ["go", "_", "_", "S", None]]
    machine = {"format": "dfst-machine/1", "alphabet": ["a", other, "_"], "blank": "_", "states": ["go"]}
    return json.dumps({**machine, "rules": rules, **changes}, ensure_ascii=False)


@pytest.mark.parametrize("symbol", ["λ", " ", "", "a b"])
def test_symbols_that_a_model_cannot_have_are_refused_before_the_training(dfst, place, symbol):
    (place / "m.json").write_text(flip(other=symbol), "utf-8")
    line = f"m: a model knows no symbol {symbol!r}: expected no spaces, and λ only for the blank"
    refuses(dfst, place, "learn m.json", f"{line}; rename it in the machine")


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("m.json", "{", "m.json: json, line 1: not JSON: Expecting property name enclosed in double quotes"),
        ("m.tm", "", "m.tm is empty; give a machine file"),
        ("m.yaml", " \n", "m.yaml is empty; give a machine file"),
        ("m.bb", "1RB", "m.bb: bbchallenge: state A reading 0: expected a symbol 0 to 0 first, found '1RB'"),
    ],
)
def test_what_is_wrong_with_a_machine_file_is_said_with_its_name(dfst, place, name, content, line):
    """Two files may be on the command line."""
    (place / name).write_text(content, "utf-8")
    refuses(dfst, place, f"prove bb2 --against {name}", line)


def test_a_machine_starts_where_its_task_does(dfst, place):
    write_machine(expert("add2"), "m.json")
    machine = json.loads((place / "m.json").read_text("utf-8"))
    (place / "m.json").write_text(json.dumps({**machine, "start": "first"}), "utf-8")
    line = "m.json: json: expected start to be operator, as add2 has it, found 'first'"
    refuses(dfst, place, "prove m.json", line)
    del machine["start"]
    (place / "m.json").write_text(json.dumps(machine), "utf-8")
    assert dfst("run", "m.json", "11+1").out == "100\n"


def test_whatever_a_file_calls_itself_one_line_is_said(dfst, place):
    (place / "m.json").write_text(flip(name="m\nproved: \x1b[31mall"), "utf-8")
    line = "m\ufffdproved: \ufffd[31mall has no task, so there is no expert to compare it with"
    refuses(dfst, place, "prove m.json", f"{line}; name a reference (at the command line: --against SUBJECT)")


def test_a_folder_with_the_name_of_a_model_is_not_in_its_way(dfst, place):
    (place / "add2").mkdir()
    assert dfst("run", "add2", "1+1").out == "10\n"
    assert dfst("prove", "add2", "--check", "nothing.json").err.startswith("dfst: cannot read nothing.json")
    (place / "bb2").mkdir()
    assert dfst("run", "bb2").out == "1111\n"


def test_the_good_weights_are_good(dfst, place):
    (place / "w.safetensors").write_bytes(GOOD)
    assert dfst("run", "w.safetensors", "1+1").out == "10\n"
