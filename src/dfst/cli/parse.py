"""From words on the command line to a command: by tyro, with errors in one line and our own help."""

import contextlib
import io
import os
import re
import shutil
import textwrap
from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from typing import Any, get_type_hints

from dfst.cli.arguments import check_numbers, limits_of
from dfst.cli.output import answer
from dfst.errors import InputError

OVERVIEW = """usage: dfst COMMAND …

Learn an algorithm exactly from a few worked examples, and prove that you did.

Start here:
  dfst learn add2              learn binary addition from 20 examples, prove it
  dfst run expert:add10 999+1  let a grid agent add
  dfst run add2 111+1 --watch  let a learnt model add, and watch it
  dfst play                    the same in the browser

Commands:
{commands}

A SUBJECT is one of
  add2                         a learnt model
  expert:add10                 a hand-built agent, at any radix from 2 to 36
  compiled:add10               that agent as an exact model
  bb5, langton                 a published machine
  hub:OWNER/NAME               a model on the Hugging Face Hub
  FILE, FOLDER                 weights (.safetensors), a machine (.yaml), a run
  1RB1LB_1LA1RZ                a machine in one line

`dfst list` shows what there is, `dfst COMMAND --help` explains."""

NARROWEST, WIDEST = 30, 110
PLACEHOLDER = "⁂"
UNREAD = (
    r"Error parsing (?P<option>\S+): .*invalid literal for int\(\) with base 10: (?P<found>'.*?')",
    r"Error parsing (?P<option>\S+): .*could not convert string to float: (?P<found>'.*?')",
    r"Error parsing (?P<option>\S+): Could not find valid parse for arguments: (?P<list>\[.*\])",
    r"invalid choice (?P<found>'.*?') for argument '(?P<option>.*?)'.*one of (?P<choices>\(.*\))",
    r"Missing value for argument '(?P<option>-.*?)'",
    r"Missing value for argument '(?P<argument>\w+)'",
    r"Missing from dfst \S+: (?P<argument>[A-Z]+) (?P<help>.*?)\.? \(required\)",
)
"""What tyro says where a value cannot be read or is missing."""


def overview(commands: Mapping[str, Any]) -> str:
    """What `dfst` says by itself: every command with the first sentence of its documentation."""
    names = max(map(len, commands))
    lines = []
    for name, command in commands.items():
        told = f"  {name:{names}}  {cleandoc(command.__doc__).splitlines()[0]}"
        lines += textwrap.wrap(told, _width(), subsequent_indent=" " * (names + 4))
    return OVERVIEW.format(commands="\n".join(lines))


