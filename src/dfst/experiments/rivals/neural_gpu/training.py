"""Training a stack of Neural GPUs at once: several seeds, or several tasks of one radix, in one pass.

A step asks every model questions of one length. The models that do not learn from it (see `curriculum`)
keep their parameters. Everything in a step happens on the device, the drawing of questions included, so that
a GPU can replay it as one recorded graph; the host looks at the outcome once a round.

All randomness of a round comes from the stack's first seed and the iteration at which the round begins: a run
that continues from a checkpoint goes on as if it had not stopped.

Legend: s models, p parameters of a model, q questions, n cells of a question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from dfst.agents.task import Task
from dfst.errors import InputError
from dfst.experiments.rivals.neural_gpu.curriculum import (
    Courses,
    Recipe,
    choose_leader,
    choose_length,
    first_courses,
    gradient_noise,
    judge_round,
    takes_part,
)
from dfst.experiments.rivals.neural_gpu.data import EXAMPLES, cells, training_set
from dfst.experiments.rivals.neural_gpu.model import (
    NeuralGPU,
    Shape,
    Unit,
    averaged,
    gated_unit,
    initial_parameters,
    sets_of,
)

BETAS = (0.9, 0.999)
EPSILON = 1e-4


@dataclass(frozen=True)
class Student:
    """One model of a stack."""

    task: Task
    seed: int
    rate: float | None = None
    """Learning rate; None for the recipe's."""


@dataclass(frozen=True)
class RoundReport:
    """What a round of steps came to."""

    iteration: int
    seconds: float
    steps: NDArray[np.float64]
    """(s,) steps at lengths the model has come to"""
    loss: NDArray[np.float64]
    """(s,) mean loss of these steps; NaN if there were none"""
    wrong: NDArray[np.float64]
    """(s,) part of their answers that were wrong"""
    courses: Courses


