"""Sweeps on local processes survive the death of a trial.

A trial that was cut off must go on from its checkpoint (the lines logged before it stay the very same) and
end in the bits of one that was left alone.
"""

from __future__ import annotations

import os
import signal

from dfst.model.weights import load_weights

ITERATIONS = 3000
WORDS = [
    "--tasks", "add2", "--presets", "paper", "--seeds", "3", "--set", f"steps={ITERATIONS}",
    "--digits", "1", "--device", "cpu", "--jobs", "2",
]  # fmt: skip
TRIALS = [f"add2-dfst-paper-seed-{seed}" for seed in range(3)]


def assert_all_ended(one, unbroken) -> None:
    assert sorted(one.records) == TRIALS
    for seed, trial in enumerate(TRIALS):
        record = one.records[trial]
        assert (record["status"], record["seed"], record["iterations"]) == ("done", seed, ITERATIONS)
        assert load_weights(one.run(trial).model_file).fingerprint() == unbroken[seed]


def test_a_killed_trial_goes_on_from_its_checkpoint(sweep, unbroken):
    one = sweep(*WORDS)
    one.wait_for(lambda: one.iteration(TRIALS[0]) >= ITERATIONS // 4)
    os.kill(one.wait_for(lambda: one.holder(TRIALS[0])), signal.SIGKILL)
    reached = one.iteration(TRIALS[0])
    before = [line for line in one.run(TRIALS[0]).read_metrics() if line["iteration"] <= reached]
    status, table, said = one.finish()
    assert status == 0, said
    assert f"{TRIALS[0]}: its process was ended by SIGKILL; it goes on from its last checkpoint" in said
    assert " of 3 " in table
    assert_all_ended(one, unbroken)
    assert [one.records[trial]["attempts"] for trial in TRIALS] == [2, 1, 1]
    assert one.run(TRIALS[0]).read_metrics()[: len(before)] == before
    assert before
