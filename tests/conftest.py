"""What every test may rely on."""

import fcntl
import os
import signal

import pytest
from hypothesis import settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from dfst.train.interrupts import SIGNALS

# how long an example takes says more about the machine than about us
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("evidence", deadline=None, max_examples=300)
settings.load_profile("quick")

LONG = "viewer", "train"
"""Rooms whose files take longest: they begin first, so that none is left over for one process at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parent.name not in LONG)


@pytest.fixture(scope="session", autouse=True)
def _no_terminal():
    """What is said does not depend on the terminal, or the service, in which the tests were started."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _signals_work():
    """A shell that starts the tests in the background leaves Ctrl-C ignored, here and in child processes, and
    nohup leaves SIGHUP so; it means as little as before here, but child processes do not inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    if (hangup := signal.getsignal(signal.SIGHUP)) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    yield
    signal.signal(signal.SIGINT, before)
    signal.signal(signal.SIGHUP, hangup)


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory):
    """Of processes that test side by side, one compiles a function and the others read it from disk."""
    compile_it, held = Dispatcher.compile, set()

    def after_others(self, signature):
        name = f"{self.py_func.__module__}.{self.__name__}.lock"
        with global_compiler_lock:  # first: who compiles may need what another thread is about to compile
            if name in held or not self.stats.cache_path:
                return compile_it(self, signature)
            with open(common / name, "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                held.add(name)
                try:
                    return compile_it(self, signature)
                finally:
                    held.remove(name)

    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    common = tmp_path_factory.getbasetemp().parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", after_others)
        yield


@pytest.fixture(autouse=True)
def _signals_as_before():
    """A command takes signals for Ctrl-C, and a second one ends its process: here, that of the tests."""
    usual = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in usual.items():
        signal.signal(number, handler)
