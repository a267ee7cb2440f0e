"""The wheel holds the checker's six files as they stand in src/dfst/proof: there is one source of them."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dfst" / "proof"
FILES = ("checker.py", "reading.py", "floats.py", "drift.py", "room.py", "sweeps.py", "answer_checker.py")


class WithTheChecker(build_py):
    def run(self) -> None:
        super().run()
        for name in FILES:
            shutil.copy(SOURCE / name, Path(self.build_lib, "dfst_checker", name))


setup(cmdclass={"build_py": WithTheChecker})
