"""The commands by name, in the order in which a newcomer meets them."""

from __future__ import annotations

from typing import Any

from dfst.cli.bench import Bench
from dfst.cli.compare import Compare
from dfst.cli.convert import Convert
from dfst.cli.evaluate import Evaluate
from dfst.cli.extract import Extract
from dfst.cli.learn import Learn
from dfst.cli.list import List
from dfst.cli.play import Play
from dfst.cli.plot import Plot
from dfst.cli.prove import Prove
from dfst.cli.reproduce import Reproduce
from dfst.cli.run_subject import Run
from dfst.cli.sweep import SweepCommand
from dfst.cli.trace import Trace

COMMANDS: dict[str, Any] = {
    "learn": Learn,
    "sweep": SweepCommand,
    "run": Run,
    "trace": Trace,
    "evaluate": Evaluate,
    "extract": Extract,
    "prove": Prove,
    "convert": Convert,
    "list": List,
    "reproduce": Reproduce,
    "compare": Compare,
    "plot": Plot,
    "bench": Bench,
    "play": Play,
}
