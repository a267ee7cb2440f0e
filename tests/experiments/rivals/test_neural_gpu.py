"""The Neural GPU: its convolution is torch's, its data are right, its curriculum moves, its runs resume."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from dfst.agents.registry import expert
from dfst.agents.task import find_task
from dfst.errors import InputError
from dfst.evaluation.length import evaluate
from dfst.experiments.comparison import protocol
from dfst.experiments.rivals.neural_gpu.checkpoint import read_checkpoint, write_checkpoint
from dfst.experiments.rivals.neural_gpu.curriculum import (
    Recipe,
    choose_length,
    first_courses,
    gradient_noise,
    judge_round,
    takes_part,
)
from dfst.experiments.rivals.neural_gpu.data import decode, draw_examples, encode
from dfst.experiments.rivals.neural_gpu.learner import NeuralGpuSubject, answered
from dfst.experiments.rivals.neural_gpu.model import (
    BANKS,
    KERNEL,
    NeuralGPU,
    Shape,
    averaged,
    initial_parameters,
    saturating,
    sets_of,
)
from dfst.experiments.rivals.neural_gpu.training import Stack, Student

TINY = Shape(maps=5, height=3, units=2, sets=3)
QUICK = Recipe(columns=48, longest=3, round_steps=4, least_steps=1, iterations=1000)
ADD2, MULT2 = find_task("add2"), find_task("mult2")


def models(shape: Shape, count: int) -> torch.Tensor:
    return torch.from_numpy(np.stack([initial_parameters(shape, seed) for seed in range(count)]))


# data


def test_a_question_is_written_lowest_digit_first():
    assert encode(ADD2, ("11", "001")).tolist() == [1, 1, 0, 2, 1, 0, 0]
    assert decode([0, 0, 1, 0, 0, 0, 0]) == "100"
    assert decode([0, 0, 0]) == "0"


@pytest.mark.parametrize("name", ["add2", "mult2", "add10", "mult10"])
@pytest.mark.parametrize("digits", [1, 2, 7, 20])
def test_drawn_answers_are_right(name, digits):
    task = find_task(name)
    examples = draw_examples(task, digits, 50, np.random.default_rng(digits))
    for question, answer in zip(examples.questions, examples.answers, strict=True):
        a, b = question[:digits], question[digits + 1 :]
        operands = ("".join(map(str, reversed(a))), "".join(map(str, reversed(b))))
        assert question[digits] == task.radix
        assert encode(task, operands).tolist() == question.tolist()
        assert decode(answer) == task.solve(operands)


def test_a_task_without_two_operands_is_refused():
    with pytest.raises(InputError, match="sort2"):
        draw_examples(find_task("sort2"), 2, 1, np.random.default_rng(0))


# model


def test_the_published_size():
    shape = Shape().averaged()
    assert shape.kernel_weights == 3 * 10_368
    assert shape.size == 31_104 + 144 + 3 * 24 + 2 * 24 + 2 == len(initial_parameters(shape, 0))
    assert len(initial_parameters(Shape(), 0)) == Shape().size


def reference(theta: torch.Tensor, shape: Shape, question: torch.Tensor) -> torch.Tensor:
    """(n, radix) scores of one model on one question, image by image through torch's own convolution."""
    sets = sets_of(theta[None], shape)[0]
    rest = theta[shape.sets * shape.set_size :]
    looks = torch.tanh(rest[: (shape.radix + 1) * shape.maps].view(shape.radix + 1, shape.maps))
    image = torch.zeros(1, shape.maps, shape.height, len(question))
    image[0, :, 0] = looks[question.long()].T

    def convolved(image, unit, bank, numbers):
        kernels = numbers[: shape.kernel_weights].view(
            shape.units, BANKS, KERNEL, KERNEL, shape.maps, shape.maps
        )
        biases = numbers[shape.kernel_weights :].view(shape.units, BANKS, shape.maps)
        return functional.conv2d(
            image, kernels[unit, bank].permute(3, 2, 1, 0), biases[unit, bank], padding=1
        )

    for step in range(len(question)):
        numbers = sets[step % shape.sets]
        for unit in range(shape.units):
            update, reset = (saturating(convolved(image, unit, bank, numbers)) for bank in (0, 1))
            fresh = torch.tanh(convolved(reset * image, unit, 2, numbers))
            image = update * image + (1 - update) * fresh
    weight = rest[-shape.maps * shape.radix - shape.radix : -shape.radix].view(shape.maps, shape.radix)
    return image[0, :, 0].T @ weight + rest[-shape.radix :]


