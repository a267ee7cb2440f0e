"""The site has every document, and is built without a dead link or an outside request."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
MADE = {"index.md", "quickstart.md", "reference.md", "results.md", "watch.md"}
"""Pages that tools/site_pages.py makes."""


def pages_of(nav: object) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    inner = nav.values() if isinstance(nav, dict) else nav
    return set().union(*map(pages_of, inner))


def test_every_document_has_its_place():
    nav = YAML(typ="safe").load(ROOT / "mkdocs.yml")["nav"]
    documents = {path.name for path in (ROOT / "docs").glob("*.md")}
    notebooks = {f"notebooks/{path.stem}.md" for path in (ROOT / "docs" / "notebooks").glob("*.py")}
    assert pages_of(nav) == MADE | documents | notebooks


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("mkdocstrings_handlers.python")
    pytest.importorskip("material")
    pytest.importorskip("nbclient")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_it_is_built_and_sound(site):
    for page in MADE:
        assert (site / page).with_suffix(".html").exists()
    assert "999+1" in (site / "live" / "add10.html").read_text("utf-8")
    assert "proved" in (site / "notebooks" / "learn-and-prove.ipynb").read_text("utf-8")
    assert 'id="dfst.load"' in (site / "reference.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('<a href="nowhere.html">x</a>', "leads nowhere"),
        ('<a href="proof.html#nothing">x</a>', "names no place on that page"),
        ('<script src="https://example.org/x.js"></script>', "asks another host"),
        ('<a href="https://example.org/">x</a>', None),
    ],
)
def test_what_is_unsound_is_found(tmp_path, line, fault):
    pytest.importorskip("mkdocs")
    spec = importlib.util.spec_from_file_location("site_links", ROOT / "tools" / "site_links.py")
    links = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(links)
    (tmp_path / "proof.html").write_text('<h1 id="proof">x</h1>', "utf-8")
    (tmp_path / "page.html").write_text(line, "utf-8")
    found = links.faults(tmp_path)
    assert len(found) == (fault is not None)
    assert fault is None or found[0].endswith(fault)
