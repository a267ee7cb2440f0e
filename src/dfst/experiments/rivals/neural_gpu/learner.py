"""One Neural GPU under the protocol of the comparison: trained from a seed, then asked as any other subject.

It takes no actions on a grid that could be compared with an expert's, so only its answers count: a run of it
is one row of digits that stands there after n steps of its own. That is less than what is asked of the
learners of grid agents, which must be right in every action.

All randomness of a step comes from the seed and the number of the iteration: a training that continues from
a checkpoint goes on as if it had not stopped.

Legend: q questions, n cells of a question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from dfst.agents.agent import Agent
from dfst.agents.task import DIGITS, NumberTask, Task, find_task
from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import full_precision
from dfst.experiments.rivals.neural_gpu.curriculum import (
    Course,
    Schedule,
    choose_length,
    first_course,
    gradient_noise,
    judge,
)
from dfst.experiments.rivals.neural_gpu.data import EXAMPLES, cells, decode, encode, training_set
from dfst.experiments.rivals.neural_gpu.model import NeuralGPU, Shape
from dfst.experiments.rivals.trainer import CHECKPOINT, Budget, Spent, Trainer
from dfst.world.grid import BLANK, Grid, Limits
from dfst.world.run import Run

SLOW = Schedule(columns=336, round_steps=50, least_steps=15)
"""Without a GPU: a quarter of the questions in each step, judged more often."""
RATES = (0.004, 0.008, 0.003)
"""Learning rates, which the seeds take in turn: what was published is the best of many settings, too."""
EPSILON = 1e-4
CELLS_AT_ONCE = 1 << 18
"""Cells of questions that are worked on at a time when they are asked."""


def train(assignment: Assignment) -> Trained:
    """Train one seed within its budget, with checkpoints in its folder."""
    task = find_task(assignment.agent.name)
    assert isinstance(task, NumberTask)
    schedule = Schedule() if assignment.device == "cuda" else SLOW
    schedule = replace(schedule, iterations=assignment.iterations or schedule.iterations)
    rate = RATES[assignment.seed % len(RATES)]
    trainer = NeuralGpuTrainer(task, assignment.seed, Shape(task.radix), schedule, rate, assignment.device)
    budget = Budget(schedule.iterations, assignment.seconds or math.inf)
    done = trainer.train(budget, trainer.restore(assignment.folder / CHECKPOINT) or Spent(), assignment)
    model = trainer.network.averaged()
    course = trainer.course
    return Trained(
        subject=NeuralGpuSubject(task, model),
        samples=schedule.longest * EXAMPLES,
        parameters=model.parameter_count,
        iterations=done.iteration,
        seconds=done.seconds,
        loss=course.losses[-1] if course.losses else None,
        settings={
            **asdict(trainer.network.shape),
            "columns": schedule.columns,
            "rate": rate,
            "dropout": schedule.dropout,
            "gradient_noise": schedule.gradient_noise,
            "restarts": course.attempt,
            "curriculum_digits": course.length,
            "pull": course.pull,
            "judged_by": "answers; there are no actions to compare",
        },
    )


class NeuralGpuTrainer(Trainer):
    """A model in training."""

    network: NeuralGPU

    def __init__(
        self,
        task: NumberTask,
        seed: int,
        shape: Shape,
        schedule: Schedule,
        rate: float,
        device: str = "cpu",
        examples: int = EXAMPLES,
    ) -> None:
        self.seed, self.schedule, self.rate = seed, schedule, rate
        self.course = first_course(rate, schedule)
        self.network = NeuralGPU(shape, seed).to(device)
        self.optimiser = self._fresh_optimiser()
        self.sums = torch.zeros(3, device=device)
        """Over the steps of a round at the model's own lengths: how many, their losses, their errors"""
        self._sets = [
            tuple(torch.from_numpy(part).to(device) for part in of_a_length)
            for of_a_length in training_set(task, seed, schedule.longest, examples)
        ]

    def step(self, iteration: int, spent: float) -> Tensor:
        """One step of Adam, and a judgement at the end of a round. spent: the part of the budget gone."""
        rng = np.random.default_rng([self.seed, iteration])
        torch.manual_seed(int(rng.integers(2**62)))
        digits = choose_length(self.course.length, self.schedule.longest, rng)
        questions, answers = self._draw(digits)
        with full_precision():
            scores = self.network(questions, self.schedule.dropout * 8 / cells(digits))
            loss = functional.cross_entropy(scores.flatten(0, 1), answers.flatten())
            self.optimiser.zero_grad()
            (loss + self.course.pull * self.network.distance()).backward()
        self._learn(iteration)
        if digits <= self.course.length:
            wrong = (scores.detach().argmax(dim=2) != answers).any(dim=1).float().mean()
            self.sums += torch.stack([torch.ones_like(wrong), loss.detach(), wrong])
        if (iteration + 1) % self.schedule.round_steps == 0:
            self._judge(spent)
        return loss.detach()

    def _draw(self, digits: int) -> tuple[Tensor, Tensor]:
        """Questions and answers (q, n) of one length: as many as the batch holds."""
        questions, answers = self._sets[digits - 1]
        count = max(1, self.schedule.columns // (cells(digits) + 1))
        chosen = torch.randint(len(questions), (count,), device=questions.device)
        return questions[chosen].long(), answers[chosen].long()

    def _learn(self, iteration: int) -> None:
        """Adam on gradients that are clipped, then made noisy; one that is not finite changes nothing."""
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.largest_gradient)
        if not torch.isfinite(norm):
            return
        noise = gradient_noise(self.course, iteration, self.schedule)
        for parameter in self.network.parameters():
            assert parameter.grad is not None
            parameter.grad.add_(torch.randn_like(parameter), alpha=noise)
        self.optimiser.param_groups[0]["lr"] = self.course.rate
        self.optimiser.step()

    def _judge(self, spent: float) -> None:
        steps, loss, wrong = self.sums.tolist()
        attempt = self.course.attempt
        self.course, average = judge(self.course, steps, loss, wrong, spent, self.rate, self.schedule)
        self.sums.zero_()
        if average:
            self.network.average()
        if self.course.attempt > attempt:
            self.network.begin(self.seed, self.course.attempt)
            self.optimiser = self._fresh_optimiser()

    def _fresh_optimiser(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.network.parameters(), self.rate, eps=EPSILON)

    def notes(self) -> dict[str, Any]:
        return {"course": asdict(self.course), "sums": self.sums.tolist()}

    def take_up(self, notes: dict[str, Any]) -> None:
        course = notes["course"]
        self.course = Course(**{**course, "losses": tuple(course["losses"])})
        self.sums.copy_(torch.tensor(notes["sums"]))


