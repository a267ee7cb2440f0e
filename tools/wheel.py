"""Whether a wheel holds what it needs and no more, and works where nothing else is installed.

    python tools/wheel.py dist/dfst-0.1.0-py3-none-any.whl        (make wheel builds it first)

It must hold the files of src/dfst that git knows, less those that only the tests need. It is then installed
into an environment of its own, which lasts as long as this script, with what it asks for and without torch.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOR_TESTS = {"dfst/viewer/web/package.json"}
"""Tells Node, which runs the viewer's tests, that these are modules; browsers do not ask."""


def differences(wheel: Path) -> list[str]:
    """What is in the wheel and should not be, or should be and is not; a line for each."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        ["git", "ls-files", "dfst"], cwd=ROOT / "src", capture_output=True, text=True, check=True
    )
    wanted = set(listed.stdout.split()) - FOR_TESTS
    return [f"missing: {name}" for name in sorted(wanted - names)] + [
        f"should not be there: {name}" for name in sorted(names - wanted)
    ]


def check_alone(wheel: Path) -> None:
    """Install it into an empty environment and have a learnt model add there."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        binaries = Path(folder, "Scripts" if sys.platform == "win32" else "bin")

        def call(*command: str) -> str:
            program = str(binaries / command[0])
            # From that folder, so that nothing of this tree is on the path.
            found = subprocess.run([program, *command[1:]], cwd=folder, capture_output=True, text=True)
            if found.returncode:
                sys.exit(f"{' '.join(command)}: exit status {found.returncode}\n{found.stdout}{found.stderr}")
            return found.stdout

        pip = ("python", "-m", "pip", "--quiet", "--disable-pip-version-check")
        call(*pip, "install", "-c", str(ROOT / "constraints.txt"), str(wheel.resolve()))
        call(*pip, "check")
        call("python", "-c", "import importlib.util as u; assert u.find_spec('torch') is None")
        answer = call("dfst", "run", "add2", "1+1")
        if "10" not in answer.split():
            sys.exit(f"dfst run add2 1+1: expected the answer 10, found {answer!r}")


def main() -> None:
    wheel = Path(sys.argv[1])
    if found := differences(wheel):
        sys.exit("\n".join([f"{wheel.name} is not what src/dfst is:", *found]))
    check_alone(wheel)
    print(f"{wheel.name}: holds what it needs and no more; installed without torch, it adds 1+1")


if __name__ == "__main__":
    main()
