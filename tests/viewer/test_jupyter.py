"""The widget in a real JupyterLab, where one is installed: its keys, and the theme of the lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed; the widget was not tried in it")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("anywidget", reason="the extra `notebook` is not installed")

TOKEN = "for-the-test"
CELLS = ['import dfst\nfrom dfst.viewer.widget import View\nView(dfst.expert("add10"), "999+1")', "1", "2"]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in a JupyterLab that is dark, whatever the system is."""
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "cells": [{**cell, "id": f"cell-{i}", "source": source} for i, source in enumerate(CELLS)],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "try.ipynb").write_text(json.dumps(notebook), "utf-8")
    themes = tmp_path / "settings" / "@jupyterlab" / "apputils-extension"
    themes.mkdir(parents=True)
    (themes / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"}', "utf-8")
    (themes / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}', "utf-8")
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    own = {name: str(tmp_path / name.lower()) for name in homes}
    own["JUPYTERLAB_SETTINGS_DIR"] = str(tmp_path / "settings")
    log = (tmp_path / "lab.log").open("w", encoding="utf-8")
    server = subprocess.Popen(
        [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0",
            f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={tmp_path}",
        ],
        env={**os.environ, **own},
        stdout=log,
        stderr=log,
    )  # fmt: skip
    try:
        yield _address(tmp_path / "jupyter_runtime_dir", server)
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def _address(runtime: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        told = list(runtime.glob("jpserver-*.json"))
        if told and told[0].read_text("utf-8").endswith("}"):
            return f"{json.loads(told[0].read_text('utf-8'))['url']}lab/tree/try.ipynb?token={TOKEN}"
        assert server.poll() is None, "JupyterLab did not start"
        time.sleep(0.2)
    raise AssertionError("JupyterLab did not say where it is")


def _lightness(colour: str) -> float:
    return sum(int(part) for part in colour.strip("rgba()").split(",")[:3]) / 3


def test_in_jupyterlab(ask_node: Callable[..., Any], chromium: str, lab: str) -> None:
    found = ask_node("jupyter.mjs", {"executable": chromium, "url": lab}, timeout=400)
    assert found["before"] == found["after"] == len(CELLS)
    assert found["last"] == len(CELLS) - 1
    assert found["darkLab"]
    ink, card = map(_lightness, found["colours"])
    assert ink - card > 120
