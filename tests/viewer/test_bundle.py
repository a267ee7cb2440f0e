"""The scripts made of the viewer's modules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dfst.viewer import bundle as bundling

ENTRIES = ("play", "home", "replay", "widget")


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_bundle_is_one_module_that_parses_and_imports_nothing(
    node: str, tmp_path: Path, entry: str
) -> None:
    script = tmp_path / f"{entry}.mjs"
    script.write_text(bundling.bundle(entry), encoding="utf-8")
    assert "\nimport " not in script.read_text(encoding="utf-8")
    done = subprocess.run([node, "--check", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_private_names_of_modules_stay_apart(
    node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, both = 'import { first } from "./one.js";\n', 'import { both } from "./two.js";\n'
    sources = {
        "one.js": "const secret = 1;\nexport const first = () => secret;\n",
        "two.js": first + "const secret = 2;\nexport function both() {\n  return [first(), secret];\n}\n",
        "main.js": both + first + "console.log(first(), ...both());\n",
    }
    monkeypatch.setattr(bundling, "asset", sources.__getitem__)
    script = tmp_path / "main.mjs"
    script.write_text(bundling.bundle.__wrapped__("main"), encoding="utf-8")
    done = subprocess.run([node, str(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["1", "1", "2"], done.stderr


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ('import one from "./one.js";\n', "imports in a form"),
        ("export default 3;\n", "exports in a form"),
        ('import { x } from "./odd.js";\n', "in a cycle"),
    ],
)
def test_forms_the_bundle_does_not_know_are_refused(
    monkeypatch: pytest.MonkeyPatch, source: str, complaint: str
) -> None:
    sources = {"main.js": 'import { x } from "./odd.js";\n', "odd.js": source}
    monkeypatch.setattr(bundling, "asset", sources.__getitem__)
    with pytest.raises(ValueError, match=complaint):
        bundling.bundle.__wrapped__("main")
