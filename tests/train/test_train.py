"""The training loop: cut anywhere it ends in the same bits, a seed that diverges harms no other."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest

from dfst.errors import DfstError
from dfst.experts import expert
from dfst.learning import learn
from dfst.model.weights import Shape
from dfst.traces.traceset import gather
from dfst.train import train as training
from dfst.train.engine_cpu import CpuEngine
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure
from dfst.train.state import ARRAYS, TrainingState, initial_state
from dfst.train.train import train

RECIPE = Recipe(
    "test", steps=400, learning_rate=0.01, batch_size=2, gradient_clip=1.0, weight_decay=0.01, seeds=2
)
SHAPE = Shape(4, 5, 6)
SPACING = RECIPE.steps // training.LOG_POINTS
LOGGED = list(range(SPACING, RECIPE.steps + 1, SPACING))


@pytest.fixture(scope="module")
def traces():
    agent = expert("add2")
    return gather([agent.trace(text) for text in ("1+1", "10+1", "0+0")], agent.name, agent.alphabet)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


def fresh(seeds=(3, 4)) -> TrainingState:
    return initial_state(SHAPE, seeds, np.float32)


def same(one: TrainingState, other: TrainingState, seeds=slice(None)) -> bool:
    """Equal to the last bit, in the arrays of some seeds."""
    arrays = [(getattr(one, name)[seeds], getattr(other, name)[seeds]) for name in ARRAYS]
    return one.iteration == other.iteration and all(a.tobytes() == b.tobytes() for a, b in arrays)


@pytest.fixture(scope="module")
def unbroken(traces, tmp_path_factory):
    state = fresh()
    train(state, CpuEngine(SHAPE, traces, RECIPE), RECIPE, RunFolder(tmp_path_factory.mktemp("run")))
    return state


class Interrupting(CpuEngine):
    """Ctrl-C is pressed while it takes the step after some iteration."""

    def __init__(self, traces, at: int) -> None:
        super().__init__(SHAPE, traces, RECIPE)
        self.at = at

    def advance(self, state, count):
        if state.iteration <= self.at < state.iteration + count:
            signal.raise_signal(signal.SIGINT)
        return super().advance(state, count)


@pytest.mark.parametrize("at", [0, SPACING - 1, SPACING, 111, RECIPE.steps - 2])
def test_an_interrupted_run_goes_on_in_the_same_bits(traces, folder, unbroken, at, monkeypatch):
    monkeypatch.setattr(training, "CHUNK_SECONDS", 1e-5)
    with pytest.raises(KeyboardInterrupt):
        train(fresh(), Interrupting(traces, at), RECIPE, folder)
    state = folder.read_checkpoint()
    assert at < state.iteration <= at + SPACING
    curve = train(state, CpuEngine(SHAPE, traces, RECIPE), RECIPE, folder)
    assert same(state, unbroken)
    assert same(folder.read_checkpoint(), unbroken)
    assert [progress.iteration for progress in curve] == LOGGED
    assert [progress.as_json() for progress in curve] == folder.read_metrics()


POLISHED = replace(RECIPE, polish=True, seeds=4)


@pytest.mark.parametrize(
    ("found", "seeds", "ends"),
    [
        ([[5, 5, 5, 5]] * 4, 4, 50),
        ([[5, 5, 5, 6], [5, 5, 5, 5], [5, 5, 5, 5]], 4, 100),
        ([[5, 5, 5, 5], [6, 6, 6, 6], [0, 0, 0, 0], [0, 0, 0, 0]], 4, 400),
        ([[5, 5, 5]] * 4, 3, 400),
        ([[5, 5, 5, 6]] * 4, 4, 400),
    ],
    ids=["twice", "later", "changing", "too few seeds", "one differs"],
)
def test_training_ends_where_all_seeds_have_the_same_learnt_states_twice(traces, folder, found, seeds, ends):
    recipe, looks = replace(POLISHED, seeds=seeds), iter(found)
    state = fresh(range(seeds))
    curve = train(state, CpuEngine(SHAPE, traces, recipe), recipe, folder, look=lambda: np.array(next(looks)))
    assert recipe.looks == [25, 50, 100, 200]
    assert (state.iteration, curve[-1].iteration) == (ends, ends)
    asked = iter([found[1 if ends == 50 else 2]]) if ends < 400 else iter([])
    again = folder.read_checkpoint()
    train(again, CpuEngine(SHAPE, traces, recipe), recipe, folder, look=lambda: np.array(next(asked)))
    assert same(again, state), "a finished run that is resumed is looked at again, and ends"


def test_looking_changes_nothing_else(traces, folder, unbroken):
    state, recipe = fresh(), replace(RECIPE, polish=True)
    looks = iter([[1, 2], [0, 2], [2, 2], [2, 2]])
    with pytest.raises(KeyboardInterrupt):
        train(fresh(), Interrupting(traces, 111), recipe, folder, look=lambda: np.array(next(looks)))
    state = folder.read_checkpoint()
    train(state, CpuEngine(SHAPE, traces, recipe), recipe, folder, look=lambda: np.array(next(looks)))
    assert state.looks.T.tolist() == [[1, 2], [0, 2], [2, 2], [2, 2]]
    assert state.theta.tobytes() == unbroken.theta.tobytes()


def test_metrics_do_not_depend_on_the_clock(traces, tmp_path, monkeypatch):
    """Chunks follow the clock, and a measurement is done when it is done; the log shows neither."""
    logs = []
    for name, chunk, wait in (("a", 0.5, 0.0), ("b", 1e-5, 0.002), ("c", 1e-3, 0.0)):
        monkeypatch.setattr(training, "CHUNK_SECONDS", chunk)
        folder = RunFolder(tmp_path / name)
        folder.path.mkdir()

        def measure(theta, wait=wait):
            time.sleep(wait)
            return [int(abs(seed[0]) * 1e6) for seed in theta]

        if name == "c":  # and one that was interrupted logs the same losses
            with pytest.raises(KeyboardInterrupt):
                train(fresh(), Interrupting(traces, 111), RECIPE, folder)
        state = folder.read_checkpoint() or fresh()
        train(state, CpuEngine(SHAPE, traces, RECIPE), RECIPE, folder, measure=measure)
        logs.append([{k: v for k, v in line.items() if k != "seconds"} for line in folder.read_metrics()])
    assert logs[0] == logs[1]
    assert [line["loss"] for line in logs[0]] == [line["loss"] for line in logs[2]]


def test_checkpoints_are_written_by_the_clock(traces, folder, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    seen = []
    train(
        fresh(),
        CpuEngine(SHAPE, traces, RECIPE),
        RECIPE,
        folder,
        tell=lambda _: seen.append(folder.read_checkpoint()),
    )
    assert seen[0] is None
    assert [state.iteration for state in seen[1:]] == sorted({state.iteration for state in seen[1:]})
    assert seen[-1].iteration >= RECIPE.steps - 2 * SPACING


def test_metrics_have_a_line_for_each_logging_point(traces, folder):
    told = []
    curve = train(fresh(), CpuEngine(SHAPE, traces, RECIPE), RECIPE, folder, told.append)
    lines = folder.read_metrics()
    assert [line["iteration"] for line in lines] == LOGGED
    assert [progress.as_json() for progress in told] == lines
    assert curve == told
    assert all(len(line["loss"]) == 2 for line in lines)
    assert lines[-1]["loss"][0] < lines[0]["loss"][0]


class Diverging(CpuEngine):
    """Throws one seed's parameters far away at some iteration, as an absurd rate does."""

    def __init__(self, traces, seed: int, at: int) -> None:
        super().__init__(SHAPE, traces, RECIPE)
        self.seed, self.at = seed, at

    def advance(self, state, count):
        if state.iteration <= self.at < state.iteration + count:
            state.theta[self.seed] *= np.float32(1e30)
        return super().advance(state, count)


