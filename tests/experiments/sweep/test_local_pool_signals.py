"""Sweeps on local processes survive Ctrl-C, signals of a cluster and the death of the sweep itself.

Trials are long enough that a busy machine does not end them before the signal comes.
"""

from __future__ import annotations

import os
import signal

import pytest
from local_trials import assert_all_ended, trials, words

pytestmark = pytest.mark.slow

ITERATIONS = 12_000
TRIALS = trials(3)
WORDS = words(len(TRIALS), ITERATIONS)


def test_interrupted_and_begun_again(sweep, unbroken):
    one = sweep(*WORDS)
    one.wait_for(lambda: one.iteration(TRIALS[1]) >= ITERATIONS // 4)
    reached = one.iteration(TRIALS[1])
    status, table, said = one.end(signal.SIGINT)
    assert (status, table) == (130, "")
    assert said.endswith(f"Go on with: dfst sweep --resume {one.folder}\n")
    assert "Traceback" not in said
    assert one.iteration(TRIALS[1]) >= reached
    early = one.records

    two = sweep(*WORDS)
    two.wait_for(lambda: two.records)
    holders = [two.holder(trial) for trial in TRIALS if two.run(trial).exists()]
    assert two.end(signal.SIGKILL)[0] == -signal.SIGKILL
    with open(two.folder / "results.jsonl", "ab") as table_file:
        table_file.write(b'{"trial": "add2-df')

    three = sweep(*WORDS)
    status, _, said = three.finish()
    assert status == 0, said
    assert_all_ended(three, unbroken, ITERATIONS)
    assert {name: three.records[name] for name in early} == early
    assert not any(alive(process) for process in holders if process), "a trial outlived its sweep"

    again = sweep(*WORDS)
    assert again.finish()[0] == 0
    assert again.records == three.records


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_cluster_ends_a_worker_and_then_the_sweep(sweep, unbroken, how):
    """Each saves: the trial goes on, and so does the sweep, to the same bits."""
    one = sweep(*WORDS)
    one.wait_for(lambda: one.iteration(TRIALS[0]) >= ITERATIONS // 10)
    worker = one.wait_for(lambda: one.holder(TRIALS[0]))
    os.kill(worker, how)
    one.wait_for(lambda: not alive(worker))
    reached = one.iteration(TRIALS[0])
    one.wait_for(lambda: one.iteration(TRIALS[0]) > reached or TRIALS[0] in one.records)
    holders = [one.holder(trial) for trial in TRIALS if one.run(trial).exists()]
    status, table, said = one.end(how)
    assert (status, table) == (128 + how, "")
    assert f"{TRIALS[0]}: its process ended with status 1; it goes on from its last checkpoint" in said
    assert said.endswith(f"Go on with: dfst sweep --resume {one.folder}\n")
    assert "Traceback" not in said
    assert not any(alive(process) for process in holders if process), "a trial outlived its sweep"

    two = sweep(*WORDS)
    status, _, said = two.finish()
    assert status == 0, said
    assert_all_ended(two, unbroken, ITERATIONS)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
