"""One Neural GPU under the protocol of the comparison: trained from a seed, then asked as any other subject.

It takes no actions on a grid that could be held against an expert's, so only its answers count: a run of it
is one row of digits that stands there after n steps of its own. That is less than what is asked of the
learners of grid agents, which must be right in every action.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.agents.agent import Agent
from dfst.agents.task import DIGITS, Task, find_task
from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.neural_gpu.checkpoint import read_checkpoint, write_checkpoint
from dfst.experiments.rivals.neural_gpu.curriculum import Recipe
from dfst.experiments.rivals.neural_gpu.data import EXAMPLES, check_task, decode, encode
from dfst.experiments.rivals.neural_gpu.model import NeuralGPU, Shape, gated_unit
from dfst.experiments.rivals.neural_gpu.training import Stack, Student
from dfst.experiments.rivals.training import Budget
from dfst.learning.interrupts import interrupts_held
from dfst.world.grid import BLANK, Grid, Limits
from dfst.world.run import Run

CHECKPOINT_SECONDS = 20.0
SLOW = Recipe(columns=336, round_steps=50, least_steps=15)
"""Without a GPU: a quarter of the questions a step, judged more often."""
RATES = (0.004, 0.008, 0.003)
"""Learning rates, which the seeds take in turn: what was published is the best of many settings, too."""
COLUMNS_AT_ONCE = 1 << 20
"""Columns of image that are worked on at a time when questions are asked."""


def train(assignment: Assignment) -> Trained:
    """Train one seed within its budget, with checkpoints in its folder."""
    task = find_task(assignment.agent.name)
    check_task(task)
    recipe = Recipe() if assignment.device == "cuda" else SLOW
    recipe = replace(recipe, iterations=assignment.iterations or recipe.iterations)
    shape = Shape(radix=task.radix)
    student = Student(task, assignment.seed, RATES[assignment.seed % len(RATES)])
    stack = Stack([student], shape, recipe, assignment.device, record=assignment.device == "cuda")
    loss, seconds = train_stack(stack, assignment)
    return Trained(
        subject=NeuralGpuSubject(task, shape.averaged(), stack.final_parameters()),
        samples=recipe.longest * EXAMPLES,
        parameters=shape.averaged().size,
        iterations=stack.iteration,
        seconds=seconds,
        loss=loss,
        settings=settings_of(stack, 0),
    )


def train_stack(stack: Stack, assignment: Assignment) -> tuple[float, float]:
    """Train until the budget is spent; the last loss and the wall time."""
    file = assignment.folder / "checkpoint.safetensors"
    before = read_checkpoint(stack, file)
    budget = Budget(stack.recipe.iterations, assignment.seconds or math.inf)
    began = saved = time.monotonic()
    while (spent := budget.spent(stack.iteration, before + time.monotonic() - began)) < 1:
        with interrupts_held():
            report = stack.run_round(spent, began + budget.seconds - before)
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                write_checkpoint(stack, before + time.monotonic() - began, file)
                saved = time.monotonic()
        if assignment.progress:
            assignment.progress(stack.iteration, budget.iterations, float(report.loss[0]))
    seconds = before + time.monotonic() - began
    write_checkpoint(stack, seconds, file)
    return float(stack.courses.losses[0, -1]), seconds


def settings_of(stack: Stack, model: int) -> dict[str, object]:
    """What else decided the outcome of one model of a stack, and how far its curriculum went."""
    shape, recipe, courses = stack.shape, stack.recipe, stack.courses
    return {
        "maps": shape.maps,
        "height": shape.height,
        "units": shape.units,
        "relaxed_sets": shape.sets,
        "kernel_weights": shape.kernel_weights,
        "columns": recipe.columns,
        "rate": stack.students[model].rate or recipe.learning_rate,
        "dropout": recipe.dropout,
        "gradient_noise": recipe.gradient_noise,
        "trained_together": len(stack.students),
        "own_steps": int(stack.taken[model]),
        "restarts": int(courses.attempt[model]),
        "curriculum_digits": int(courses.length[model]),
        "pull": float(courses.pull[model]),
        "judged_by": "answers; there are no actions to compare",
    }


class NeuralGpuSubject:
    """A trained model that answers questions."""

    def __init__(self, task: Task, shape: Shape, theta: Tensor, name: str = "neural-gpu") -> None:
        """theta: (1, p), one set of shared parameters."""
        self.task, self.name = task, name
        self.model = NeuralGPU(shape, theta, gated_unit)

    def run_many(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> list[Run]:
        """The answers as rows on a grid. Neither limits nor an expert apply: there are no actions."""
        began = time.perf_counter()
        questions = [encode(self.task, self.task.parse(text)) for text in texts]
        answers: list[str] = [""] * len(texts)
        for length in sorted({len(question) for question in questions}):
            places = [i for i, question in enumerate(questions) if len(question) == length]
            rows = np.stack([questions[i] for i in places])
            for place, answer in zip(places, answer_all(self.model, rows[None])[0], strict=True):
                answers[place] = decode(answer)
        share = (time.perf_counter() - began) / max(1, len(texts))
        return [
            answered(self.name, self.task, text, answer, len(question), share)
            for text, answer, question in zip(texts, answers, questions, strict=True)
        ]


@torch.no_grad()
def answer_all(model: NeuralGPU, questions: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(s, q, n) the digits each model answers to questions (1 or s, q, n) of one length."""
    models, (_, count, n) = model.theta.shape[0], questions.shape
    at_once = max(1, COLUMNS_AT_ONCE // (models * (n + 1)))
    pieces = []
    for start in range(0, count, at_once):
        piece = torch.from_numpy(questions[:, start : start + at_once]).to(model.theta.device)
        scores = model(piece.expand(models, -1, -1))
        pieces.append(scores.argmax(dim=3).cpu().numpy())
    return np.concatenate(pieces, axis=1)


def answered(name: str, task: Task, text: str, answer: str, steps: int, seconds: float) -> Run:
    """An answer as a run that halted with it on the grid."""
    blank = task.alphabet.index(BLANK)
    grid = Grid(blank, max_cells=len(answer))
    grid.lay([DIGITS.index(digit) for digit in answer])
    return Run(name, text, task.alphabet, steps, True, (0, 0), seconds, grid)