def diverging(traces, folder, retries):
    """A training in which one of two seeds diverges once; its points, parameters and slowdowns."""
    told, theta, slowdown = [], {0: fresh().theta}, {}
    recipe, state = replace(RECIPE, retries=retries), fresh()

    def tell(progress):
        told.append(progress)
        theta[progress.iteration], slowdown[progress.iteration] = state.theta.copy(), state.slowdown.tolist()

    train(state, Diverging(traces, seed=1, at=10 * SPACING + 1), recipe, folder, tell)
    return state, told, theta, slowdown


def test_a_seed_that_diverges_goes_on_from_its_last_good_step_and_harms_no_other(traces, folder, unbroken):
    state, told, theta, slowdown = diverging(traces, folder, retries=3)
    assert state.alive.all()
    assert (slowdown[11 * SPACING], slowdown[12 * SPACING]) == ([1, 0.5], [1, 0.55])
    assert state.slowdown.tolist() == [1, 1]
    assert same(state, unbroken, seeds=slice(0, 1))
    assert [p.iteration for p in told if p.diverged] == [11 * SPACING]
    assert told[10].diverged == [4]
    assert theta[11 * SPACING][1].tobytes() == theta[10 * SPACING][1].tobytes()
    assert told[-1].losses[1] < told[9].losses[1]
    assert same(folder.read_checkpoint(), state)


