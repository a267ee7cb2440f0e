"""Node and Chromium for the viewer's tests; where they are absent the tests skip and say so."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "tools"))
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def node() -> str:
    path = shutil.which("node")
    if path is None:
        pytest.skip("node is not installed; the viewer's JavaScript was not tested")
    return path


@pytest.fixture(scope="session")
def chromium() -> str:
    path = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium found; the browser tests did not run")
    if not all((HERE / "node_modules" / name).is_dir() for name in ("axe-core", "playwright-core")):
        pytest.skip("a package is missing; run: npm install --prefix tests/viewer --no-package-lock")
    return path


@pytest.fixture(scope="session")
def ask_node(node: str) -> Callable[[str, Any], Any]:
    """Run one of the scripts here on a value, as JSON in and JSON out."""

    def ask(script: str, value: Any, timeout: float = 120) -> Any:
        done = subprocess.run(
            [node, str(HERE / script)],
            input=json.dumps(value),
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask
