"""What has to be trusted is short, and stands by itself."""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

from forging import drop_row, forged

from dfst.experts import expert
from dfst.model import compile_agent, save_weights
from dfst.proof import reading, save_proof

TRUSTED = [Path(reading.__file__).with_name(f"{name}.py") for name in (
    "reading", "checker", "floats", "answer_checker")]  # fmt: skip
OF_BOUNDS, OF_ROOM, OF_SWEEPS = (TRUSTED[0].with_name(f"{name}.py") for name in ("drift", "room", "sweeps"))
"""For models whose hidden states do not repeat to the bit."""

ON_BOARDS = TRUSTED[0].with_name("boards.py")
"""For proofs about boards alone."""


def code_lines(text):
    """The lines that are neither blank nor comment nor docstring."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
                              tokenize.DEDENT, tokenize.ENDMARKER):  # fmt: skip
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def test_the_trusted_code_is_short_and_imports_no_prover():
    assert sum(code_lines(file.read_text()) for file in TRUSTED) < 800
    assert code_lines(OF_BOUNDS.read_text()) < 120
    assert code_lines(OF_ROOM.read_text()) < 60
    assert code_lines(OF_SWEEPS.read_text()) < 160
    imported = set()
    for file in (*TRUSTED, OF_BOUNDS, OF_ROOM, OF_SWEEPS):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported |= {f"{node.module}.{a.name}" if node.module == "dfst.proof" else node.module
                             for a in node.names}  # fmt: skip
    ours = {name.removeprefix("dfst.proof.") for name in imported if name.startswith("dfst")}
    assert ours < {file.stem for file in (*TRUSTED, OF_BOUNDS, OF_ROOM, OF_SWEEPS)}
    rest = {name.split(".")[0] for name in imported} - {"dfst"}
    assert rest <= set(sys.stdlib_module_names) | {"numpy"} | ours


def test_what_is_trusted_of_boards_besides_is_short_and_imports_no_prover():
    text = ON_BOARDS.read_text("utf-8")
    assert code_lines(text) < 220
    assert "dfst.proof" not in text


def test_the_page_counts_what_has_to_be_trusted():
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "proof.md").read_text("utf-8")
    for file in (*TRUSTED, OF_BOUNDS, OF_ROOM, OF_SWEEPS, ON_BOARDS):
        lines = len(file.read_text("utf-8").splitlines())
        assert re.search(rf"\| `proof/{file.name}` \| .* \| {lines} \|", page)


def test_runs_as_a_program(subjects, tmp_path):
    weights = compile_agent(expert("add2"))
    save_weights(weights, tmp_path / "w.safetensors")
    save_weights(compile_agent(expert("sub2")), tmp_path / "other.safetensors")
    save_proof(subjects["bits"][0], tmp_path / "p.json")
    (tmp_path / "forged.json").write_bytes(forged(subjects["bits"][0], drop_row("invariant", 7)))
    for file in (*TRUSTED, OF_BOUNDS, OF_ROOM, OF_SWEEPS):  # alone, away from the package
        (tmp_path / file.name).write_bytes(file.read_bytes())

    def program(*names):
        words = [sys.executable, "-S", "-c", "import sys, runpy; sys.path[:0] = " + repr([*sys.path, "."])]
        words[-1] += "; sys.argv = sys.argv[1:]; runpy.run_path('checker.py', run_name='__main__')"
        return subprocess.run([*words, "checker.py", *names], cwd=tmp_path, capture_output=True, text=True)

    accepted = program("p.json", "w.safetensors")
    assert accepted.returncode == 0, accepted.stderr
    shown = json.loads(accepted.stdout)
    assert shown["accepted"]
    assert shown["claim"] == (
        "compiled:add2 does exactly what expert:add2 does on every input of any length, "
        "in float32 and float64 as it runs, to the bit; "
        "for all a and b (leading zeros allowed): it ends, and writes a+b"
    )
    assert (shown["radius"], shown["margin"], shown["steps"]) == (0, 1, None)
    assert (shown["subject"], shown["reference"]) == ("compiled:add2", "expert:add2")
    assert program("forged.json", "w.safetensors").returncode == 1
    for words in (
        ["p.json"],
        ["none.json"],
        [],
        ["p.json", "other.safetensors"],
        ["w.safetensors"],
        ["p"] * 3,
    ):
        done = program(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
