"""What every test may rely on."""

import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_works():
    """A shell that starts the tests in the background leaves Ctrl-C ignored, here and in child processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