def test_a_seed_that_diverges_too_often_stops_with_its_last_good_weights(traces, folder, unbroken):
    state, told, theta, _ = diverging(traces, folder, retries=0)
    assert state.alive.tolist() == [True, False]
    assert same(state, unbroken, seeds=slice(0, 1))
    assert state.theta[1].tobytes() == theta[10 * SPACING][1].tobytes()
    assert [p.iteration for p in told if p.diverged] == [11 * SPACING]
    assert told[-1].as_json()["loss"][1] is None
    assert same(folder.read_checkpoint(), state)


def test_an_absurd_rate_ends_in_one_clear_line(tmp_path):
    plan = configure(expert("add2"), "paper", seeds=2, steps=200, learning_rate=1e20)
    with pytest.raises(DfstError) as error:
        learn(replace(plan, device="cpu"), tmp_path / "run")
    assert str(error.value) == (
        f"all 2 seeds diverged; the last good weights are in {tmp_path / 'run'}: "
        "clip the gradient (--set gradient_clip=1), lower learning_rate, or use the quick preset"
    )
    state = RunFolder(tmp_path / "run").read_checkpoint()
    assert not state.alive.any()
    assert np.isfinite(state.theta).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_checkpoint_is_a_state_as_any_engine_takes_it(traces, folder, dtype):
    state = initial_state(SHAPE, (7, 2, 9), dtype)
    CpuEngine(SHAPE, traces, replace(RECIPE, precision=np.dtype(dtype).name)).advance(state, 5)
    state.alive[1] = False
    folder.write_checkpoint(state)
    back, start = folder.read_checkpoint(), initial_state(SHAPE, (7, 2, 9), dtype)
    assert same(back, state)
    assert (back.shape, back.iteration) == (SHAPE, 5)
    assert {f.name for f in fields(TrainingState)} == {"shape", "iteration", "device", *ARRAYS}
    for name in ARRAYS:
        mine, fresh_one = getattr(back, name), getattr(start, name)
        assert (mine.dtype, mine.shape, mine.flags.c_contiguous) == (fresh_one.dtype, fresh_one.shape, True)
        assert mine.flags.writeable


def test_an_interrupt_ends_a_measurement_of_many_seeds(traces, folder):
    measured = []

    def measure(theta):
        for number in range(1_000):
            if number == 20:
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            measured.append(number)
            yield number

    state = fresh()
    with pytest.raises(KeyboardInterrupt):
        train(state, CpuEngine(SHAPE, traces, RECIPE), RECIPE, folder, measure=measure)
    assert len(measured) < 500
    assert same(folder.read_checkpoint(), state)


def test_rlg_is_measured_beside_the_training_at_a_growing_spacing(traces, folder):
    asked, told = [], []

    def measure(theta):
        asked.append(theta.copy())
        return [len(asked)] * len(theta)

    train(fresh(), CpuEngine(SHAPE, traces, RECIPE), RECIPE, folder, told.append, measure)
    measured = sorted({p.rlg_iteration for p in told if p.rlg is not None})
    assert measured
    assert len(asked) < len(told) / 2
    assert all(later >= training.RLG_GROWTH * earlier for earlier, later in pairwise(measured))
    assert all(theta.shape == (2, SHAPE.size) for theta in asked)
