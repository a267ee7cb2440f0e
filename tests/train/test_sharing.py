"""Threads share steps where that is faster, and find out when it no longer is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dfst.train.engine_cpu import RAREST, Sharing

Clock = Callable[[bool], float]
IDLE: Clock = lambda shared: 0.6 if shared else 1.0  # noqa: E731
BUSY: Clock = lambda shared: 20.0 if shared else 1.5  # noqa: E731


def calls(sharing: Sharing, clock: Clock, count: int, steps: int = 1_000) -> float:
    """The time of so many calls, in units of a step that is not shared on an idle machine."""
    spent = 0.0
    for _ in range(count):
        parts = sharing.parts(steps)
        assert sum(some for some, _ in parts) == steps
        for some, shared in parts:
            spent += some * clock(shared)
            sharing.took(shared, clock(shared))
    return spent / (count * steps)


@pytest.mark.parametrize("clock", [IDLE, BUSY])
def test_the_faster_way_is_taken_nearly_always(clock: Clock) -> None:
    sharing = Sharing()
    calls(sharing, clock, 8)
    assert calls(sharing, clock, 400) < 1.1 * min(clock(True), clock(False))


def test_a_core_that_is_taken_or_free_again_is_noticed() -> None:
    sharing = Sharing()
    calls(sharing, IDLE, 200)
    calls(sharing, BUSY, 2)
    assert calls(sharing, BUSY, 200) < 2.0
    calls(sharing, IDLE, RAREST)
    assert calls(sharing, IDLE, 200) < 0.65


def test_a_first_call_that_waits_for_a_compiler_decides_nothing() -> None:
    sharing = Sharing()
    calls(sharing, lambda shared: 1e6, 1)
    calls(sharing, IDLE, 3)
    assert calls(sharing, IDLE, 100) < 0.65


@pytest.mark.parametrize("steps", [1, 2, 15, 16, 17])
def test_short_calls_take_all_their_steps(steps: int) -> None:
    calls(Sharing(), IDLE, 50, steps)
