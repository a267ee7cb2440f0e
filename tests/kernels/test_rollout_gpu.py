"""Rollouts on a GPU against the readable loop, action by action and in every bit of h.

The norm at the smallest margin is summed as in the compiled loop, and compared with it.

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

from dfst.bench.rollouts import turned
from dfst.errors import InputError
from dfst.evaluation.evaluate import evaluate
from dfst.evaluation.side_by_side import SideBySide
from dfst.experts import expert
from dfst.kernels.gpu import rollout
from dfst.kernels.gpu.nvrtc import SHARED_BYTES
from dfst.kernels.gpu.rollout import DIFFERS, HALTED, NOT_FINITE, RUNNING, Box, GpuRollouts, _seated, spread
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Shape
from dfst.problems import as_problem
from dfst.subjects import shipped
from dfst.world.grid import Grid, Limits
from dfst.world.unit import ClosedLoop, hold_against


def held(weights, text, agent, limits):
    """On the CPU: status, steps, head, margin, norm, difference, hidden state and grid at the end."""
    run = hold_against(weights, agent, text, limits)
    status = HALTED if run.halted else RUNNING if run.steps == limits.steps else NOT_FINITE
    weights.reset()
    if run.steps:
        ClosedLoop(weights, text, Limits(steps=run.steps)).finish()
    margin = np.inf if run.margin is None else run.margin
    norm = Rollout(weights).run(text, limits, agent).norm
    status = DIFFERS if run.difference else status
    return (
        status, run.steps, run.head, margin, np.float64(norm).tobytes(), run.difference,
        bits(weights.hidden), run.cells,
    )  # fmt: skip


def seen(ending):
    run = ending.run
    return (
        ending.status, run.steps, run.head, run.margin, np.float64(run.norm).tobytes(), run.difference,
        bits(ending.h), run.cells,
    )  # fmt: skip


def bits(h):
    """Every NaN with the same bits; which ones an operation gives is the processor's choice."""
    return np.where(np.isnan(h), h.dtype.type(np.nan), h).tobytes()


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
@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [0.3, 3, 1e-25, 1e25])
@pytest.mark.parametrize(("name", "digits"), [("add2", 12), ("mult10", 3)])
def test_hidden_states_that_fade_or_grow_are_rescaled_as_on_the_cpu(
    name, digits, factor, dtype, together, monkeypatch
):
    """Over many launches. With 1e±25 one rescaling a step is not enough: launches begin beyond 2^±60."""
    monkeypatch.setattr(rollout, "FIRST_STEPS", 3)
    monkeypatch.setattr(rollout, "SECONDS_A_LAUNCH", 0)
    agent, exact = expert(name), shipped(name).astype(dtype)
    models = [exact, turned(exact, np.random.default_rng(0))]
    scaled = [replace(weights, A=weights.A * dtype(factor)) for weights in models]
    texts = inputs(agent, digits)
    for steps in (1, 2, 8):
        check(scaled, agent, texts, Limits(steps=steps), together)
    ended = check(scaled, agent, texts, together=together)
    assert (ended == {HALTED}) == (factor in (0.3, 3))


@pytest.mark.gpu
def test_of_steps_with_equal_leads_the_first_tells_the_norm():
    agent, exact = expert("add2"), shipped("add2")
    size = np.exp2(np.arange(exact.shape.d)).astype(exact.dtype)
    A, B, C, h0 = exact.A * size[:, None] / size, exact.B / size, exact.C / size, exact.h0 * size
    assert check([replace(exact, A=A, B=B, C=C, h0=h0)], agent, inputs(agent, 6)) == {HALTED}


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
    agent, weights = expert("add2"), shipped("add2")
    models = [weights, perturbed(weights, 0.05, 1)]
    together = SideBySide(models)
    for model, subject in zip(models, together.subjects, strict=True):
        found, expected = (
            evaluate(who, as_problem(agent), (20,)).measurements[0] for who in (subject, Rollout(model))
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
