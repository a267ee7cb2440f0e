"""dfst: learn an algorithm exactly from a few worked examples, and prove that you did.

    dfst.load("add10").run("999+1").answer        # a learnt model
    dfst.learn("add2").statement                  # from 20 examples to an exact adder

Names are loaded on first use, so that importing the package stays light; `__init__.pyi` lists them.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as that of typing, which is loaded later: until a command runs, Ctrl-C is a traceback
if TYPE_CHECKING:
    from typing import Any

    from dfst.world.run import Run

__version__ = "0.1.0"

with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:
    _IMPORTS = [line.split() for line in _stub if line.startswith("from dfst.")]
_HOMES = {words[-1]: words[1] for words in _IMPORTS}  # name → the module that defines it

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dfst' has no attribute {name!r}")
    import_module("dfst.world.run").rich_display = _replay  # type: ignore[attr-defined]
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*(name for name in globals() if name.startswith("__")), *_HOMES])


def _replay(run: Run) -> str | None:
    """In a notebook a run shows itself as a replay; drawing is loaded when the first one does."""
    from dfst.viewer.replay import Subject, notebook_html

    return notebook_html(run.unit, run.input, steps=run.steps) if isinstance(run.unit, Subject) else None