def parse(name: str, command: Any, arguments: list[str]) -> Any:
    """The command with its options filled in, or None where only its help was asked for."""
    import tyro

    renamed: Mapping[str, str] = getattr(command, "RENAMED", {})
    for word in arguments:
        if word.partition("=")[0] in renamed:
            old = word.partition("=")[0]
            now = f"is called {renamed[old]} now" if renamed[old] else "is gone"
            raise InputError(f"{old} {now}; see: dfst {name} --help")
    short: Mapping[str, tuple[str, ...]] = getattr(command, "SHORT", {})
    arguments = _written_out(arguments, short)
    printed, complained = _Captured(), _Captured()
    try:
        with _room(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
            parsed = tyro.cli(command, prog=f"dfst {name}", description=PLACEHOLDER, args=arguments)
    except SystemExit as stop:
        if stop.code:
            said = _in_one_line(complained.getvalue(), command)
            raise InputError(f"{said}; see: dfst {name} --help") from None
        usage, _, rest = printed.getvalue().partition("\n")
        indent = " " * len(f"usage: dfst {name} ")
        answer(textwrap.fill(usage, _width(), subsequent_indent=indent, break_on_hyphens=False))
        answer(rest.replace(PLACEHOLDER, _documentation(command), 1).rstrip())
        return None
    _check_given(name, parsed, arguments)
    check_numbers(parsed)
    return parsed


def _written_out(arguments: list[str], short: Mapping[str, tuple[str, ...]]) -> list[str]:
    """What short words stand for; one that ends in a colon takes the next word with it."""
    full: list[str] = []
    for word in arguments:
        if full and full[-1].endswith(":") and full[-1] in (last for *_, last in short.values()):
            full[-1] += word
        else:
            full += short.get(word, (word,))
    return full


def _check_given(name: str, parsed: Any, arguments: list[str]) -> None:
    """Refuse an option that was typed with nothing after it, as an unset variable of a shell does it."""
    for field in fields(parsed):
        option, value = f"--{field.name.replace('_', '-')}", getattr(parsed, field.name)
        if option not in arguments:
            continue
        first = arguments[arguments.index(option) + 1 :][:1]
        if value == () or (isinstance(value, Path) and first == [""]):
            raise InputError(f"{option} takes a value, found nothing; see: dfst {name} --help")


class _Captured(io.StringIO):
    """Text that tyro believes to be written in UTF-8, so that its boxes look alike everywhere."""

    encoding = "utf-8"


def _documentation(command: Any) -> str:
    """Paragraphs fitted to the terminal; indented lines, such as examples, as they stand."""
    lines: list[str] = []
    for paragraph in cleandoc(command.__doc__).split("\n\n"):
        text, *rest = re.split(r"\n(?= )", paragraph, maxsplit=1)
        lines += [*textwrap.wrap(text, _width()), *rest, ""]
    return "\n".join(lines).rstrip()


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Let tyro believe in a terminal that is not too narrow for it: it would lay out its boxes for ever."""
    told = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(max(NARROWEST, shutil.get_terminal_size().columns))
    try:
        yield
    finally:
        if told is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = told


def _width() -> int:
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size().columns))


def _in_one_line(boxed: str, command: Any) -> str:
    """What an error box says, up to its first rule."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", boxed)
    lines = [line.strip("│ ") for line in text.splitlines() if not line.startswith(("╭", "╰"))]
    told: list[str] = []
    for line in lines:
        if line.startswith("──"):
            break
        told.append(line)
    said = " ".join(" ".join(told).split()).rstrip(".") or "these options cannot be read"
    if unknown := re.match(r"Unrecognized options: ([^,]+)", said):
        return _unknown(unknown[1], lines[len(told) :])
    found = next((found for pattern in UNREAD if (found := re.match(pattern, said))), None)
    return said if found is None else _expected(found.groupdict(), command)


def _unknown(word: str, guesses: list[str]) -> str:
    """What cannot be placed, with the option that tyro thinks was meant."""
    if not word.startswith("-"):
        return f"{word!r} is one word too many"
    near = next((guess.split()[0] for guess in guesses if guess.startswith("-")), None)
    return f"unknown option {word}" + (f"; perhaps you meant {near}" if near else "")


def _expected(said: Mapping[str, str], command: Any) -> str:
    """What an option takes and what was found in its place."""
    if "argument" in said:
        missing = _called(said["argument"], command)
        return f"{missing} is missing" + (f": {said['help']}" if "help" in said else "")
    name, found = _called(said["option"], command), said.get("found", "nothing")
    if "list" in said:
        words = literal_eval(said["list"])
        found = repr(next((word for word in words if not _is_whole(word)), words))
    if "choices" in said:
        choices = literal_eval(said["choices"])
        if "None" in choices:  # of an option that may be left out tyro tells the values in any order
            choices = sorted(set(choices) - {"None"})
        return f"{name} takes {', '.join(choices[:-1])} or {choices[-1]}, found {found}"
    limits = limits_of(command).get(name.removeprefix("--").replace("-", "_"), "a value")
    return f"{name} takes {limits}, found {found}"


def _called(name: str, command: Any) -> str:
    """What the help calls an argument for which tyro says the name of its field; an option as it is."""
    marks = getattr(get_type_hints(command, include_extras=True).get(name), "__metadata__", ())
    return next((mark.metavar.strip("[]") for mark in marks if getattr(mark, "metavar", None)), name)


def _is_whole(word: str) -> bool:
    try:
        int(word)
    except ValueError:
        return False
    return True
