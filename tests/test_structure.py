"""The shape of the house: imports run one way, files stay small, torch stays where training is.

Imports are read off the syntax tree of every module, those inside functions included, so that a lazy
import cannot hide a step in the wrong direction.
"""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

LAYERS: tuple[set[str], ...] = (
    {"errors", "counted", "fields"},
    {"files", "paper", "compiling", "languages", "memory", "plugins"},
    {"world"},
    {"tasks"},
    {"machines"},
    {"experts"},
    {"traces"},
    {"model"},
    {"kernels"},
    {"states"},
    {"proof"},
    {"problems"},
    {"evaluation"},
    {"train"},
    {"learning"},
    {"asking"},
    {"subjects"},
    {"viewer"},
    {"experiments"},
    {"bench"},
    {"api"},
    {"cli"},
    {"__main__"},
)
"""A part imports from itself and from the layers before its own; those in one layer know nothing of each
other. `dfst/__init__.py` only names what others define."""

NEED_TORCH = {
    "dfst.bench.recurrence",
    "dfst.bench.rollouts",
    "dfst.bench.timing",
    "dfst.bench.training",
    "dfst.experiments.comparison.measure",
    "dfst.experiments.baselines.network",
    "dfst.experiments.baselines.transformer",
    "dfst.train.engine_gpu",
    "dfst.train.engines",
    "dfst.model.dfst",
    "dfst.kernels.gpu.recurrence",
    "dfst.kernels.gpu.cluster",
    "dfst.kernels.gpu.readout",
    "dfst.kernels.gpu.rollout",
    "dfst.kernels.gpu.stability",
    "dfst.kernels.gpu.nvrtc",
    "dfst.kernels.operator",
    "dfst.kernels.reference.recurrence",
    "dfst.kernels.cpu.sweep",
    "dfst.kernels.gpu.sweep",
}
NEED_TRITON = {
    "dfst.train.engines",
    "dfst.train.gpu_step",
    "dfst.kernels.gpu.kernels",
    "dfst.kernels.gpu.stability",
}
MOST_LINES = 400

FILES = {
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(SOURCE.rglob("*.py"))
}


def imports_of(tree: ast.AST, lazy: bool = False) -> list[tuple[str, bool]]:
    """(module, whether it waits for a call or is for types only) of every import."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [(name if name in FILES else str(node.module), lazy) for name in inner]
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_for_types(node)
        found += imports_of(node, lazy or inside)
    return found


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.fixture(scope="module")
def trees():
    return {module: ast.parse(file.read_text("utf-8")) for module, file in FILES.items()}


@pytest.fixture(scope="module")
def imports(trees):
    return {module: imports_of(tree) for module, tree in trees.items()}


def layer_of(module: str) -> int:
    part = module.split(".")[1]
    at = [i for i, layer in enumerate(LAYERS) if part in layer]
    assert at, f"{module} belongs to no layer: give {part} its place in LAYERS"
    return at[0]


def part_of(module: str) -> str:
    return module.split(".")[1]


def test_imports_run_one_way(imports):
    pairs = [(m, t) for m, found in imports.items() if m != "dfst" for t, _ in found if t.startswith("dfst.")]
    assert [
        f"{module} must not import {target}"
        for module, target in pairs
        if layer_of(target) >= layer_of(module) and part_of(target) != part_of(module)
    ] == []


def test_no_files_import_each_other_in_a_circle(imports):
    graph = {m: {t for t, _ in found if t in FILES} for m, found in imports.items() if m != "dfst"}
    graphlib.TopologicalSorter(graph).prepare()


KINDS = {"TaskProblem", "MachineProblem", "RecordedProblem", "Recording", "Teacher"}
ASKS_THE_KIND = {"dfst.cli.run_subject", "dfst.subjects"}
"""Where a function with a pen is run as it is, not learnt."""


OUTSIDE = ("dfst.train", "dfst.learning", "dfst.evaluation", "dfst.experiments", "dfst.cli", "dfst.api")


def test_nobody_outside_asks_which_kind_a_problem_is(trees):
    """No isinstance on a kind, and no question whether there is a task: the problem says what is to do."""
    for module in [name for name in FILES if name.startswith(OUTSIDE) and name not in ASKS_THE_KIND]:
        for node in ast.walk(trees[module]):
            place = f"{module}, line {getattr(node, 'lineno', 0)}"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "isinstance"
            ):
                asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
                assert not asked & KINDS, place
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute):
                about_none = any(isinstance(c, ast.Constant) and c.value is None for c in node.comparators)
                of_self = isinstance(node.left.value, ast.Name) and node.left.value.id == "self"
                assert not (node.left.attr == "task" and about_none and not of_self), place


@pytest.mark.parametrize(("package", "allowed"), [("torch", NEED_TORCH), ("triton", NEED_TRITON)])
def test_only_training_needs_torch(imports, package, allowed):
    users = {m for m, found in imports.items() for target, _ in found if target.split(".")[0] == package}
    assert users == allowed


def test_files_are_small_named_and_say_why_they_exist(trees):
    for module, file in FILES.items():
        assert file.read_text("utf-8").count("\n") <= MOST_LINES, module
        assert not {"utils", "util", "helpers", "misc", "common"} & set(module.split("."))
        assert ast.get_docstring(trees[module]) or not trees[module].body, f"{module} must say why it exists"
