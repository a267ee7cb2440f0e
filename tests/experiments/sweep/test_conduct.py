"""Whatever befalls them, every trial comes to one end; deaths are survived a bounded number of times."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dfst.experiments.lines import JsonLines, Line
from dfst.experiments.sweep.conduct import RESULTS, conduct
from dfst.experiments.sweep.screen import Screen
from dfst.experiments.sweep.trials import Sweep, trials_of
from dfst.experiments.sweep.work import Job, failure
from dfst.files.sealed import write_sealed

TRIALS = trials_of(Sweep(tasks=("add2",), seeds=tuple(range(6))).complete())

PLAN = TRIALS[0].plan()

MEASURED = {"exact": False, "rlg": None, "loss": None, "seconds": 1.0}


class Fate:
    """A pool in which each trial dies as often as it is fated to, then finishes."""

    def __init__(self, deaths: list[int], slots: int) -> None:
        self.left = dict(zip((trial.name for trial in TRIALS), deaths, strict=True))
        self.slots = slots
        self.begun: Counter[str] = Counter()
        self.running: list[Future[Line]] = []
        self.most = 0
        self.stopped = False

    def start(self, job: Job) -> Future[Line]:
        self.begun[job.name] += 1
        future: Future[Line] = Future()
        self.running = [*(one for one in self.running if not one.done()), future]
        self.most = max(self.most, len(self.running))
        end = partial(future.set_result, {**failure(job.trial, ""), "status": "done", **MEASURED})
        if self.left[job.name]:
            self.left[job.name] -= 1
            end = partial(future.set_exception, OSError("fate"))
        threading.Timer(0.001, end).start()
        return future

    def reason(self, error: BaseException) -> str:
        return str(error)

    def stop(self) -> None:
        self.stopped = True


SILENT = Screen(Console(quiet=True))


def jobs(folder: Path) -> list[Job]:
    return [Job(trial, folder / trial.name, PLAN) for trial in TRIALS]


@given(
    deaths=st.lists(st.integers(0, 4), min_size=6, max_size=6),
    slots=st.integers(1, 7),
    retries=st.integers(0, 3),
    over=st.sets(st.sampled_from([trial.name for trial in TRIALS])),
)
def test_every_trial_ends_once(tmp_path_factory, deaths, slots, retries, over):
    folder = tmp_path_factory.mktemp("sweep")
    table, pool = JsonLines(folder / RESULTS), Fate(deaths, slots)
    for name in sorted(over):
        table.append({"trial": name, "status": "done"})
    conduct(jobs(folder), pool, table, SILENT, retries)
    ends = {record["trial"]: record for record in table.read()}
    assert Counter(record["trial"] for record in table.read()) == Counter(t.name for t in TRIALS)
    assert pool.most <= slots
    assert pool.stopped
    for trial, fated in zip(TRIALS, deaths, strict=True):
        if trial.name in over:
            assert pool.begun[trial.name] == 0
            continue
        assert pool.begun[trial.name] == ends[trial.name]["attempts"] == min(fated, retries) + 1
        assert ends[trial.name]["status"] == ("done" if fated <= retries else "failed")


def test_the_reason_of_the_last_death_is_kept(tmp_path):
    table = JsonLines(tmp_path / RESULTS)
    conduct(jobs(tmp_path), Fate([9, 0, 0, 0, 0, 0], 1), table, SILENT, 2)
    (failed,) = [record for record in table.read() if record["status"] == "failed"]
    assert failed["error"] == "gave up after 3 attempts: fate"


def test_an_interrupt_stops_the_pool_and_is_passed_on(tmp_path):
    class Interrupted(Fate):
        def start(self, job: Job) -> Future[Line]:
            raise KeyboardInterrupt

    pool = Interrupted([0] * 6, 2)
    with pytest.raises(KeyboardInterrupt):
        conduct(jobs(tmp_path), pool, JsonLines(tmp_path / RESULTS), SILENT, 2)
    assert pool.stopped


def test_a_trial_that_left_its_record_is_not_run_again(tmp_path):
    pool = Fate([0] * 6, 2)
    (tmp_path / TRIALS[0].name).mkdir()
    line = {"trial": TRIALS[0].name, "status": "done", **MEASURED}
    write_sealed(tmp_path / TRIALS[0].name / "trial.json", line)
    conduct(jobs(tmp_path), pool, JsonLines(tmp_path / RESULTS), SILENT, 2)
    assert pool.begun[TRIALS[0].name] == 0
    assert len(JsonLines(tmp_path / RESULTS).read()) == 6
