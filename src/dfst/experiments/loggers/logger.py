"""What a logger is, which there are, and how several are one.

A logger is opened when training begins, and told numbers by iteration. In a run that goes on after it was
cut off, the first iteration told may be one that was told before: what was logged from there on is void.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from dfst.errors import MissingExtra, UnknownName


@dataclass(frozen=True)
class LoggedRun:
    """What is logged: where its folder is and what it is called."""

    folder: Path
    name: str
    group: str = ""
    """The sweep it belongs to."""
    config: Mapping[str, Any] = field(default_factory=dict)


class Logger(Protocol):
    """Takes numbers by iteration."""

    def log(self, iteration: int, values: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


LOGGERS = {
    "tensorboard": ("dfst.experiments.loggers.tensorboard", "tensorboard"),
    "wandb": ("dfst.experiments.loggers.weights_and_biases", "wandb"),
}
"""Name → the module with its `open_logger(run)` and `check()`, and the package, also the extra, it needs."""


def check_loggers(names: Sequence[str]) -> None:
    """Refuse loggers that do not exist, are not installed or cannot be reached, before any work."""
    for name in names:
        if name not in LOGGERS:
            raise UnknownName("logger", name, LOGGERS)
        module, package = LOGGERS[name]
        if find_spec(package) is None:
            raise MissingExtra(f"the logger {name}", package, package)
        import_module(module).check()


def open_loggers(names: Sequence[str], run: LoggedRun) -> Logger:
    """The named loggers as one; without names, one that says nothing."""
    check_loggers(names)
    return _All([import_module(LOGGERS[name][0]).open_logger(run) for name in names])


class _All:
    """Several loggers, told the same."""

    def __init__(self, loggers: list[Logger]) -> None:
        self._loggers = loggers

    def log(self, iteration: int, values: Mapping[str, float]) -> None:
        for logger in self._loggers:
            logger.log(iteration, values)

    def close(self) -> None:
        for logger in self._loggers:
            logger.close()