class NeuralGpuSubject:
    """A trained model that answers questions."""

    def __init__(self, task: NumberTask, model: NeuralGPU, name: str = "neural-gpu") -> None:
        self.task, self.model, self.name = task, model, name

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> Iterator[Run]:
        """The answers as rows on a grid. Neither limits nor an expert apply: there are no actions."""
        began = time.perf_counter()
        questions = [encode(self.task, self.task.parse(text)) for text in texts]
        answers: list[str] = [""] * len(texts)
        for length in sorted({len(question) for question in questions}):
            places = [i for i, question in enumerate(questions) if len(question) == length]
            rows = answer_all(self.model, np.stack([questions[i] for i in places]))
            for place, answer in zip(places, rows, strict=True):
                answers[place] = decode(answer)
        share = (time.perf_counter() - began) / max(1, len(texts))
        for text, answer, question in zip(texts, answers, questions, strict=True):
            yield answered(self.name, self.task, text, answer, len(question), share)


@torch.no_grad()
def answer_all(model: NeuralGPU, questions: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(q, n) the digits the model answers to questions (q, n) of one length."""
    at_once = max(1, CELLS_AT_ONCE // questions.shape[1])
    pieces = []
    for start in range(0, len(questions), at_once):
        piece = torch.from_numpy(questions[start : start + at_once]).to(model.looks.device).long()
        with full_precision():
            pieces.append(model(piece).argmax(dim=2).cpu().numpy())
    return np.concatenate(pieces)


def answered(name: str, task: Task, text: str, answer: str, steps: int, seconds: float) -> Run:
    """An answer as a run that halted with it on the grid."""
    blank = task.alphabet.index(BLANK)
    grid = Grid(blank, max_cells=len(answer))
    grid.lay([DIGITS.index(digit) for digit in answer])
    return Run(name, text, task.alphabet, steps, True, (0, 0), seconds, grid)
