"""Precompiling: while this process compiles the training loop, a worker compiles what comes after it.

numba compiles one function at a time in a process, and keeps it on disk, where every process finds it. As
soon as the training loop, which takes longest, has to be compiled, a worker lets a small model take the steps
that follow a training. What it has not compiled by then is compiled here as ever.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
from numba.core.event import Event, Listener, install_listener

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.states.polish import polish
from dfst.traces.traceset import gather
from dfst.train.engine_cpu import CpuEngine
from dfst.train.workers import Worker, worker_count

EXAMPLE = "add2", 300 * "1" + "+1"
"""A task, and an input for which the grid has to grow. Any will do: types alone decide what is compiled."""


@contextmanager
def precompiling() -> Iterator[None]:
    """A training in here gets a worker if it has to be compiled; in the end the worker is ended."""
    with ExitStack() as workers, install_listener("numba:compile", _Listener(workers)):
        yield


class _Listener(Listener):
    """Hears of every function that is not yet on disk, right before it is compiled."""

    def __init__(self, workers: ExitStack) -> None:
        self._workers = workers

    def on_start(self, event: Event) -> None:
        function = event.data["dispatcher"].py_func
        due = (function.__module__, function.__name__) == (CpuEngine.__module__, "advance")
        if due and worker_count(2) > 1:
            with suppress(OSError):
                worker = Worker()
                self._workers.callback(worker.end)
                worker.set_work(compile_the_rest)
                worker.send(EXAMPLE)

    def on_end(self, event: Event) -> None:
        """The worker may still be at work: training takes a while."""


def compile_the_rest(example: tuple[str, str]) -> None:
    """Watch, polish and evaluate a model, as a training does with its own."""
    task, text = example
    agent = expert(task)
    model = compile_agent(agent, dtype=np.float32)
    Rollout(model).run(text, against=agent)
    polish(model, gather([agent.trace(text)], task, agent.alphabet))
    Rollout(model.astype(np.float64)).run(text, against=agent)
