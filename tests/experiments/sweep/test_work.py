"""A trial's line: one measure for every learner, the one behind `dfst compare`."""

from __future__ import annotations

import pytest

from dfst.experiments.baselines.assignment import Trained
from dfst.experiments.comparison.measure import OTHER_LONGEST, measure
from dfst.experiments.sweep.conduct import jobs_of
from dfst.experiments.sweep.trials import Sweep, presets, trial_settings
from dfst.experiments.sweep.work import COLUMNS, finished_line, work
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import load_weights
from dfst.problems import find_problem
from dfst.train.runfolder import RunFolder


def lines(folder, **said):
    sweep = Sweep(recipes=presets(("paper",)), set=trial_settings(["steps=60"]), **said).complete()
    jobs = jobs_of(sweep, folder, device="cpu")
    return [(job, work(job)) for job in jobs]


@pytest.mark.parametrize("digits", [(), pytest.param((2, 5), marks=pytest.mark.slow)])
def test_every_learner_is_measured_alike(tmp_path, digits):
    pytest.importorskip("aalpy")
    (job, own), (_, other) = lines(tmp_path, tasks=("increment2",), learners=("dfst", "edsm"), digits=digits)
    assert list(own) == list(other)
    assert own["longest"] == other["longest"] == max(digits, default=OTHER_LONGEST)
    assert (other["exact"], other["rlg"]) == (True, other["longest"])
    weights = load_weights(RunFolder(job.folder).model_file)
    again = Trained(Rollout(weights), 0, 0, 0, 0.0, None)
    result = measure("dfst", find_problem("increment2"), 0, "cpu", again, digits)
    assert (own["rlg"], own["plg"], own["exact"]) == (result.rlg, result.plg, result.exact)
    assert finished_line(job.folder) == own


def test_a_machine_without_digits_has_no_lengths(tmp_path):
    machine = tmp_path / "m.yaml"
    machine.write_text("blank: ' '\nstart state: a\ntable:\n  a: {1: R, ' ': {write: 1, R: end}}\n  end:\n")
    ((_, line),) = lines(tmp_path, tasks=(str(machine),))
    assert set(COLUMNS) <= set(line)
    assert [line[name] for name in ("status", "rlg", "plg", "longest")] == ["done", None, None, None]
    assert line["seconds"] > 0
