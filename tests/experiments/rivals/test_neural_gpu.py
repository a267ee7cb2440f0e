"""The Neural GPU: its convolution is torch's, its data are right, its curriculum moves, its runs resume."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from dfst.agents.registry import expert
from dfst.agents.task import find_task
from dfst.errors import InputError
from dfst.evaluation.length import evaluate
from dfst.experiments.comparison import measure
from dfst.experiments.comparison.protocol import run_learner
from dfst.experiments.rivals.neural_gpu.curriculum import (
    Course,
    Schedule,
    choose_length,
    first_course,
    gradient_noise,
    judge,
)
from dfst.experiments.rivals.neural_gpu.data import decode, draw_examples, encode
from dfst.experiments.rivals.neural_gpu.learner import NeuralGpuSubject, NeuralGpuTrainer, answered
from dfst.experiments.rivals.neural_gpu.model import NeuralGPU, Shape, saturating
from dfst.experiments.rivals.trainer import Spent

TINY = Shape(maps=5, height=3, units=2, sets=3)
QUICK = Schedule(columns=48, longest=3, round_steps=4, least_steps=1, iterations=1000)
ADD2, MULT2 = find_task("add2"), find_task("mult2")


# data


def test_a_question_is_written_lowest_digit_first():
    assert encode(ADD2, ("11", "001")).tolist() == [1, 1, 0, 2, 1, 0, 0]
    assert decode([0, 0, 1, 0, 0, 0, 0]) == "100"
    assert decode([0, 0, 0]) == "0"


@pytest.mark.parametrize("name", ["add2", "mult2", "add10", "mult10"])
@pytest.mark.parametrize("digits", [1, 2, 7, 20])
def test_drawn_answers_are_right(name, digits):
    task = find_task(name)
    for question, answer in zip(*draw_examples(task, digits, 50, np.random.default_rng(digits)), strict=True):
        a, b = question[:digits], question[digits + 1 :]
        operands = ("".join(map(str, reversed(a))), "".join(map(str, reversed(b))))
        assert question[digits] == task.radix
        assert encode(task, operands).tolist() == question.tolist()
        assert decode(answer) == task.solve(operands)


# model


def test_the_published_size():
    model = NeuralGPU(Shape()).averaged()
    assert model.gates.numel() + model.candidate.numel() == 3 * 10_368
    assert model.parameter_count == 31_104 + 144 + 3 * 24 + 2 * 24 + 2


def test_an_image_is_worked_on_cell_by_cell_as_the_formula_says():
    """One unit, one step, written out for a cell in a corner and one in the middle."""
    shape = Shape(maps=2, height=3, units=1, sets=1)
    model = NeuralGPU(shape, seed=4)
    image = torch.randn(1, 2, 3, 5)
    found = model._unit(image, 0, 0)
    padded = torch.nn.functional.pad(image, (1, 1, 1, 1))

    def gates(y: int, x: int) -> torch.Tensor:
        window = padded[0, :, y : y + 3, x : x + 3]
        return saturating((model.gates[0, 0] * window).sum(dim=(1, 2, 3)) + model.gate_bias[0, 0])

    reset = torch.stack([torch.stack([gates(y, x)[2:] for x in range(5)], 1) for y in range(3)], 1)
    kept = torch.nn.functional.pad(reset * image[0], (1, 1, 1, 1))
    for y, x in ((0, 0), (1, 3)):
        update = gates(y, x)[:2]
        window = kept[:, y : y + 3, x : x + 3]
        fresh = torch.tanh((model.candidate[0, 0] * window).sum(dim=(1, 2, 3)) + model.candidate_bias[0, 0])
        expected = update * image[0, :, y, x] + (1 - update) * fresh
        torch.testing.assert_close(found[0, :, y, x], expected, rtol=1e-4, atol=1e-5)


def test_the_sets_take_turns_and_questions_do_not_mix():
    model = NeuralGPU(TINY, seed=1)
    questions = torch.tensor([[1, 0, 2, 1, 1], [0, 0, 2, 1, 0]])
    scores = model(questions)
    assert scores.shape == (2, 5, 2)
    torch.testing.assert_close(model(questions[1:]), scores[1:], rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        model.candidate[2] += 1
    assert torch.equal(model(questions[:, :2]), NeuralGPU(TINY, seed=1)(questions[:, :2]))
    assert not torch.equal(model(questions), scores)


def test_averaging_and_distance():
    model = NeuralGPU(TINY, seed=2)
    assert model.distance() > 0
    one = model.averaged()
    torch.testing.assert_close(one.gates[0], model.gates.mean(dim=0))
    model.average()
    assert model.distance() < 1e-10
    questions = torch.tensor([[1, 2, 0]])
    torch.testing.assert_close(model(questions), one(questions))


def test_gates_shut_entirely():
    assert saturating(torch.tensor([-9.0, 0.0, 9.0])).tolist() == [0.0, 0.5, 1.0]


# curriculum


def judged(wrong, *, pull=0.001, length=2, stalled=0, spent=0.0, steps=9.0, loss=0.5):
    """A model after a round in which `wrong` of its answers were wrong."""
    course = Course(length, 0.01, pull, losses=(0.4, 0.4, 0.4), stalled=stalled)
    return judge(course, steps, loss * steps, wrong * steps, spent, 0.01, QUICK)


def test_a_mastered_length_gives_way_to_the_next_and_the_pull_grows():
    course, average = judged(0.1)
    assert (course.length, course.losses, course.attempt, average) == (3, (), 0, False)
    assert course.pull == pytest.approx(0.0012)


def test_nothing_is_judged_on_too_few_steps():
    assert judged(0.1, steps=0.0)[0] == Course(2, 0.01, 0.001, losses=(0.4, 0.4, 0.4))


def test_a_risen_loss_lowers_the_rate():
    course, _ = judged(0.5)
    assert course.rate == pytest.approx(0.0098)
    assert (course.stalled, course.losses) == (1, (0.4, 0.4, 0.5))


def test_near_the_end_the_rate_falls_at_the_longest_length():
    assert judged(0.1, loss=0.3, length=QUICK.longest)[0].rate == 0.01
    assert judged(0.1, loss=0.3, length=QUICK.longest, spent=0.9)[0].rate == pytest.approx(0.0098)


def test_a_strong_pull_averages():
    course, average = judged(0.1, pull=0.2)
    assert (average, course.pull) == (True, 0.2)


def test_the_pull_grows_without_progress_once_the_end_is_near():
    assert judged(0.9)[0].pull == 0.001
    assert judged(0.9, spent=0.9)[0].pull == pytest.approx(0.0012)


def test_a_model_that_stalls_begins_anew_unless_it_came_far_or_the_end_is_near():
    stalled = QUICK.patience - 1
    assert judged(0.9, stalled=stalled, length=3) == (first_course(0.01, QUICK, attempt=1), False)
    assert judged(0.9, stalled=stalled, length=QUICK.far + 1)[0].attempt == 0
    assert judged(0.9, stalled=stalled, spent=0.9)[0].attempt == 0


def test_lengths_are_mostly_up_to_the_current_one():
    rng = np.random.default_rng(0)
    drawn = np.array([choose_length(5, 20, rng) for _ in range(4000)])
    assert drawn.min() == 1
    assert drawn.max() == 20
    assert 0.7 < (drawn <= 5).mean() < 0.9


def test_gradient_noise_ends_with_the_errors():
    course = first_course(0.01, QUICK)
    assert gradient_noise(replace(course, wrong=0.01), 100, QUICK) == 0
    assert gradient_noise(course, 100, QUICK) > gradient_noise(course, 10_000, QUICK) > 0


# training


def trainer(
    seed: int = 1, schedule: Schedule = QUICK, shape: Shape = TINY, rate: float = 0.004
) -> NeuralGpuTrainer:
    return NeuralGpuTrainer(ADD2, seed, shape, schedule, rate, examples=20)


def steps(one: NeuralGpuTrainer, first: int, end: int) -> NeuralGpuTrainer:
    for iteration in range(first, end):
        one.step(iteration, 0.0)
    return one


def parameters(one: NeuralGpuTrainer) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in one.network.parameters()])


def test_a_resumed_training_goes_on_as_if_it_had_not_stopped(tmp_path):
    file = tmp_path / "c.safetensors"
    whole = steps(trainer(), 0, 11)
    first = steps(trainer(), 0, 6)
    first.save(file, Spent(6, 7.5))
    second = trainer()
    assert second.restore(file) == Spent(6, 7.5)
    steps(second, 6, 11)
    assert torch.equal(parameters(second), parameters(whole))
    assert not torch.equal(parameters(first), parameters(whole))
    assert second.course == whole.course
    assert torch.equal(second.sums, whole.sums)


def test_a_checkpoint_that_is_none(tmp_path):
    path = tmp_path / "c.safetensors"
    assert trainer().restore(path) is None
    trainer().save(path, Spent())
    with pytest.raises(InputError, match="not a checkpoint"):
        trainer(shape=Shape(maps=4)).restore(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="is cut off"):
        trainer().restore(path)


def test_a_gradient_that_is_not_finite_changes_nothing():
    one = trainer()
    before = parameters(one)
    for parameter in one.network.parameters():
        parameter.grad = torch.full_like(parameter, float("nan"))
    one._learn(0)
    assert torch.equal(parameters(one), before)


def test_a_model_that_begins_anew_gets_other_parameters():
    one = steps(trainer(schedule=replace(QUICK, patience=1, wrong_answers=0.0)), 0, QUICK.round_steps)
    assert one.course.attempt == 1
    assert torch.equal(one.network.gates, NeuralGPU(TINY, 1, attempt=1).gates)
    assert not torch.equal(one.network.gates, NeuralGPU(TINY, 1).gates)
    assert not one.optimiser.state


def test_it_learns_to_add_one_digit_numbers():
    schedule = Schedule(columns=64, longest=1, round_steps=40, gradient_noise=0.0)
    one = steps(trainer(0, schedule, Shape(maps=6, height=2, sets=1), rate=0.02), 0, 240)
    assert one.course.losses[-1] < 0.1
    subject = NeuralGpuSubject(ADD2, one.network.averaged())
    assert evaluate(subject, "neural-gpu", expert("add2"), 1, hard=False).rlg


# the protocol


def test_an_answer_is_a_run_that_the_evaluation_understands():
    run = answered("neural-gpu", MULT2, "11×11", "1001", steps=5, seconds=0.0)
    assert (run.answer, run.halted, run.difference) == ("1001", True, None)


def test_it_is_trained_and_measured_as_every_learner(tmp_path, monkeypatch):
    monkeypatch.setitem(measure.LONGEST, "mult2", 2)
    result = run_learner("neural-gpu", "mult2", 3, tmp_path, device="cpu", iterations=2)
    assert (result.learner, result.iterations, result.samples) == ("neural-gpu", 2, 200_000)
    assert result.parameters == 31_370
    assert [rung.digits for rung in result.ladder] == [1, 2]
    assert (tmp_path / "checkpoint.safetensors").exists()
    assert run_learner("neural-gpu", "mult2", 3, tmp_path, device="cpu", iterations=2) == result
