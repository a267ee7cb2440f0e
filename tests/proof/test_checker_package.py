"""`dfst-checker`: one wheel with the files to be trusted, which runs where there is numpy and no more."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages" / "dfst-checker"
TRUSTED = ("checker.py", "reading.py", "floats.py", "drift.py", "room.py", "sweeps.py", "answer_checker.py")
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A folder with what the wheel holds, and numpy."""
    pytest.importorskip("setuptools")
    place = tmp_path_factory.mktemp("checker")
    copy = place / "packages" / "dfst-checker"
    shutil.copytree(PACKAGE, copy)
    (place / "src" / "dfst" / "proof").mkdir(parents=True)
    for name in TRUSTED:
        shutil.copy(ROOT / "src" / "dfst" / "proof" / name, place / "src" / "dfst" / "proof" / name)
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(place)], cwd=copy, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    [wheel] = place.glob("*.whl")
    site = place / "site"
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
        assert names == {f"dfst_checker/{name}" for name in ("__init__.py", *TRUSTED)}
        packed.extractall(site)
    installed = Path(np.__file__).parent
    for folder in (installed, installed.with_name("numpy.libs")):
        if folder.exists():
            (site / folder.name).symlink_to(folder)
    return site


def run(site, *words):
    code = f"import sys; sys.path = [{str(site)!r}] + [p for p in sys.path if 'site-packages' not in p]"
    code += "; sys.argv = ['dfst-check', *sys.argv[1:]]; from dfst_checker import main; main()"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *map(str, words)], capture_output=True, text=True, cwd=site
    )


def test_it_checks_a_shipped_proof_with_nothing_but_numpy(alone):
    folder = ROOT / "src" / "dfst" / "weights"
    done = run(alone, folder / "add2.proof.json", "--weights", folder / "add2.safetensors")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert (shown["accepted"], shown["strength"], shown["answer"]) == (True, "proved", "a+b")
    other = run(alone, folder / "add2.proof.json", "--weights", folder / "mult2.safetensors")
    assert (other.returncode, other.stdout) == (2, "")
    assert run(alone, folder / "add2.proof.json").returncode == 2


def test_numba_and_the_prover_are_not_there(alone):
    words = [sys.executable, "-I", "-S", "-c"]
    for name in ("numba", "dfst", "torch"):
        code = f"import sys; sys.path.insert(0, {str(alone)!r}); import {name}"
        assert subprocess.run([*words, code], capture_output=True).returncode == 1
