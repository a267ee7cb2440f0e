"""Helpers by themselves: what they do, what they import, and that they end."""

from __future__ import annotations

import time

import pytest
from helped import slowly

from dfst.learning.processes import Helper, Helpers


def test_a_helper_does_one_work_and_then_another() -> None:
    helper = Helper()
    helper.tell(abs)
    for thing in (-3, 2):
        helper.hand(thing)
    assert [helper.result(), helper.result()] == [3, 2]
    helper.tell(len)
    helper.hand("word")
    assert helper.result() == 4
    helper.dismiss()
    assert helper.process.returncode is not None


def test_a_helper_imports_nothing_from_where_it_happens_to_be(tmp_path, monkeypatch) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('not the queue of Python')")
    monkeypatch.chdir(tmp_path)
    helper = Helper()
    helper.tell(abs)
    helper.hand(-3)
    assert helper.result() == 3
    helper.dismiss()


def test_a_helper_ends_when_nobody_is_left_to_ask_it() -> None:
    helper = Helper()
    helper.tell(time.sleep)
    helper.hand(600)
    assert helper.process.stdin is not None
    helper.process.stdin.close()
    assert helper.process.wait(timeout=60) == 0
    helper.dismiss()


def test_helpers_are_kept_until_all_is_over() -> None:
    with Helpers() as helpers:
        helpers.start(1, needed=slowly)
        first = helpers.take()
        assert not helpers
        helpers.give_back(first)
        assert helpers
        assert helpers.take() is first
    assert first.process.poll() is None
    helpers.give_back(first)
    assert first.process.wait(timeout=20) is not None


def test_where_no_process_can_be_started_nobody_is_there(monkeypatch) -> None:
    def no_process(self: Helper) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(Helper, "__init__", no_process)
    with Helpers() as helpers:
        helpers.start(3, needed=slowly)
        assert not helpers
        with pytest.raises(OSError, match="no more"):
            helpers.take()
