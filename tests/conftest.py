"""What every test may rely on."""

import signal

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")  # how long an example takes says more about the machine than about us


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_works():
    """A shell that starts the tests in the background leaves Ctrl-C ignored, here and in child processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
