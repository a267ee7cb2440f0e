"""Workers by themselves: what they do, what they import, and that they end."""

from __future__ import annotations

import pickle
import time
from functools import partial

import pytest
from worked import divide_by, only_in, slowly, touch_then_sleep

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
        assert len(workers) == 1
        found = [workers.call(slowly, thing) for thing in (1, 2)]
        assert [thing for thing, _ in found] == [1, 2]
        assert found[0][1] == found[1][1], "one did both"
        with pytest.raises(WorkFailed, match="ZeroDivisionError"):
            workers.call(divide_by, 0)
        assert workers.call(slowly, 3) == (3, found[0][1]), "one that failed goes on"
        [kept] = workers._free
    assert kept.process.wait(timeout=20) is not None


def test_what_begins_after_the_end_is_interrupted() -> None:
    workers = Workers()
    workers.interrupt()
    with pytest.raises(ChildProcessError, match="its process"):
        workers.call(time.sleep, 600)
    assert not workers


def test_how_a_process_died_is_said() -> None:
    with Workers() as workers, pytest.raises(ChildProcessError, match="its process ended with status 3"):
        workers.call(partial(only_in, 0), 1)


def test_what_cannot_be_sent_is_refused_and_nobody_waits() -> None:
    with Workers() as workers, pytest.raises((AttributeError, pickle.PicklingError)):
        workers.call(lambda thing: thing, 1)


def test_where_no_process_can_be_started_nobody_is_there(monkeypatch) -> None:
    def no_process(self: Worker) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(Worker, "__init__", no_process)
    with Workers() as workers:
        workers.start(3, needed=slowly)
        assert not workers
        with pytest.raises(OSError, match="no more"):
            workers.call(slowly, 1)


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
