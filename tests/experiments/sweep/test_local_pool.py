"""Sweeps on local processes survive the death of a trial.

A trial that was cut off must go on from its checkpoint (the lines logged before it stay the very same) and
end in the bits of one that was left alone.
"""

from __future__ import annotations

import os
import signal

import pytest
from local_trials import assert_all_ended, trials, words

ITERATIONS = 3000
TRIALS = trials(2)
WORDS = words(len(TRIALS), ITERATIONS)


@pytest.mark.slow
def test_a_killed_trial_goes_on_from_its_checkpoint(sweep, unbroken):
    one = sweep(*WORDS)
    one.wait_for(lambda: one.iteration(TRIALS[0]) >= ITERATIONS // 4)
    os.kill(one.wait_for(lambda: one.holder(TRIALS[0])), signal.SIGKILL)
    reached = one.iteration(TRIALS[0])
    before = [line for line in one.run(TRIALS[0]).read_metrics() if line["iteration"] <= reached]
    status, table, said = one.finish()
    assert status == 0, said
    assert f"{TRIALS[0]}: its process was ended by SIGKILL; it goes on from its last checkpoint" in said
    assert " of 2 " in table
    assert_all_ended(one, unbroken, ITERATIONS)
    assert [one.records[trial]["attempts"] for trial in TRIALS] == [2, 1]
    assert one.run(TRIALS[0]).read_metrics()[: len(before)] == before
    assert before
