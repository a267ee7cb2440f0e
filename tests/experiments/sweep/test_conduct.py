"""Whatever befalls them, every trial comes to one end; deaths are survived a bounded number of times."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dfst.experiments.lines import JsonLines
from dfst.experiments.sweep.conduct import RESULTS, conduct
from dfst.experiments.sweep.pool import Advanced, Died, Event, Finished, Job
from dfst.experiments.sweep.screen import Screen
from dfst.experiments.sweep.trials import Sweep, trials_of
from dfst.experiments.sweep.work import failure
from dfst.files.sealed import write_sealed

TRIALS = trials_of(Sweep(tasks=("add2",), seeds=tuple(range(6))).complete())

MEASURED = {"exact": False, "rlg": None, "loss": None, "seconds": 1.0}


class Fate:
    """A pool in which each trial dies as often as it is fated to, then finishes."""

    def __init__(self, deaths: list[int], slots: int) -> None:
        self.left = dict(zip((trial.name for trial in TRIALS), deaths, strict=True))
        self.slots = slots
        self.begun: Counter[str] = Counter()
        self.running: deque[Job] = deque()
        self.most = 0
        self.stopped = False

    def start(self, job: Job) -> None:
        self.begun[job.name] += 1
        self.running.append(job)
        self.most = max(self.most, len(self.running))

    def wait(self, seconds: float) -> list[Event]:
        job = self.running.popleft()
        events: list[Event] = [Advanced(job.name, 1, 2, None)]
        if self.left[job.name]:
            self.left[job.name] -= 1
            return [*events, Died(job.name, "fate")]
        return [*events, Finished(job.name, {**failure(job.trial, ""), "status": "done", **MEASURED})]

    def stop(self) -> None:
        self.stopped = True


SILENT = Screen(Console(quiet=True))


def jobs(folder: Path) -> list[Job]:
    return [Job(trial, folder / trial.name, None) for trial in TRIALS]


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
        def wait(self, seconds: float) -> list[Event]:
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