@pytest.mark.parametrize("shape", [TINY, Shape(maps=4, height=1, sets=1), Shape(maps=3, height=4, units=1)])
@pytest.mark.parametrize(("count", "digits", "spare"), [(1, 1, 0), (3, 2, 5), (2, 4, 1)])
def test_a_ribbon_of_images_is_each_image_through_conv2d(shape, count, digits, spare):
    theta = models(shape, 2)
    rng = np.random.default_rng(digits)
    questions = torch.from_numpy(
        np.stack([draw_examples(ADD2, digits, count, rng).questions for _ in range(2)])
    )
    columns = count * (2 * digits + 2) + spare
    scores = NeuralGPU(shape, theta)(questions, columns)
    for model in range(2):
        for question in range(count):
            expected = reference(theta[model], shape, questions[model, question])
            torch.testing.assert_close(scores[model, question], expected, rtol=1e-4, atol=1e-5)


def test_averaging_and_distance():
    theta = models(TINY, 2)
    assert (NeuralGPU(TINY, theta).distance() > 0).all()
    one = averaged(theta, TINY)
    assert one.shape[1] == TINY.averaged().size
    torch.testing.assert_close(one[:, : TINY.set_size], sets_of(theta, TINY).mean(dim=1))
    assert (NeuralGPU(TINY.averaged(), one).distance() == 0).all()


def test_gates_shut_entirely():
    assert saturating(torch.tensor([-9.0, 0.0, 9.0])).tolist() == [0.0, 0.5, 1.0]


# curriculum


def judged(wrong, *, pull=0.001, length=2, stalled=0, spent=0.0, steps=9.0, loss=0.5):
    """One model after a round in which `wrong` of its answers were wrong."""
    rates = np.array([0.01])
    courses = replace(
        first_courses(rates, QUICK),
        length=np.array([length]),
        pull=np.array([pull]),
        stalled=np.array([stalled]),
        losses=np.full((1, 3), 0.4),
    )
    of = [np.array([x]) for x in (steps, loss * steps, wrong * steps)]
    return judge_round(courses, *of, spent, rates, QUICK)


def test_a_mastered_length_gives_way_to_the_next_and_the_pull_grows():
    verdict = judged(0.1)
    assert verdict.courses.length == 3
    assert verdict.courses.pull == pytest.approx(0.0012)
    assert np.isinf(verdict.courses.losses).all()
    assert not verdict.average
    assert not verdict.restart


def test_nothing_is_judged_on_too_few_steps():
    verdict = judged(0.1, steps=0.0)
    assert verdict.courses.length == 2
    assert verdict.courses.rate == 0.01
    assert verdict.courses.losses.tolist() == [[0.4, 0.4, 0.4]]


def test_a_risen_loss_lowers_the_rate():
    verdict = judged(0.5)
    assert verdict.courses.rate == pytest.approx(0.0098)
    assert verdict.courses.stalled == 1
    assert verdict.courses.losses.tolist() == [[0.4, 0.4, 0.5]]


def test_near_the_end_the_rate_falls_at_the_longest_length():
    assert judged(0.1, loss=0.3, length=QUICK.longest).courses.rate == 0.01
    assert judged(0.1, loss=0.3, length=QUICK.longest, spent=0.9).courses.rate == pytest.approx(0.0098)


def test_a_strong_pull_averages():
    verdict = judged(0.1, pull=0.2)
    assert verdict.average.tolist() == [True]
    assert verdict.courses.pull == 0.2


def test_the_pull_grows_without_progress_once_the_end_is_near():
    assert judged(0.9).courses.pull == 0.001
    assert judged(0.9, spent=0.9).courses.pull == pytest.approx(0.0012)


def test_a_model_that_stalls_begins_anew_unless_it_came_far_or_the_end_is_near():
    stalled = QUICK.patience - 1
    verdict = judged(0.9, stalled=stalled, length=3)
    assert verdict.restart.tolist() == [True]
    assert (verdict.courses.attempt, verdict.courses.stalled) == (1, 0)
    assert verdict.courses.pull == QUICK.pull
    assert judged(0.9, stalled=stalled, length=QUICK.far + 1).restart.tolist() == [False]
    assert judged(0.9, stalled=stalled, spent=0.9).restart.tolist() == [False]


def test_lengths_are_mostly_up_to_the_current_one():
    rng = np.random.default_rng(0)
    drawn = np.array([choose_length(5, 20, rng) for _ in range(4000)])
    assert drawn.min() == 1
    assert drawn.max() == 20
    assert 0.7 < (drawn <= 5).mean() < 0.9


def test_the_leader_and_those_at_the_length_take_part():
    courses = replace(first_courses(np.full(4, 0.01), QUICK), length=np.array([1, 3, 3, 1]))
    parts = np.array([takes_part(courses, 2, 0, np.random.default_rng(seed)) for seed in range(400)])
    assert parts[:, :3].all()
    assert 0.15 < parts[:, 3].mean() < 0.35


def test_gradient_noise_ends_with_the_errors():
    courses = replace(first_courses(np.full(2, 0.01), QUICK), wrong=np.array([0.01, 0.5]))
    noise = gradient_noise(courses, 100, QUICK)
    assert noise[0] == 0
    assert noise[1] > gradient_noise(courses, 10_000, QUICK)[1] > 0


