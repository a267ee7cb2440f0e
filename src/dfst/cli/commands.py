"""The commands by name."""

from __future__ import annotations

from typing import Any

from dfst.cli.bench import Bench
from dfst.cli.evaluate import Evaluate
from dfst.cli.learn import Learn
from dfst.cli.list import List
from dfst.cli.run import Run
from dfst.cli.trace import Trace

COMMANDS: dict[str, Any] = {
    "learn": Learn,
    "run": Run,
    "trace": Trace,
    "evaluate": Evaluate,
    "list": List,
    "bench": Bench,
}
