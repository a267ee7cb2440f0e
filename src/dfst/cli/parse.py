"""From words on the command line to a command: its fields are its options, its docstrings are its help."""

import difflib
import re
import shutil
import textwrap
from collections import deque
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from inspect import cleandoc
from math import inf
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from dfst.cli.arguments import Option, Within
from dfst.cli.output import answer
from dfst.errors import InputError
from dfst.fields import field_docs, kinds_of, read_value

NARROWEST, WIDEST = 30, 110
COLUMN = 17  # the widest name of an option that its help stands beside
IS_OPTION = re.compile(r"--?[A-Za-z]").match  # -1 is a value


@dataclass(frozen=True)
class Argument:
    """A field of a command as people type it."""

    field: str
    kind: Any
    usual: Any
    doc: str
    option: Option
    limits: Within | None

    @property
    def name(self) -> str:
        usual = self.option.metavar.strip("[]") if self.option.place else f"--{self.field.replace('_', '-')}"
        return self.option.name or usual

    @property
    def many(self) -> bool:
        return get_origin(self.kind) is tuple

    @property
    def choices(self) -> list[str]:
        literals = [kind for kind in kinds_of(self.kind) if get_origin(kind) is Literal]
        return [choice for kind in literals for choice in get_args(kind)]

    def read(self, words: list[str]) -> Any:
        """What was typed after it as its value."""
        if self.kind is bool:
            if words:
                raise InputError(f"{self.name} takes no value, found {words[0]!r:.60}")
            return True
        takes = self.limits or " or ".join(", ".join(self.choices).rsplit(", ", 1)) or "a value"
        if not words or (words == [""] and Path in kinds_of(self.kind)):
            raise InputError(f"{self.name} takes {takes}, found nothing")
        values = []
        for word in words:
            try:
                value = read_value(get_args(self.kind)[0] if self.many else self.kind, word)
            except ValueError:
                value = None
            if value is None or (self.limits and not self.limits.holds(value)):
                raise InputError(f"{self.name} takes {takes}, found {word!r:.60}")
            values.append(value)
        return tuple(values) if self.many else values[0]

    def help(self) -> tuple[str, str]:
        """How it is typed, and what it means."""
        metavar = self.option.metavar or "|".join(self.choices)
        if self.option.place:
            return metavar, self.doc
        names = f"{self.option.short}, {self.name}" if self.option.short else self.name
        return f"{names} {metavar}".rstrip(), self.doc


def arguments_of(command: Any) -> list[Argument]:
    """Every field of a command."""
    hints, docs = get_type_hints(command, include_extras=True), field_docs(command)
    found = []
    for field in fields(command):
        hint, doc = hints[field.name], docs[field.name]
        marks = getattr(hint, "__metadata__", ())
        option = next((mark for mark in marks if isinstance(mark, Option)), Option())
        limits = next((mark for mark in marks if isinstance(mark, Within)), None)
        kind = hint.__origin__ if marks else hint
        found.append(Argument(field.name, kind, field.default, doc, option, limits))
    return found


def overview(commands: Mapping[str, Any]) -> str:
    """What `dfst` says by itself: every command with the first sentence of its documentation."""
    told = [(name, cleandoc(command.__doc__).splitlines()[0]) for name, command in commands.items()]
    text = Path(__file__).with_name("overview.txt").read_text("utf-8").rstrip()
    return text.format(commands="\n".join(_columns(told)))


def parse(name: str, command: Any, words: list[str]) -> Any:
    """The command with its options filled in, or None where only its help was asked for."""
    arguments = arguments_of(command)
    if {"-h", "--help"} & set(words):
        answer(_help(name, command, arguments))
        return None
    try:
        renamed: Mapping[str, str] = getattr(command, "RENAMED", {})
        for old in (word.partition("=")[0] for word in words):
            if old in renamed:
                raise InputError(f"{old} " + (f"is called {renamed[old]} now" if renamed[old] else "is gone"))
        return command(**_read(arguments, words, getattr(command, "SHORT", {})))
    except InputError as error:
        raise InputError(f"{error}; see: dfst {name} --help") from None


def _read(arguments: list[Argument], words: list[str], short: Mapping[str, str]) -> dict[str, Any]:
    """Field → value, of all that was typed. short: words and what they stand for"""
    named = {argument.name: argument for argument in arguments if not argument.option.place}
    known = named | {argument.option.short: argument for argument in arguments}
    found: dict[str, Any] = {}
    typed: dict[str, str] = {}  # by which word each was given
    placed: list[str] = []
    waiting = deque(words)
    while waiting:
        word = waiting.popleft()
        if word == "--":
            placed += waiting
            break
        if not IS_OPTION(word):
            placed.append(word)
            continue
        name, equals, value = short.get(word, word).partition("=")
        if name not in known:
            # without the dashes, which all of them have
            near = difflib.get_close_matches(name.lstrip("-"), [one.lstrip("-") for one in named], n=1)
            raise InputError(f"unknown option {name}" + (f"; perhaps you meant --{near[0]}" if near else ""))
        argument, given = known[name], [value] if equals else []
        if word in short and value.endswith(":") and waiting:
            given = [value + waiting.popleft()]
        most = inf if argument.many else argument.kind is not bool
        while waiting and not equals and len(given) < most and not IS_OPTION(waiting[0]):
            given.append(waiting.popleft())
        value = argument.read(given)
        if argument.field in found and not argument.many and argument.kind is not bool:
            if (said := typed[argument.field]) != (again := word.partition("=")[0]):
                raise InputError(f"{said} and {again} set the same; leave out one of them")
            raise InputError(f"{again} takes one value, found it twice")
        typed[argument.field] = word.partition("=")[0]
        found[argument.field] = found.get(argument.field, ()) + value if argument.many else value
    for argument in (argument for argument in arguments if argument.option.place):
        taken, placed = (placed, []) if argument.many else (placed[:1], placed[1:])
        if taken:
            found[argument.field] = argument.read(taken)
        elif argument.usual is MISSING:
            raise InputError(f"{argument.name} is missing: {argument.doc.rstrip('.')}")
    if placed:
        raise InputError(f"{placed[0]!r} is one word too many")
    return found


def _help(name: str, command: Any, arguments: list[Argument]) -> str:
    """Usage, documentation (paragraphs fitted to the terminal, indented lines as they stand), arguments."""
    places = [argument.help() for argument in arguments if argument.option.place]
    options = [argument.help() for argument in arguments if not argument.option.place]
    lines = [" ".join([f"usage: dfst {name} [OPTIONS]", *(typed for typed, _ in places)]), ""]
    for paragraph in cleandoc(command.__doc__).split("\n\n"):
        text, *rest = re.split(r"\n(?= )", paragraph, maxsplit=1)
        lines += [*textwrap.wrap(text, _width()), *rest, ""]
    lines += ["Arguments:", *_columns(places), ""] if places else []
    lines += ["Options:", *_columns([("-h, --help", "Show this help."), *options])]
    return "\n".join(lines)


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    """Names with what is told of them beside, or below those that are long."""
    size = min(COLUMN, max(len(name) for name, _ in rows))
    lines = []
    for name, told in rows:
        below = textwrap.wrap(told, _width() - size - 4)
        first = below.pop(0) if len(name) <= size else ""
        lines += [f"  {name:{size}}  {first}".rstrip(), *(" " * (size + 4) + line for line in below)]
    return lines


def _width() -> int:
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size().columns))
