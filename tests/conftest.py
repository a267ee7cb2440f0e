"""What every test may rely on."""

import signal

import pytest
from hypothesis import settings

from dfst.train.interrupts import SIGNALS

# how long an example takes says more about the machine than about us
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("evidence", deadline=None, max_examples=300)
settings.load_profile("quick")


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


@pytest.fixture(autouse=True)
def _signals_as_before():
    """A command takes signals for Ctrl-C, and a second one ends its process: here, that of the tests."""
    usual = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in usual.items():
        signal.signal(number, handler)
