"""Compiling ahead: while this process compiles the training loop, a helper compiles what comes after it.

numba compiles one function at a time in a process, and keeps what it compiled on disk, where every process
finds it. The first training on a machine would therefore leave all cores but one idle while it compiles. So a
helper is started as soon as the training loop, which takes longest, has to be compiled: it lets a small model
take the steps that follow a training. What it has not compiled by then is compiled here as ever, and results
are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
from numba.core.event import Event, Listener, install_listener

from dfst.agents import expert
from dfst.learning.engine_cpu import CpuEngine
from dfst.learning.processes import Helper, hands
from dfst.model import compile_agent
from dfst.rollout.compiled import Rollout
from dfst.states.polish import polish
from dfst.traces.traceset import gather

EXAMPLE = "add2", 300 * "1" + "+1"
"""A task, and an input for which the grid has to grow. Any will do: types alone decide what is compiled."""


@contextmanager
def compiling_ahead() -> Iterator[None]:
    """A training in here is helped if it has to be compiled; in the end the helper is dismissed."""
    helpers = ExitStack()
    try:
        with install_listener("numba:compile", _Listener(helpers)):
            yield
    finally:
        helpers.close()


class _Listener(Listener):
    """Hears of every function that is not yet on disk, right before it is compiled."""

    def __init__(self, helpers: ExitStack) -> None:
        self._helpers = helpers

    def on_start(self, event: Event) -> None:
        function = event.data["dispatcher"].py_func
        if function.__module__ == CpuEngine.__module__ and function.__name__ == "advance" and hands(2) > 1:
            with suppress(OSError):
                helper = Helper()
                self._helpers.callback(helper.dismiss)
                helper.tell(compile_the_rest)
                helper.hand(EXAMPLE)

    def on_end(self, event: Event) -> None:
        """The helper may still be at work: training takes a while."""


def compile_the_rest(example: tuple[str, str]) -> None:
    """Watch, polish and evaluate a model, as a training does with its own."""
    task, text = example
    agent = expert(task)
    model = compile_agent(agent, dtype=np.float32)
    Rollout(model).run(text, against=agent)
    list(polish(model, gather([agent.trace(text)], task, agent.alphabet)))
    Rollout(model.astype(np.float64)).run(text, against=agent)