# training


def stack_of(*seeds: int, recipe: Recipe = QUICK, task=ADD2) -> Stack:
    return Stack([Student(task, seed) for seed in seeds], TINY, recipe, "cpu", examples=20)


def test_a_resumed_training_goes_on_as_if_it_had_not_stopped(tmp_path):
    whole = stack_of(1, 2)
    for _ in range(3):
        whole.run_round()
    first = stack_of(1, 2)
    first.run_round()
    write_checkpoint(first, 7.5, tmp_path / "c.safetensors")
    second = stack_of(1, 2)
    assert read_checkpoint(second, tmp_path / "c.safetensors") == 7.5
    for _ in range(2):
        second.run_round()
    assert second.iteration == whole.iteration == 12
    assert torch.equal(second.theta, whole.theta)
    assert not torch.equal(first.theta, whole.theta)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    path = tmp_path / "c.safetensors"
    assert read_checkpoint(stack_of(1), path) == 0.0
    write_checkpoint(stack_of(1), 0.0, path)
    with pytest.raises(InputError, match="students"):
        read_checkpoint(stack_of(2), path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="no checkpoint"):
        read_checkpoint(stack_of(1), path)


def test_models_that_take_no_part_and_gradients_that_are_not_finite_change_nothing():
    stack = stack_of(1, 2, 3)
    before = stack.theta.detach().clone()
    stack._orders.copy_(torch.tensor([[0.0, 1.0, 1.0], [1.0] * 3, [0.01] * 3, [0.0] * 3, [0.001] * 3]))
    gradient = torch.ones_like(before)
    gradient[2, 5] = float("nan")
    with torch.no_grad():
        stack._learn(gradient)
    changed = (stack.theta != before).any(dim=1)
    assert changed.tolist() == [False, True, False]
    assert stack.taken.tolist() == [0, 1, 0]
    assert stack.theta.isfinite().all()


def test_a_model_that_begins_anew_gets_other_parameters():
    stack = stack_of(1, 2, recipe=replace(QUICK, patience=1, wrong_answers=0.0))
    before = stack.theta.detach().clone()
    report = stack.run_round()
    assert report.courses.attempt.tolist() == [1, 1]
    fresh = torch.from_numpy(initial_parameters(TINY, 1, attempt=1))
    assert torch.equal(stack.theta[0], fresh)
    assert not torch.equal(before[0], fresh)
    assert stack.taken.tolist() == [0, 0]


def test_it_learns_to_add_one_digit_numbers():
    recipe = Recipe(columns=64, longest=1, learning_rate=0.02, round_steps=40, gradient_noise=0.0)
    stack = Stack([Student(ADD2, 0)], Shape(maps=6, height=2, sets=1), recipe, "cpu", examples=50)
    for _ in range(6):
        report = stack.run_round()
    assert report.loss[0] < 0.1
    subject = NeuralGpuSubject(ADD2, stack.shape.averaged(), stack.final_parameters())
    assert evaluate(subject, "neural-gpu", expert("add2"), 1, hard=False).rlg


@pytest.mark.gpu
def test_a_recorded_step_learns_as_a_step_does():
    recipe = replace(QUICK, dropout=0.0, gradient_noise=0.0, learning_rate=0.01, round_steps=40)
    losses = []
    for record in (False, True):
        stack = Stack([Student(ADD2, 1)], TINY, recipe, "cuda", examples=20, record=record)
        losses.append([stack.run_round().loss[0] for _ in range(5)])
    plain, recorded = losses
    assert recorded[-1] < recorded[0]
    assert recorded[-1] == pytest.approx(plain[-1], rel=0.5)


def test_tasks_and_columns_must_fit():
    with pytest.raises(InputError, match="radix"):
        stack_of(1, task=find_task("add10"))
    with pytest.raises(InputError, match="at least 8"):
        stack_of(1, recipe=replace(QUICK, columns=7))


# the protocol


def test_an_answer_is_a_run_that_the_evaluation_understands():
    run = answered("neural-gpu", MULT2, "11×11", "1001", steps=5, seconds=0.0)
    assert (run.answer, run.halted, run.difference) == ("1001", True, None)


def test_it_is_trained_and_measured_as_every_learner(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "LADDER", (1, 2))
    monkeypatch.setitem(protocol.LONGEST, "mult2", 2)
    result = protocol.run_learner("neural-gpu", "mult2", 3, tmp_path, device="cpu", iterations=2)
    assert (result.learner, result.iterations, result.samples) == ("neural-gpu", 2, 200_000)
    assert result.parameters == 31_370
    assert [rung.digits for rung in result.ladder] == [1, 2]
    assert result.settings["own_steps"] <= 2
    assert (tmp_path / "checkpoint.safetensors").exists()
    assert protocol.run_learner("neural-gpu", "mult2", 3, tmp_path, device="cpu", iterations=2) == result