class Stack:
    """Models in training, with everything a checkpoint must hold."""

    def __init__(
        self,
        students: Sequence[Student],
        shape: Shape,
        recipe: Recipe,
        device: str,
        unit: Unit = gated_unit,
        examples: int = EXAMPLES,
        record: bool = False,
    ) -> None:
        """With `record`, each length's step is recorded once as a CUDA graph and replayed from then on."""
        if {student.task.radix for student in students} != {shape.radix}:
            raise InputError(f"a stack of radix {shape.radix} takes tasks of that radix only")
        if recipe.columns < cells(recipe.longest) + 1:
            raise InputError(
                f"{recipe.columns} columns cannot hold a question about {recipe.longest} digits; "
                f"give at least {cells(recipe.longest) + 1}"
            )
        self.students, self.shape, self.recipe = tuple(students), shape, recipe
        self.iteration = 0
        self.courses = first_courses(self._rates(), recipe)
        self.device = torch.device(device)
        theta = np.stack([initial_parameters(shape, student.seed) for student in students])
        self.model = NeuralGPU(shape, torch.from_numpy(theta).to(self.device), unit)
        self.first = torch.zeros_like(self.theta)
        """(s, p) Adam's running mean of gradients"""
        self.second = torch.zeros_like(self.theta)
        """(s, p) Adam's running mean of squared gradients"""
        self.taken = torch.zeros(len(students), device=self.device)
        """(s,) steps a model learnt from"""
        self._questions, self._answers = self._sets(examples)
        self._orders = torch.zeros(5, len(students), device=self.device)
        """(5, s) about a step: who learns, who is at a length it has come to, rate, pull, gradient noise"""
        self._sums = torch.zeros(3, len(students), device=self.device)
        """(3, s) over the steps of a round: how many were at a model's own lengths, their losses, errors"""
        self._recordings: dict[int, torch.cuda.CUDAGraph] | None = {} if record else None
        self._pool = torch.cuda.graph_pool_handle() if record else None

    @property
    def theta(self) -> Tensor:
        """(s, p)"""
        return self.model.theta

    def final_parameters(self) -> Tensor:
        """(s, p of one set) the models as they are used: the sets averaged."""
        return averaged(self.theta.detach(), self.shape)

    def run_round(self, spent: float = 0.0, deadline: float = math.inf) -> RoundReport:
        """Steps until the next judgement, and the judgement.

        spent: the part of the budget that is gone. deadline: by time.monotonic(); no step begins later.
        """
        began = time.perf_counter()
        rng = np.random.default_rng([self.students[0].seed, self.iteration])
        torch.manual_seed(int(rng.integers(2**62)))
        self._sums.zero_()
        lengths, orders = self._plan_round(rng)
        for digits, order in zip(lengths, torch.from_numpy(orders).to(self.device), strict=True):
            if time.monotonic() >= deadline:
                break
            self._orders.copy_(order)
            self._take(digits)
            self.iteration += 1
        steps, loss, wrong = self._sums.double().cpu().numpy()
        verdict = judge_round(self.courses, steps, loss, wrong, spent, self._rates(), self.recipe)
        self._follow(verdict.average, verdict.restart, verdict.courses)
        self.courses = verdict.courses
        with np.errstate(invalid="ignore"):
            return RoundReport(
                self.iteration, time.perf_counter() - began, steps, loss / steps, wrong / steps, self.courses
            )

    def _plan_round(self, rng: np.random.Generator) -> tuple[list[int], NDArray[np.float32]]:
        """The length of each step, and what the host decides about it: (steps, 5, s), see `_orders`.

        All of it at once, because a device that must wait for the host at every step stands idle.
        """
        courses, recipe = self.courses, self.recipe
        noise = gradient_noise(courses, self.iteration, recipe)
        lengths, orders = [], []
        for _ in range(min(recipe.round_steps, recipe.iterations - self.iteration)):
            leader = choose_leader(courses, rng)
            digits = choose_length(int(courses.length[leader]), recipe.longest, rng)
            part = takes_part(courses, digits, leader, rng)
            lengths.append(digits)
            orders.append([part, part & (digits <= courses.length), courses.rate, courses.pull, noise])
        return lengths, np.array(orders, dtype=np.float32)

    def _rates(self) -> NDArray[np.float64]:
        """(s,) the learning rate each model begins with."""
        return np.array([st.rate or self.recipe.learning_rate for st in self.students])

    def _sets(self, examples: int) -> tuple[list[Tensor], list[Tensor]]:
        """[length] questions and answers (s, examples, n) of every model."""
        sets = [training_set(st.task, st.seed, self.recipe.longest, examples) for st in self.students]
        questions = [np.stack([s.questions for s in same]) for same in zip(*sets, strict=True)]
        answers = [np.stack([s.answers for s in same]) for same in zip(*sets, strict=True)]
        return (
            [torch.from_numpy(q).to(self.device) for q in questions],
            [torch.from_numpy(a).to(self.device) for a in answers],
        )

    def _take(self, digits: int) -> None:
        if self._recordings is None:
            self._step(digits)
            return
        if digits not in self._recordings:
            self._recordings[digits] = self._record(digits)
        self._recordings[digits].replay()

    def _record(self, digits: int) -> torch.cuda.CUDAGraph:
        """The step as a graph. It is taken a few times first, as recording demands, with nobody learning."""
        orders = self._orders.clone()
        self._orders.zero_()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._step(digits)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._step(digits)
        self._orders.copy_(orders)
        return graph

    def _step(self, digits: int) -> None:
        """One step at one length: draw, answer, learn, count."""
        questions, answers = self._draw(digits)
        scores = self.model(questions, self.recipe.columns, self.recipe.dropout * 8 / cells(digits))
        errors = functional.cross_entropy(scores.flatten(0, 2), answers.flatten(), reduction="none")
        loss = errors.view(len(self.students), -1).mean(dim=1)
        total = (loss + self._orders[3] * self.model.distance()).sum()
        (gradient,) = torch.autograd.grad(total, self.theta)
        with torch.no_grad():
            self._learn(gradient)
            wrong = (scores.argmax(dim=3) != answers).any(dim=2).float().mean(dim=1)
            self._sums += self._orders[1] * torch.stack([torch.ones_like(loss), loss, wrong])

    def _draw(self, digits: int) -> tuple[Tensor, Tensor]:
        """Questions and answers (s, q, n): as many as the ribbon holds."""
        questions, answers = self._questions[digits - 1], self._answers[digits - 1]
        models, examples, n = questions.shape
        count = self.recipe.columns // (n + 1)
        chosen = torch.randint(examples, (models, count, 1), device=self.device).expand(-1, -1, n)
        return questions.gather(1, chosen).long(), answers.gather(1, chosen).long()

    def _learn(self, gradient: Tensor) -> None:
        """Adam on gradients that are clipped, then made noisy; models that take no part stay as they are."""
        part, _, rate, _, noise = self._orders[:, :, None].unbind(0)
        norm = gradient.norm(dim=1, keepdim=True)
        usable = torch.isfinite(norm)
        part = part * usable
        scale = (self.recipe.largest_gradient / norm).clamp(max=1.0)
        gradient = torch.where(usable, gradient * scale, 0.0)
        gradient = gradient + noise * torch.randn_like(gradient)
        self.taken += part[:, 0]
        first_left, second_left = (1 - beta ** self.taken.clamp(min=1)[:, None] for beta in BETAS)
        self.first += part * (1 - BETAS[0]) * (gradient - self.first)
        self.second += part * (1 - BETAS[1]) * (gradient.square() - self.second)
        stride = (self.first / first_left) / ((self.second / second_left).sqrt() + EPSILON)
        self.theta.sub_(part * rate * stride)

    @torch.no_grad()
    def _follow(self, average: NDArray[np.bool_], restart: NDArray[np.bool_], courses: Courses) -> None:
        """Average the sets of some models; let others begin anew."""
        sets = sets_of(self.theta, self.shape)
        for model in np.flatnonzero(average):
            sets[model] = sets[model].mean(dim=0, keepdim=True)
        for model in np.flatnonzero(restart):
            fresh = initial_parameters(self.shape, self.students[model].seed, int(courses.attempt[model]))
            self.theta[model] = torch.from_numpy(fresh).to(self.device)
            for memory in (self.first, self.second, self.taken):
                memory[model] = 0
