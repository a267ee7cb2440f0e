"""Coq reads what the weights files hold. Where Coq is, its theorems stand, and wrong weights have none."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from test_ambiguous import FORGERIES, put_together, taken_apart

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.proof.language import task_language

ROOT = Path(__file__).parents[2]
COQ = ROOT / "proof" / "coq"
WEIGHTS = ROOT / "src" / "dfst" / "weights"
TASKS = sorted(path.stem for path in (COQ / "theorems").glob("*.v"))
ACTING = [task for task in TASKS if "acts_as" in (COQ / "theorems" / f"{task}.v").read_text("utf-8")]
READ_TWO_WAYS = ["a tensor twice", "a word of the metadata twice", "B lies where A does",
                 "h0 lies behind the file", "four bytes too many", "an alphabet with a hole",
                 "another format"]  # fmt: skip
FILES = [f"{task}{variant}.safetensors" for task in TASKS for variant in ("", ".float32")]
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"theorem_{name}", COQ / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES)
def test_what_the_exporter_writes_is_the_file(file, capsys):
    script("export").main(str(WEIGHTS / file))
    assert capsys.readouterr().out == script("compare").term((WEIGHTS / file).read_bytes())


@pytest.mark.parametrize(
    "forge",
    [
        lambda text: text.replace("0x3f800000", "0x40000000", 1),
        lambda text: text.replace("(1%nat, 0x3f800000)", "", 1),
        lambda text: text.replace("Some U; Some D", "Some D; Some U"),
        lambda text: re.sub("SHA-256 .{64}", "SHA-256 " + 64 * "0", text),
        lambda text: text + "Axiom anything : False.\n",
    ],
    ids=["an entry", "an entry less", "motions", "another file", "an axiom"],
)
def test_any_other_term_is_refused(forge, tmp_path):
    weights, term = WEIGHTS / "add2.float32.safetensors", tmp_path / "Weights.v"
    honest = script("compare").term(weights.read_bytes())
    assert forge(honest) != honest
    term.write_text(forge(honest), encoding="utf-8")
    command = [sys.executable, str(COQ / "compare.py"), str(term), str(weights)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert "not the weights in" in done.stderr


@pytest.mark.parametrize(
    ("key", "value"),
    [("alphabet", '0 1 λ +"%string]|}.Axiom'), ("start", 'operator"'), ("motions", "U D L R S|}.Axiom")],
)
def test_a_file_cannot_speak_coq(key, value, tmp_path):
    tensors, meta = read(WEIGHTS / "add2.float32.safetensors")
    save_file(tensors, tmp_path / "add2.safetensors", meta | {key: value})
    with pytest.raises(SystemExit, match="found"):
        script("compare").term((tmp_path / "add2.safetensors").read_bytes())


@pytest.mark.parametrize("forgery", READ_TWO_WAYS)
def test_a_file_that_can_be_read_two_ways_is_refused(forgery, tmp_path):
    """What safetensors refuses, the reader refuses too: it used to read such files in its own way."""
    text, numbers = taken_apart((WEIGHTS / "add2.float32.safetensors").read_bytes())
    (tmp_path / "forged.safetensors").write_bytes(put_together(*FORGERIES[forgery](text, numbers)))
    command = [sys.executable, str(COQ / "compare.py"), "none.v", str(tmp_path / "forged.safetensors")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (1, 1, False)
    assert "found" in done.stderr


def read(weights: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with safe_open(weights, "np") as file:
        return load_file(weights), file.metadata()


def test_the_page_counts_what_has_to_be_trusted():
    page = (ROOT / "docs" / "concepts" / "theorem.md").read_text("utf-8")
    for name in ("Definitions.v", "compare.py"):
        lines = len((COQ / name).read_text("utf-8").splitlines())
        assert f"| `proof/coq/{name}` | {lines} |" in page
    assert len((COQ / "compare.py").read_text("utf-8").splitlines()) <= 60


@pytest.mark.parametrize("task", ACTING)
def test_the_expert_of_a_theorem_is_the_package_s(task, capsys):
    """Read back from what Coq reads: the names, the start, the blank, the rules and the inputs."""
    script("export_proof").main(str(WEIGHTS / f"{task}.proof.json"))
    told = capsys.readouterr().out.partition("Definition proof")[0]

    def field(name):
        text = re.search(rf"{name} := (.*?)%nat", told, re.DOTALL)[1]
        return eval(text.replace(";", ",").replace("Some ", ""), dict(zip("UDLR", range(4), strict=True)))

    agent = expert(task)
    assert re.findall('"(.*?)"', told) == [*agent.task.alphabet, agent.layout]
    assert (field("void"), agent.task.alphabet[field("void")]) == (agent.blank, "λ")
    asked = task_language(agent.task).as_json()
    for name, part in (("before_head", "before"), ("at_head", "head"), ("after_head", "after")):
        masks = [(p, sum(1 << symbol for symbol in cell), q) for p, cell, q in field(name)]
        assert masks == [tuple(edge) for edge in asked[part]]
    assert field("final") == asked["accepting"]
    rules = [
        [None if q == MISSING else (w, None if q == HALT else (m, q)) for w, m, q in zip(*state, strict=True)]
        for state in zip(agent.write.tolist(), agent.motion.tolist(), agent.next.tolist(), strict=True)
    ]
    assert field("rules") == rules


def test_names_of_a_proof_cannot_speak_coq(tmp_path):
    proof = json.loads((WEIGHTS / "stack.proof.json").read_text("utf-8")) | {"start": 'first"|}. Axiom a'}
    (tmp_path / "forged.json").write_text(json.dumps(proof), encoding="utf-8")
    with pytest.raises(SystemExit, match="names without quotes"):
        script("export_proof").main(str(tmp_path / "forged.json"))


def make(folder: Path, *targets: str) -> str:
    command = ["make", "-C", str(folder / "proof" / "coq"), f"PYTHON={sys.executable}", *targets]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    return done.stdout + done.stderr if done.returncode == 0 else f"REFUSED\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The sources and the weights, and nothing that was made of them."""
    folder = tmp_path_factory.mktemp("checkout")
    made = shutil.ignore_patterns("build", "*.vo*", "*.glob", ".*")
    shutil.copytree(COQ, folder / "proof" / "coq", ignore=made)
    (folder / "src" / "dfst" / "weights").mkdir(parents=True)
    for file in [*FILES, *(f"{task}.proof.json" for task in TASKS)]:
        shutil.copy(WEIGHTS / file, folder / "src" / "dfst" / "weights")
    return folder


