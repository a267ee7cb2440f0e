"""The workflows call what exists, may do no more than they must, and publish on a tag only."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOWS: dict[str, dict[str, Any]] = {
    path.stem: YAML(typ="safe").load(path) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
MAY_WRITE = {
    ("site", "deploy"): {"pages": "write", "id-token": "write"},
    ("release", "publish"): {"id-token": "write"},
}
"""The jobs that may do more than read, and what."""


def jobs() -> list[tuple[str, str]]:
    return [(workflow, job) for workflow, content in WORKFLOWS.items() for job in content["jobs"]]


def steps(workflow: str, job: str) -> list[dict[str, Any]]:
    return WORKFLOWS[workflow]["jobs"][job]["steps"]


def test_there_are_these():
    assert set(WORKFLOWS) == {"release", "site", "tests"}


@pytest.mark.parametrize(("workflow", "job"), jobs())
def test_what_they_run_exists(workflow, job):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for step in steps(workflow, job):
        for command in step.get("run", "").splitlines():
            program, *arguments = command.split()
            if program == "make":
                assert set(arguments) <= targets
            elif program != "test":
                assert (ROOT / program).stat().st_mode & 0o111, f"{program} cannot be run"


@pytest.mark.parametrize(("workflow", "job"), jobs())
def test_actions_are_held_to_a_major_version(workflow, job):
    for step in steps(workflow, job):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize(("workflow", "job"), jobs())
def test_they_may_do_no_more_than_they_must(workflow, job):
    content = WORKFLOWS[workflow]
    assert content["permissions"] == {"contents": "read"}
    assert content["jobs"][job].get("permissions", {}) == MAY_WRITE.get((workflow, job), {})
    assert content["jobs"][job]["timeout-minutes"] <= 60


def test_only_a_tag_publishes():
    assert WORKFLOWS["release"]["on"] == {"push": {"tags": ["v*"]}}
    publishing = [
        (w, j) for w, j in jobs() if any("publish@" in step.get("uses", "") for step in steps(w, j))
    ]
    assert publishing == [("release", "publish")]


def test_every_python_that_is_promised_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]["python"] == promised
    assert project["requires-python"] == f">={promised[0]}"
