"""Whether every link of the built site leads somewhere, and no page asks anything of anybody else.

Called by MkDocs when a build is done (mkdocs.yml, hooks). It reads what a browser would read, so it sees what
themes, plugins and pages written by hand have put there; MkDocs itself checks only its own links.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError

LEADS_AWAY = "a"
"""The one element that may name another host: a person has to click on it."""


class Page(HTMLParser):
    """What a page names: its own anchors, and (element, address) of what it points at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {""}
        self.addresses: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if ("rel", "canonical") in attrs:  # names a page, and asks nothing
            return
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.anchors.add(value)
            elif key in ("href", "src", "data") and value is not None:
                self.addresses.append((tag, value))


def on_post_build(config: Any) -> None:
    """Refuse a site with a dead link or an outside request."""
    root = urlsplit(config["site_url"] or "").path or "/"
    if found := faults(Path(config["site_dir"]), root):
        raise PluginError("\n".join(["the site is not sound:", *found]))


def faults(site: Path, root: str = "/") -> list[str]:
    """A line for each link that leads nowhere and each request to another host; `root` is the site's path."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        # Servers show this page at any address, so its links begin at the root.
        home = site if path.name == "404.html" else path.parent
        for tag, address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme in ("data", "mailto"):
                continue
            place = f"{path.relative_to(site)}: <{tag}> {address}"
            if parts.scheme or parts.netloc:
                found += [] if tag == LEADS_AWAY else [f"{place} asks another host"]
                continue
            local = unquote(parts.path).removeprefix(root).lstrip("/")
            target = (home / local).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{place} leads nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{place} names no place on that page")
    return found
