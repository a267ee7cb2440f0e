"""Faults on purpose: kills, full disks, signals, damaged files, a storm of requests, hostile files.

Every try ends right, in one clear line, or it is a failure of ours. A fixed few of each kind are tried in
every run of the tests, all of them in `make chaos`.
"""

from __future__ import annotations

import os

import pytest
from damage import damages
from ground import TRIES, Ground, Tries, share
from hostile import hostile_files
from kills import full_disks, kills, signals
from storm import storms

KINDS: dict[str, tuple[Tries, int]] = {
    "kills": (kills, 2),
    "full disks": (full_disks, 1),
    "signals": (signals, 1),
    "damage": (damages, 3),
    "server": (storms, 10),
    "hostile files": (hostile_files, 8),
}
"""Each kind, and how many of it are tried every time"""

MOST_SECONDS = 400
"""Of the processor, for all tries of a kind; damage takes the most, some 250."""


def attempt(ground: Ground, kind: str, few: bool) -> None:
    tries, count = KINDS[kind]
    every = list(tries(ground))
    failed, began = [], sum(os.times()[:4])
    for name, trying in share(every, count) if few else every:
        if sum(os.times()[:4]) - began > MOST_SECONDS:
            failed.append(f"out of time before {name}")
            break
        try:
            wrong = trying()
        except OSError as error:  # a file that should be there
            wrong = str(error)
        TRIES[kind, not wrong] += 1
        if wrong:
            failed.append(f"{name}: {wrong}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"signals"}))
def test_a_few(ground, kind):
    """Where a signal strikes is up to chance here; tests/cli/test_resume.py sends them at known moments."""
    attempt(ground, kind, few=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all(ground, kind):
    attempt(ground, kind, few=False)