@needs_coq
@pytest.mark.slow
def test_the_theorems_stand_and_assume_nothing(checkout):
    told = make(checkout)
    assert "REFUSED" not in told, told
    assert told.count("Closed under the global context") == 2 * len(TASKS)
    assert "Axioms" not in told
    sources = "".join(path.read_text("utf-8") for path in COQ.rglob("*.v"))
    assert not re.search(r"\b(Axiom|Parameter|Conjecture|Admitted|admit|bypass_check|Unset Guard)\b", sources)


@needs_coq
@pytest.mark.slow
def test_wrong_weights_have_no_theorem(checkout, tmp_path):
    """The digit that one state writes on reading 1 is another one."""
    folder = shutil.copytree(checkout, tmp_path / "checkout")
    path = folder / "src" / "dfst" / "weights" / "add2.float32.safetensors"
    tensors, meta = read(path)
    carry = np.flatnonzero(tensors["B"][1, 0])[0]
    tensors["B"][1, :, carry] = tensors["B"][1, ::-1, carry]
    os.unlink(path)
    save_file(tensors, path, meta)
    told = make(folder, "theorems/add2.vo")
    assert told.startswith("REFUSED")
    assert '"eq_refl" has type "true = true" while it is expected to have type "Checker.check' in " ".join(
        told.split()
    )


@needs_coq
@pytest.mark.slow
def test_a_theorem_about_actions_names_the_symbols(checkout, tmp_path):
    """The same numbers with two letters exchanged act otherwise on the same text."""
    folder = shutil.copytree(checkout, tmp_path / "checkout")
    path = folder / "src" / "dfst" / "weights" / "stack.float32.safetensors"
    text, numbers = taken_apart(path.read_bytes())
    path.write_bytes(put_together(text.replace('"a b ', '"b a ', 1), numbers))
    told = make(folder, "theorems/stack.vo")
    assert told.startswith("REFUSED")
    assert "Unable to unify" in told
