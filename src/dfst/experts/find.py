"""Which grid agent a name means: an expert, a published machine, a machine file, or a machine in one line."""

from os.path import isdir, isfile
from pathlib import Path

from dfst.errors import InputError, UnknownName
from dfst.experts.registry import expert, expert_names
from dfst.machines.agent import Agent
from dfst.plugins import is_python_file
from dfst.tasks.registry import find_task, is_task


def find_agent(text: str) -> Agent:
    """The grid agent that `text` names: an expert, a published machine or a machine file."""
    return expert(text) if is_task(text) else find_machine(text, "task", expert_names())


def find_machine(text: str, kind: str, names: list[str]) -> Agent:
    """The published machine, or the one in a file or in the text itself; `names`: what else there is."""
    # Loaded when asked for: most names are no foreign machines.
    from dfst.machines.formats import looks_like_machine, parse_machine, read_machine
    from dfst.machines.formats.published import PUBLISHED, published

    if text in PUBLISHED:
        return published(text)
    if is_python_file(text):
        raise InputError(
            f"{text} is a Python function; dfst run, trace, learn and prove take it, this does not"
        )
    if isfile(text):
        return read_machine(text)
    if looks_like_machine(text):
        return parse_machine(text)
    if isdir(text):
        raise InputError(
            f"{text} is a folder, expected a task or a machine; a run goes on with dfst learn --resume {text}"
        )
    if Path(text).suffix:
        raise InputError(f"cannot read {text}: no such file; give a machine file, a weights file or a name")
    if is_task(text):
        find_task(text)
        raise InputError(f"no learnt {text} is shipped; use expert:{text}, or learn it: dfst learn {text}")
    raise UnknownName(kind, text, [*names, *PUBLISHED], listed="dfst list")
