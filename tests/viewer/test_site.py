"""The site has every document, is built without a dead link or an outside request, and works in a browser."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
MADE = {
    "about.md",
    "watch.md",
    "reference/command-line.md",
    "reference/python.md",
    "reference/settings.md",
}
"""Pages that tools/site_pages.py makes."""
ADDRESS, SOURCE = "https://example.org/dfst/", "https://example.org/source"


def pages_of(nav: object) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    inner = nav.values() if isinstance(nav, dict) else nav
    return set().union(*map(pages_of, inner))


def test_every_document_has_its_place():
    nav = YAML().load(ROOT / "mkdocs.yml")["nav"]
    docs = ROOT / "docs"
    documents = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    documents = {path for path in documents if not path.startswith("research/")}
    notebooks = {f"notebooks/{path.stem}.md" for path in (ROOT / "docs" / "notebooks").glob("*.py")}
    assert pages_of(nav) == MADE | documents | notebooks


def build(folder: Path, **settings: str) -> Path:
    """The site in a folder; to build it is to check every link."""
    for needed in ("mkdocstrings_handlers.python", "material", "nbclient"):
        pytest.importorskip(needed, reason="the extra `site` is not installed; the site was not built")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **settings})
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, its notebooks not executed."""
    settings = {"DFST_SITE_EXECUTE": "false", "DFST_SITE_COLAB": "", "DFST_SITE_REPO": SOURCE}
    return build(tmp_path_factory.mktemp("site"), DFST_SITE_URL=ADDRESS, **settings)


@pytest.fixture
def served(site) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_it_is_built_and_sound(site):
    for page in MADE:
        assert (site / page).with_suffix(".html").exists()
    assert "999+1" in (site / "live" / "add10.html").read_text("utf-8")
    assert 'id="dfst.load"' in (site / "reference" / "python.html").read_text("utf-8")
    listed = (site / "sitemap.xml").read_text("utf-8")
    for page in ("index.html", "play.html", "watch.html", "concepts/proof.html"):
        assert f"<loc>{ADDRESS}{page}</loc>" in listed
    for page in ("index.html", "about.html"):
        assert f'content="{ADDRESS}site/preview.png"' in (site / page).read_text("utf-8")
    assert f'href="{SOURCE}/blob/main/src/' in (site / "architecture.html").read_text("utf-8")
    assert "colab" not in (site / "notebooks" / "learn-and-prove.html").read_text("utf-8").lower()


def test_it_works_in_a_browser(ask_node: Callable[..., Any], chromium: str, served: str) -> None:
    verdicts = ask_node("site.mjs", {"executable": chromium, "site": served}, timeout=300)
    assert verdicts == dict.fromkeys(verdicts, "ok")
    assert len(verdicts) >= 5


@pytest.mark.slow
def test_notebooks_are_executed_and_open_in_colab(tmp_path):
    site = build(tmp_path, DFST_SITE_EXECUTE="true", DFST_SITE_COLAB="owner/name/blob/notebooks/site")
    notebook = (site / "notebooks" / "learn-and-prove.ipynb").read_text("utf-8")
    assert "proved" in notebook
    assert "pip install" in notebook
    address = "https://colab.research.google.com/github/owner/name/blob/notebooks/site/learn-and-prove.ipynb"
    assert f'href="{address}"' in (site / "notebooks" / "learn-and-prove.html").read_text("utf-8")


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
