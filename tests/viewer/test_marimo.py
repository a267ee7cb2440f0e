"""The widget in a real marimo, where one is installed: its keys, and the theme of the notebook."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("marimo", reason="marimo is not installed; the widget was not tried in it")
pytest.importorskip("anywidget", reason="the extra `notebook` is not installed")

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import dfst
    from dfst.viewer.widget import View

    View(dfst.expert("add10"), "999+1")
    return


@app.cell
def _():
    1
    return
"""
SETTINGS = """
[display]
theme = "dark"
[runtime]
auto_instantiate = true
"""
CELLS = NOTEBOOK.count("@app.cell")


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in a marimo that is dark, whatever the system is."""
    (tmp_path / "try.py").write_text(NOTEBOOK, "utf-8")
    settings = tmp_path / "marimo"
    settings.mkdir()
    (settings / "marimo.toml").write_text(SETTINGS, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path / "marimo.log").open("w", encoding="utf-8")
    server = subprocess.Popen(
        [
            sys.executable, "-m", "marimo", "--yes", "edit", str(tmp_path / "try.py"), "--headless",
            "--no-token", "--skip-update-check", "--port", str(port),
        ],
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)},
        cwd=tmp_path,
        stdout=log,
        stderr=log,
    )  # fmt: skip
    try:
        yield _ready(f"http://127.0.0.1:{port}/", server)
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def _ready(address: str, server: subprocess.Popen[bytes]) -> str:
    for _ in range(300):
        assert server.poll() is None, "marimo did not start"
        try:
            with urllib.request.urlopen(f"{address}health", timeout=2):
                return address
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError("marimo does not answer")


def _lightness(colour: str) -> float:
    return sum(int(part) for part in colour.strip("rgba()").split(",")[:3]) / 3


def test_in_marimo(ask_node: Callable[..., Any], chromium: str, notebook: str) -> None:
    found = ask_node("marimo.mjs", {"executable": chromium, "url": notebook}, timeout=200)
    assert found["before"] == found["after"] == CELLS
    assert found["last"] == CELLS + 1
    assert found["inShadow"]
    ink, card = map(_lightness, found["colours"])
    assert ink - card > 120
