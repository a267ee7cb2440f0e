"""Workers by themselves: what they do, what they import, and that they end."""

from __future__ import annotations

import time

import pytest
from worked import divide_by, slowly, touch_then_sleep

from dfst.train.workers import Worker, Workers, WorkFailed


def test_a_worker_does_one_work_and_then_another() -> None:
    worker = Worker()
    worker.set_work(abs)
    for thing in (-3, 2):
        worker.send(thing)
    assert [worker.result(), worker.result()] == [3, 2]
    worker.set_work(len)
    worker.send("word")
    assert worker.result() == 4
    worker.end()
    assert worker.process.returncode is not None


def test_a_worker_imports_nothing_from_where_it_happens_to_be(tmp_path, monkeypatch) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('not the queue of Python')")
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    worker.set_work(abs)
    worker.send(-3)
    assert worker.result() == 3
    worker.end()


def test_a_worker_ends_when_nobody_is_left_to_ask_it() -> None:
    worker = Worker()
    worker.set_work(time.sleep)
    worker.send(600)
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    assert worker.process.wait(timeout=60) is not None
    worker.end()


def test_workers_are_kept_until_all_is_over() -> None:
    with Workers() as workers:
        workers.start(1, needed=slowly)
        first = workers.take()
        assert not workers
        workers.give_back(first)
        assert workers
        assert workers.take() is first
    assert first.process.poll() is None
    workers.give_back(first)
    assert first.process.wait(timeout=20) is not None


def test_where_no_process_can_be_started_nobody_is_there(monkeypatch) -> None:
    def no_process(self: Worker) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(Worker, "__init__", no_process)
    with Workers() as workers:
        workers.start(3, needed=slowly)
        assert not workers
        with pytest.raises(OSError, match="no more"):
            workers.take()


def test_work_fails_in_words() -> None:
    worker = Worker()
    worker.set_work(divide_by)
    worker.send(4)
    assert worker.result() == 0.25
    worker.send(0)
    with pytest.raises(WorkFailed, match="ZeroDivisionError: division by zero"):
        worker.result()
    worker.send(2)
    assert worker.result() == 0.5, "one that failed goes on"
    worker.end()


def test_an_interrupted_worker_ends(tmp_path) -> None:
    worker = Worker()
    worker.set_work(touch_then_sleep)
    worker.send(tmp_path / "asleep")
    while not (tmp_path / "asleep").exists():
        time.sleep(0.01)
    worker.interrupt()
    with pytest.raises(EOFError):
        worker.result()
    assert worker.process.wait(timeout=60) == 1
    worker.end()
