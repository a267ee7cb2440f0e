"""Machines as text: the formats people already have, each in a file of its own.

Foreign text is data: nothing is evaluated, sizes and depths are limited, and whatever is wrong with it comes
out as one `InputError`.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dfst.errors import InputError, UnknownName, placed
from dfst.files import write_atomically
from dfst.files.plain import read_text
from dfst.machines.agent import Agent
from dfst.machines.formats import bbchallenge, dot, jflap, json_format, morphett, turingmachine_io, turmite
from dfst.plugins import in_python_file, installed, is_python_file

MAX_BYTES = 10_000_000
MOST_DISLIKED = 70  # characters of what a format dislikes in a text that shows no format


@dataclass(frozen=True)
class Format:
    """What can be done with a format."""

    name: str
    meaning: str
    suffixes: tuple[str, ...]  # endings of file names; the first is the usual one
    module: Any
    """A module or class with `write(agent)`, and `parse(text, name)` unless the format is only written."""

    @property
    def is_read(self) -> bool:
        return hasattr(self.module, "parse")


FORMATS = {
    format.name: format
    for format in (
        Format("json", "everything an agent is", (".json",), json_format),
        Format("bbchallenge", "1-D, symbols 0 to 9, up to 25 states", (".bb",), bbchallenge),
        Format("turingmachine.io", "1-D, YAML", (".yaml", ".yml"), turingmachine_io),
        Format("morphett", "1-D, each rule on its line", (".tm",), morphett),
        Format("jflap", "1-D, XML", (".jff",), jflap),
        Format("turmite", "2-D, absolute or relative", (".turmite",), turmite),
        Format("dot", "a Mealy machine for Graphviz, AALpy, LearnLib", (".dot", ".gv"), dot),
    )
}


@cache
def known_formats() -> dict[str, Format]:
    """Ours, and those that installed packages offer (entry point `dfst.formats`)."""
    return FORMATS | {name: point.load() for name, point in installed("dfst.formats").items()}


def read_machine(path: str | Path, format: str | None = None) -> Agent:
    """The machine in a file; it is called after the file unless the file names it."""
    path = Path(path)
    text = read_text(path, "give a machine file", MAX_BYTES)
    if not text.strip():
        raise InputError(f"{path} is empty; give a machine file")
    try:
        return parse_machine(text, format or guess_format(text, path.suffix), name=path.stem)
    except InputError as error:
        raise placed(str(path), error) from None


def parse_machine(text: str, format: str | None = None, name: str = "machine") -> Agent:
    """The machine that a text describes."""
    found = _find(format or guess_format(text))
    if not found.is_read:
        raise InputError(f"{found.name} is written only; give {', '.join(_readable())}")
    if len(text) > MAX_BYTES:
        raise InputError(f"expected a machine of at most {MAX_BYTES:,} characters, found {len(text):,}")
    try:
        agent: Agent = found.module.parse(text, name)
    except InputError as error:
        raise placed(found.name, error) from None
    return agent


def format_machine(agent: Agent, format: str) -> str:
    """The machine as text; raises InputError where it does not fit the format."""
    module = _find(format).module
    try:
        text: str = module.write(agent)
    except InputError as error:
        raise InputError(f"{agent.name} does not fit {format}: {error}") from None
    return text


def format_of_name(path: Path) -> str:
    """The name of the format that a file's name ends in."""
    for format in known_formats().values():
        if path.suffix.lower() in format.suffixes:
            return format.name
    endings = ", ".join(suffix for format in known_formats().values() for suffix in format.suffixes)
    raise InputError(f"cannot tell the format of {path.name}; end its name in one of {endings}")


def write_machine(agent: Agent, path: str | Path, format: str | None = None) -> None:
    """Write the machine to a file, in the format its name ends in unless one is given."""
    path = Path(path)
    text = format_machine(agent, format or format_of_name(path))
    try:
        write_atomically(path, text if text.endswith("\n") else text + "\n")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; give a place that can be written") from None


_ENTRY = r"(?:[0-9][LR][A-Z]|---)"
_STANDARD_TEXT = re.compile(rf"{_ENTRY}+(?:_{_ENTRY}+)*")
_LOOKS = {
    "jflap": r"\A<",
    "turmite": r"\A\{\s*\{",
    "json": r"\A\{",
    "bbchallenge": rf"\A{_STANDARD_TEXT.pattern}",
    "turingmachine.io": r"^[ \t]*(?:table|source code)[ \t]*:",
    "morphett": r"^[ \t]*[^\s;]+[ \t]+[^\s;]+[ \t]+[^\s;]+[ \t]+[lrLR*][ \t]+[^\s;]+",
}
"""What a text has that shows its format; the first that fits."""


def guess_format(text: str, suffix: str = "") -> str:
    """The name of the format, by the ending of a file's name or by the text itself."""
    for format in known_formats().values():
        if suffix.lower() in format.suffixes:
            return format.name
    start = text.lstrip("\ufeff \t\r\n")
    shown = (name for name, look in _LOOKS.items() if re.search(look, start, re.MULTILINE))
    return next(shown, None) or _by_trial(text)


def _by_trial(text: str) -> str:
    """The format that takes the text, where it does not show which it is; else what each of them dislikes."""
    dislikes = []
    for name in _readable():
        try:
            known_formats()[name].module.parse(text, "machine")
        except InputError as error:
            said = str(error)
            cut = said if len(said) <= MOST_DISLIKED else said[: MOST_DISLIKED - 1] + "…"
            dislikes.append(f"{name}: {cut}")
        else:
            return name
    raise InputError(f"cannot tell the format of this machine; tried {' | '.join(dislikes)}")


def looks_like_machine(text: str) -> bool:
    """Whether a word on the command line is meant as a machine: bbchallenge text or a turmite."""
    if text.lstrip().startswith("{"):
        return True
    return bool(_STANDARD_TEXT.match(text)) and not re.search(r"[./\\]", text)


def _find(name: str) -> Format:
    if is_python_file(name):
        hint = "make a dfst.machines.formats.Format"
        own: Format = in_python_file(name, "format", lambda value: isinstance(value, Format), hint)
        return own
    if name not in known_formats():
        raise UnknownName("format", name, known_formats())
    return known_formats()[name]


def _readable() -> list[str]:
    return [format.name for format in known_formats().values() if format.is_read]
