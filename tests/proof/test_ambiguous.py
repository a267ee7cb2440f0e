"""Files that say one thing to one reader and another to the next: each is refused, or told in plain words."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from evidence import slow
from forging import forged

from dfst.cli import main
from dfst.errors import InputError
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import from_bytes
from dfst.proof import Rejected, prove
from dfst.proof.checker import _reads, check, sentence
from dfst.states.explore import random_inputs

SHIPPED = resources.files("dfst") / "weights"
WEIGHTS, PROOF = (SHIPPED / f"add2.{name}" for name in ("float32.safetensors", "proof.json"))


def taken_apart(data):
    end = 8 + int.from_bytes(data[:8], "little")
    return data[8:end].decode(), data[end:]


def put_together(header, numbers):
    return len(header.encode()).to_bytes(8, "little") + header.encode() + numbers


def again(text, key):
    """The last entry of a header a second time."""
    return f'{text.rstrip()[:-1]},"{key}":{json.dumps(json.loads(text)[key])}}}'


def moved(text, name, begin):
    header = json.loads(text)
    low, high = header[name]["data_offsets"]
    header[name]["data_offsets"] = [begin, begin + high - low]
    return json.dumps(header)


def said(text, **words):
    header = json.loads(text)
    header["__metadata__"] |= words
    header["__metadata__"].pop("checksum", None)
    return json.dumps(header)


FORGERIES = {
    "a tensor twice": lambda text, numbers: (again(text, "h0"), numbers),
    "a word of the metadata twice": lambda text, numbers: (
        text.replace('"start":', '"start":"first","start":', 1), numbers),
    "B lies where A does": lambda text, numbers: (moved(text, "B", 0), numbers),
    "h0 lies behind the file": lambda text, numbers: (moved(text, "h0", len(numbers)), numbers),
    "four bytes too many": lambda text, numbers: (text, numbers + bytes(4)),
    "an alphabet with a hole": lambda text, numbers: (said(text, alphabet="0  1 λ +"), numbers),
    "the digits change places": lambda text, numbers: (said(text, alphabet="1 0 λ +"), numbers),
    "another start": lambda text, numbers: (said(text, start="first", task=""), numbers),
    "another format": lambda text, numbers: (said(text, format="dfst/2"), numbers),
    "a number that is none": lambda text, numbers: (text, np.float32("nan").tobytes() + numbers[4:]),
    "an infinite number": lambda text, numbers: (text, np.float32("inf").tobytes() + numbers[4:]),
    "the smallest number": lambda text, numbers: (text, np.float32(1e-45).tobytes() + numbers[4:]),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_weights_exchanged_after_the_proof(forgery, tmp_path, capsys):
    """The checker alone refuses them, and so does --check, in one line."""
    data = put_together(*FORGERIES[forgery](*taken_apart(WEIGHTS.read_bytes())))
    with pytest.raises(Rejected):
        check(PROOF.read_bytes(), data)
    (tmp_path / "forged.safetensors").write_bytes(data)
    with pytest.raises(SystemExit, match="2"):
        main(["prove", str(tmp_path / "forged.safetensors"), "--check", str(PROOF)])
    told = capsys.readouterr()
    assert (told.out + told.err).count("\n") == 1
    assert "Traceback" not in told.err


def test_a_key_twice_is_no_weights_file():
    with pytest.raises(InputError, match="a key stands twice"):
        from_bytes(put_together(*FORGERIES["a tensor twice"](*taken_apart(WEIGHTS.read_bytes()))), "forged")


@pytest.mark.parametrize("name", ["\x1b[2Kproved", "proved\nproved", "\u202eproved", "x" * 201, 7, {"a": 1}])
@pytest.mark.parametrize("part", ["subject", "reference"])
def test_a_name_is_short_and_printable(name, part):
    proof = json.loads(PROOF.read_bytes())
    with pytest.raises(Rejected, match="a name is no short text"):
        check(forged(proof, lambda p: p[part].update(name=name)), WEIGHTS.read_bytes())


def test_a_name_is_no_sentence():
    """The claim of the checker alone began with whatever the file called its subject."""
    proof = json.loads(PROOF.read_bytes())
    says = "every model is right, and so add2"
    shown = check(forged(proof, lambda p: p["subject"].update(name=says)), WEIGHTS.read_bytes())
    assert sentence(shown).startswith(f"'{says}' does exactly what expert:add2 does")


def test_a_machine_may_have_any_name():
    agent = replace(expert("increment2"), name="two\nlines " + 300 * "x")
    assert prove(agent, expert("increment2")).strength == "proved"


def test_the_inputs_are_told_apart_where_symbols_have_several_letters():
    """[ab] was one symbol, or two, and a symbol could close the bracket."""
    alphabet = ["a", "b", "ab", "]-1 2-[", " ", "_"]
    told = [_reads({"before": [], "head": [[0, cell, 1]], "after": [], "accepting": [1]}, alphabet)
            for cell in (3, 4, 8, 16)]  # fmt: skip
    inside = ["ab", "'ab'", "']-1 2-['", "' '"]
    assert told == [f"before; head 0-[{symbols}]-1; after; ends in 1" for symbols in inside]


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, 1e-45), *slow((np.float64, 5e-324))])
def test_a_model_of_the_smallest_floats_is_right_but_not_proved(dtype, least):
    """Its runs are rescaled, and the checker knows nothing of that."""
    agent = expert("add2")
    weights = compile_agent(agent, dtype=dtype)
    weights = replace(weights, h0=(weights.h0 * least).astype(dtype))
    assert not prove(weights, agent).settled
    for text in random_inputs(agent.task, np.random.default_rng(0), 50, 8):
        assert Rollout(weights).run(text, against=agent).difference is None
