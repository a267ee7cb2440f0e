"""The documents are true to the tree: paths and links lead somewhere, and no room goes unmentioned."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dfst"
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
ROOMS = sorted(
    f"{path.name}/" if path.is_dir() else path.name
    for path in SOURCE.iterdir()
    if (path.is_dir() and any(path.iterdir()) and path.name != "__pycache__")
    or (path.suffix == ".py" and path.name != "__init__.py")
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    local = [target for target in targets if not target.startswith(("http:", "https:", "mailto:"))]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_every_picture_is_shown_somewhere():
    told = "".join(document.read_text("utf-8") for document in DOCUMENTS)
    pictures = {path.name for path in (ROOT / "docs" / "images").iterdir() if path.is_file()} - {
        "make.py",
        "teach.mjs",
    }
    assert {name for name in pictures if f"images/{name}" not in told} == set()


@pytest.mark.parametrize(("document", "at_least"), [("docs/architecture.md", 40), ("CONTRIBUTING.md", 5)])
def test_every_path_for_contributors_exists(document: str, at_least: int) -> None:
    text = (ROOT / document).read_text("utf-8")
    paths = [path for path in re.findall(r"`([\w./]+)`", text) if re.search(r"/|\.(py|jsonl)$", path)]
    paths = [path for path in paths if path not in ("dist/", "site/")]  # what a build makes
    assert len(paths) > at_least
    assert [path for path in paths if not ((SOURCE / path).exists() or (ROOT / path).exists())] == []


@pytest.mark.parametrize("room", ROOMS)
def test_the_architecture_names_every_room(room):
    assert f"`{room}`" in (ROOT / "docs" / "architecture.md").read_text("utf-8")


def words(document: Path) -> int:
    return len(document.read_text("utf-8").split())


def test_no_page_is_too_long_to_read():
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "research"]
    assert {page.name: words(page) for page in pages if words(page) > 1_500} == {}
    assert words(ROOT / "README.md") <= 1_200
