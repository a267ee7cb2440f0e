"""The commands by name, in the order in which a newcomer meets them; each is loaded when it is asked for."""

from importlib import import_module
from typing import Any

COMMANDS = {
    "learn": "learn.Learn",
    "sweep": "sweep.SweepCommand",
    "run": "run_subject.Run",
    "trace": "trace.Trace",
    "evaluate": "evaluate.Evaluate",
    "extract": "extract.Extract",
    "prove": "prove.Prove",
    "convert": "convert.Convert",
    "list": "list.List",
    "reproduce": "reproduce.Reproduce",
    "compare": "compare.Compare",
    "plot": "plot.Plot",
    "bench": "bench.Bench",
    "play": "play.Play",
}
"""Name → module in `dfst.cli` and class in it."""


def load_command(name: str) -> Any:
    """The command of that name: a dataclass with `execute`."""
    module, _, command = COMMANDS[name].partition(".")
    return getattr(import_module(f"dfst.cli.{module}"), command)
