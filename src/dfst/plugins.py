"""What users bring by name, without editing the package: `FILE.py:NAME`, or an entry point of the groups
`dfst.problems`, `dfst.learners`, `dfst.formats` (docs/how-to/problem.md)."""

import runpy
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from os.path import isfile
from typing import Any

from dfst.errors import InputError, UnknownName, placed

SUFFIX = ".py"


def is_python_file(text: str) -> bool:
    """Whether somebody typed FILE.py:NAME, or the file alone."""
    return SUFFIX + ":" in text or text.endswith(SUFFIX)


def in_python_file(text: str, what: str, usable: Callable[[Any], bool], hint: str) -> Any:
    """What FILE.py:NAME names, or the one usable thing in FILE.py. what, hint: of anything else it is said"""
    file, name, found = run_python_file(text)
    known = {key: value for key, value in found.items() if usable(value) and not key.startswith("_")}
    if name in known:
        return known[name]
    if name in found:
        raise InputError(f"{file}: {name} is no {what}; {hint}")
    if not known:
        raise InputError(f"{file} has no {what}; {hint}")
    if name:
        raise placed(file, UnknownName(what, name, known))
    if len(known) > 1:
        raise InputError(f"{file} has several; name one of {', '.join(sorted(known))}: {file}:NAME")
    return next(iter(known.values()))


def run_python_file(text: str) -> tuple[str, str, dict[str, Any]]:
    """The file, the name (or nothing) and what the file defines. Only for what a person typed: it is run."""
    file, _, name = (text, "", "") if text.endswith(SUFFIX) else text.rpartition(":")
    if not isfile(file):
        raise InputError(f"cannot read {file}: no such file; give FILE.py:NAME")
    try:
        return file, name, runpy.run_path(file)
    except SystemExit as error:
        raise InputError(
            f'{file} ended the program; put what is not for dfst under if __name__ == "__main__"'
        ) from error
    except InputError as error:
        raise placed(file, error) from error
    except Exception as error:
        raise InputError(f"{file} cannot be run: {type(error).__name__}: {error}; fix the file") from error


def installed(group: str) -> Mapping[str, EntryPoint]:
    """Name → entry point of every installed package; `load()` imports what it names."""
    return {point.name: point for point in entry_points(group=group)}
