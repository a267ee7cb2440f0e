"""Loggers hold what the JSON lines of a run hold, also in a run that was cut off and went on."""

from __future__ import annotations

import json
import math
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dfst.cli import execute
from dfst.errors import InputError, MissingExtra
from dfst.experiments.loggers import LOGGERS, LoggingNarrator, check_loggers, values_of
from dfst.experts import expert
from dfst.train.progress import Narrator, Progress
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure


@pytest.fixture(autouse=True)
def _nothing_leaves_this_machine(monkeypatch, tmp_path):
    for name in ("WANDB_API_KEY", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "wandb-config"))
    monkeypatch.setenv("WANDB_MODE", "offline")


def progress(iteration: int, losses: list[float], rlg: list[int] | None = None) -> Progress:
    return Progress(iteration, 10, 0.5, np.array(losses), 0.1, rlg, 0, [])


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard would draw."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_the_numbers_of_every_seed():
    values = values_of(progress(5, [0.25, math.nan], [7, 0]), seeds=(3, 4))
    assert values == {"rate": 0.5, "loss/seed-3": 0.25, "rlg/seed-3": 7.0, "rlg/seed-4": 0.0}


def test_a_narrator_tells_both_and_closes_once(tmp_path, monkeypatch):
    said: list[object] = []

    class Inner(Narrator):
        def stage(self, text):
            said.append(text)

        def progress(self, progress):
            said.append(progress.iteration)

    class Log:
        def __init__(self, folder, group, config):
            configs.append(config)

        def log(self, iteration, values):
            said.append((iteration, values["loss/seed-0"]))

        def close(self):
            said.append("closed")

    configs = []
    monkeypatch.setattr("dfst.experiments.loggers.check_loggers", list)
    monkeypatch.setitem(LOGGERS, "any", Log)
    plan = configure(expert("add2"), seeds=1)
    narrator = LoggingNarrator(Inner(), ["any"], tmp_path)
    narrator.stage("begin")
    narrator.training_begins(plan.problem, plan.recipe)
    narrator.progress(progress(5, [0.25]))
    narrator.training_ends()
    narrator.training_ends()
    training = "training 1 seed with hidden size None for 0 steps (quick preset)"
    assert said == ["begin", training, (5, 0.25), 5, "closed"]
    assert (configs[0]["agent"], configs[0]["learning_rate"]) == ("add2", plan.recipe.learning_rate)


def test_tensorboard_forgets_what_a_resumed_run_makes_again(tmp_path):
    pytest.importorskip("tensorboard")
    for iterations, loss in ((range(5, 30, 5), 1.0), (range(15, 45, 5), 2.0)):
        logger = LOGGERS["tensorboard"](tmp_path)
        for iteration in iterations:
            logger.log(iteration, {"loss": loss})
        logger.close()
    assert scalars(tmp_path) == {"loss": [(5, 1), (10, 1), *((i, 2) for i in range(15, 45, 5))]}


def test_weights_and_biases_offline_goes_on_in_the_same_run(tmp_path):
    pytest.importorskip("wandb")
    for first in (1, 3):
        logger = LOGGERS["wandb"](tmp_path, "some sweep", {"rate": 0.5})
        logger.log(first, {"loss": 0.25})
        logger.close()
    kept = (tmp_path / "wandb-id").read_text()
    files = sorted((tmp_path / "wandb").glob("offline-run-*/*.wandb"))
    assert [file.name for file in files] == [f"run-{kept}.wandb"] * len(files)
    assert files
    deadline = time.monotonic() + 60  # it is written by a process of its own
    while not all(b"loss" in file.read_bytes() for file in files):
        assert time.monotonic() < deadline
        time.sleep(0.05)


SHORT = ["learn", "increment2", "--preset", "paper", "--steps", "40", "--digits", "1", "--device", "cpu"]


def test_dfst_learn_logs_what_its_metrics_say(tmp_path):
    pytest.importorskip("tensorboard")
    folder = tmp_path / "run"
    assert execute([*SHORT, "--set", "logger=tensorboard", "--out", str(folder)]) in (0, 1)
    lines = RunFolder(folder).read_metrics()
    drawn = scalars(folder)
    assert len(lines) == 40
    assert [step for step, _ in drawn["loss/seed-0"]] == [line["iteration"] for line in lines]
    assert [loss for _, loss in drawn["loss/seed-0"]] == pytest.approx([line["loss"][0] for line in lines])


def test_a_logger_nobody_knows(tmp_path, capsys):
    assert execute([*SHORT, "--set", "logger=tensorbord", "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err == "dfst: unknown logger 'tensorbord': did you mean tensorboard?\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", LOGGERS)
def test_a_logger_that_is_not_installed(monkeypatch, name):
    monkeypatch.setattr("dfst.experiments.loggers.find_spec", lambda package: None)
    with pytest.raises(MissingExtra) as refused:
        check_loggers([name])
    assert str(refused.value) == (
        f"the logger {name} needs {name}, which is not installed; run: pip install 'dfst[{name}]'"
    )


@pytest.mark.skipif(find_spec("wandb") is None, reason="wandb is not installed")
def test_weights_and_biases_without_a_login(monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "online")
    with pytest.raises(InputError, match="not logged in; run: wandb login, or set WANDB_MODE=offline"):
        check_loggers(["wandb"])


def test_json_lines_need_no_logger(tmp_path):
    execute([*SHORT, "--out", str(tmp_path / "run")])
    lines = (tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["iteration"] for line in lines] == list(range(1, 41))
