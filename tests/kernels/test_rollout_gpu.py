"""Rollouts on a GPU against the readable loop, action by action and in every bit of h.

What needs no GPU is tested everywhere; the rest with `-m gpu`.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="rollouts on a GPU need torch")

from random_agent import random_agent

from dfst.errors import InputError
from dfst.evaluation.evaluate import evaluate
from dfst.evaluation.side_by_side import SideBySide
from dfst.experts import expert
from dfst.kernels.gpu.nvrtc import SHARED_BYTES
from dfst.kernels.gpu.rollout import DIFFERS, HALTED, NOT_FINITE, RUNNING, Box, GpuRollouts, _seated, spread
from dfst.model import compile_agent
from dfst.model.weights import Shape
from dfst.problems import as_problem
from dfst.subjects import shipped
from dfst.world.grid import Grid, Limits
from dfst.world.unit import ClosedLoop, hold_against


def held(weights, text, agent, limits):
    """By the readable loop: status, steps, head, margin, difference, hidden state and grid at the end."""
    run = hold_against(weights, agent, text, limits)
    status = HALTED if run.halted else RUNNING if run.steps == limits.steps else NOT_FINITE
    weights.reset()
    if run.steps:
        ClosedLoop(weights, text, Limits(steps=run.steps)).finish()
    margin = np.inf if run.margin is None else run.margin
    status = DIFFERS if run.difference else status
    return status, run.steps, run.head, margin, run.difference, weights.hidden.tobytes(), run.cells


def seen(ending):
    run = ending.run
    return ending.status, run.steps, run.head, run.margin, run.difference, ending.h.tobytes(), run.cells


def perturbed(weights, scale, seed):
    rng = np.random.default_rng(seed)
    tensors = {name: getattr(weights, name) for name in ("A", "B", "C", "h0")}
    shaken = {n: (t + scale * rng.standard_normal(t.shape)).astype(t.dtype) for n, t in tensors.items()}
    return replace(weights, **shaken)


def inputs(agent, digits):
    rng = np.random.default_rng(digits)
    lengths = rng.integers(1, digits + 1, (4, agent.task.operand_count))
    return [agent.task.write(agent.task.random_operands(rng, tuple(n.tolist()))) for n in lengths]


def check(models, agent, texts, limits=Limits(), together=0):
    endings = GpuRollouts(models, together=together).endings(texts, agent, limits)
    with np.errstate(all="ignore"):
        for model, row in zip(models, endings, strict=True):
            for text, ending in zip(texts, row, strict=True):
                assert seen(ending) == held(model, text, agent, limits)
    return {ending.status for row in endings for ending in row}


@pytest.mark.gpu
@pytest.mark.parametrize("together", [0, 1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "digits"), [("add2", 12), ("add10", 10), ("mult2", 5), ("mult10", 3)])
def test_learnt_models_act_as_on_the_cpu_to_the_last_bit(name, digits, dtype, together):
    agent, weights = expert(name), shipped(name).astype(dtype)
    assert check([weights], agent, inputs(agent, digits), together=together) == {HALTED}


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["add2", "mult2", "mult10"])
def test_models_that_fail_fail_at_the_same_step_in_the_same_way(name, dtype):
    agent, weights = expert(name), shipped(name).astype(dtype)
    shaken = [perturbed(weights, scale, i) for i, scale in enumerate((0, 1e-3, 1e-2, 0.05, 0.3))]
    assert DIFFERS in check(shaken, agent, inputs(agent, 3), Limits(steps=2000))


@pytest.mark.gpu
def test_an_overflow_ends_a_run_and_no_other():
    agent, weights = expert("mult2"), shipped("mult2").astype(np.float32)
    grown = replace(weights, A=weights.A * np.float32(3e38))
    assert check([weights, grown], agent, inputs(agent, 5)) == {HALTED, NOT_FINITE}


@pytest.mark.gpu
def test_a_limit_of_steps_leaves_a_run_unfinished():
    agent = expert("add2")
    assert check([shipped("add2")], agent, inputs(agent, 6), Limits(steps=7)) == {RUNNING}


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(12))
def test_heads_that_wander_get_larger_boxes(seed):
    agent = random_agent(np.random.default_rng(seed), states=3 + seed, symbols=2 + seed % 4)
    check([compile_agent(agent, dtype=np.float32)], agent, ["", agent.alphabet[1] * 5], Limits(steps=5000))


@pytest.mark.gpu
def test_seeds_are_evaluated_side_by_side_as_one_by_one():
    numba_rollouts = pytest.importorskip(
        "dfst.model.rollout.compiled", reason="rollouts on the CPU need numba"
    )
    agent, weights = expert("add2"), shipped("add2")
    models = [weights, perturbed(weights, 0.05, 1)]
    together = SideBySide(models)
    for model, subject in zip(models, together.subjects, strict=True):
        found, expected = (
            evaluate(who, as_problem(agent), (20,)).measurements[0]
            for who in (subject, numba_rollouts.Rollout(model))
        )
        assert replace(found, seconds=0) == replace(expected, seconds=0)
    assert together.subjects[0].made.keys() == together.subjects[1].made.keys()


@pytest.mark.parametrize(
    ("shape", "itemsize", "blocks"),
    [
        (Shape(4, 5, 12), 4, 1),
        (Shape(12, 5, 20), 8, 1),
        (Shape(12, 5, 108), 4, 4),
        (Shape(12, 5, 108), 8, 8),
        (Shape(40, 5, 128), 8, 1),
        (Shape(4, 5, 2000), 4, None),
    ],
)
def test_matrices_are_spread_over_as_few_blocks_as_hold_them(shape, itemsize, blocks):
    found = spread(shape, itemsize, 500, 1)
    assert (found and found.size) == blocks
    if found:
        assert found.size * found.rows >= shape.d + shape.symbols + shape.motions
        assert found.shared_bytes <= SHARED_BYTES


def test_a_cluster_works_on_one_model():
    seats, owners = _seated(np.array([0, 2, 3, 5, 6, 7]), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert seats.tolist() == [[0, 2], [3, -1], [5, 6], [7, -1]]
    assert owners.tolist() == [0, 0, 1, 1]


def test_a_box_lists_its_cells_like_a_grid():
    grid = Grid(blank=0)
    for x, y, symbol in ((-3, 2, 1), (0, 2, 2), (-3, -1, 3), (4, 0, 1)):
        grid.write((x, y), symbol)
    cells = np.zeros((4, 8), dtype=np.uint8)
    for (x, y), symbol in grid.nonblank():
        cells[y + 1, x + 3] = symbol
    box = Box(cells, (-3, -1), 0)
    assert box.nonblank() == list(grid.nonblank())


def test_models_of_different_shapes_are_refused():
    with pytest.raises(InputError, match="one shape"):
        GpuRollouts([shipped("add2"), shipped("add10")])


def test_a_gpu_machine_needs_no_compiler_for_the_cpu():
    program = """
import sys
sys.modules["numba"] = None
import dfst.evaluation.side_by_side, dfst.kernels.gpu.recurrence, dfst.kernels.gpu.rollout
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_triton_is_missing_the_operator_knows_it():
    program = """
import sys
sys.modules["triton"] = None
import torch
from dfst.kernels import operator
from dfst.kernels.reference import recurrence as plain
assert operator._sweeps(torch.empty(1, 2, 2, device="meta")) is plain
"""
    subprocess.run([sys.executable, "-c", program], check=True)
