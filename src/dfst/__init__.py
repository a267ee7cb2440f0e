"""dfst: learn an algorithm exactly from a few worked examples, and prove that you did.

    dfst.load("add10").run("999+1").answer        # a learnt model
    dfst.learn("add2").statement                  # from 20 examples to an exact adder

Names are loaded on first use, so that importing the package stays light.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as that of typing, which is loaded later: until a command runs, Ctrl-C is a traceback
if TYPE_CHECKING:
    from typing import Any

    from dfst.api import compile as compile
    from dfst.api import dataset as dataset
    from dfst.api import evaluate as evaluate
    from dfst.api import extract as extract
    from dfst.api import learn as learn
    from dfst.api import load as load
    from dfst.api import plot as plot
    from dfst.api import polish as polish
    from dfst.api import problem as problem
    from dfst.api import prove as prove
    from dfst.api import read as read
    from dfst.api import recurrence as recurrence
    from dfst.api import teachability as teachability
    from dfst.errors import DfstError as DfstError
    from dfst.errors import InputError as InputError
    from dfst.experts.registry import expert as expert
    from dfst.machines.agent import Agent as Agent
    from dfst.machines.rulebook import RuleBook as RuleBook
    from dfst.machines.teacher import teacher as teacher
    from dfst.model.weights import Weights as Weights
    from dfst.problems.problem import Problem as Problem
    from dfst.world.check import check_unit as check_unit
    from dfst.world.grid import Limits as Limits
    from dfst.world.run import Run as Run
    from dfst.world.trace import Trace as Trace
    from dfst.world.unit import ControlUnit as ControlUnit

__version__ = "0.1.0"

_HOMES = {
    name: module
    for module, names in {
        "dfst.api": "compile dataset evaluate extract learn load plot polish problem prove read recurrence "
        "teachability",
        "dfst.errors": "DfstError InputError",
        "dfst.experts.registry": "expert",
        "dfst.machines.agent": "Agent",
        "dfst.machines.rulebook": "RuleBook",
        "dfst.machines.teacher": "teacher",
        "dfst.model.weights": "Weights",
        "dfst.problems.problem": "Problem",
        "dfst.world.check": "check_unit",
        "dfst.world.grid": "Limits",
        "dfst.world.run": "Run",
        "dfst.world.trace": "Trace",
        "dfst.world.unit": "ControlUnit",
    }.items()
    for name in names.split()
}
"""Name → the module that defines it."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dfst' has no attribute {name!r}")
    import_module("dfst.world.run").rich_display = _replay  # type: ignore[attr-defined]
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


def _replay(run: Run) -> str | None:
    """In a notebook a run shows itself as a replay; drawing is loaded when the first one does."""
    from dfst.viewer.replay import Subject, notebook_html

    return notebook_html(run.unit, run.input, steps=run.steps) if isinstance(run.unit, Subject) else None
