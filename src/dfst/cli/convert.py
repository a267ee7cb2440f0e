"""dfst convert"""

from __future__ import annotations

from dataclasses import dataclass
from os.path import isfile, samefile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dfst.cli.arguments import Option
from dfst.cli.output import answer
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.machines.agent import Agent


@dataclass(frozen=True)
class Convert:
    """Convert a machine from one text format to another.

    The ending of a file's name says its format: .json (ours, which keeps everything), .bb (bbchallenge),
    .yaml (turingmachine.io), .tm (morphett), .jff (JFLAP), .turmite; .dot (Graphviz) is only written. Which
    inputs the machine accepts is kept (docs/reference/machine-files.md). A machine that does not fit the
    other format is refused, with the reason.

    Examples:
      dfst convert examples/negate.yaml negate.jff
      dfst convert bb5 bb5.dot
      dfst convert '1RB1LB_1LA1RZ' - --to morphett
      dfst convert notes.txt machine.json --from turingmachine.io
    """

    source: Annotated[str, Option("IN", place=True)]
    """A machine file, a published machine (bb5), expert:add10, or a machine in one line."""
    target: Annotated[str, Option("OUT", place=True)]
    """The file to write; - is standard output, and then --to says the format."""
    source_format: Annotated[str | None, Option("FORMAT", name="--from")] = None
    """The format of IN, where its name does not tell."""
    target_format: Annotated[str | None, Option("FORMAT", name="--to")] = None
    """The format of OUT, where its name does not tell."""

    def execute(self) -> int:
        from dfst.machines.formats import format_machine, write_machine

        if isfile(self.source) and isfile(self.target) and samefile(self.source, self.target):
            raise InputError(
                f"IN and OUT are the same file, {self.target}, whose comments would be lost; give another OUT"
            )
        machine = self._machine()
        if self.target != "-":
            write_machine(machine, Path(self.target), self.target_format)
        elif self.target_format is None:
            raise InputError("to write to standard output, say in which format; try --to json")
        else:
            answer(format_machine(machine, self.target_format).rstrip("\n"))
        return 0

    def _machine(self) -> Agent:
        from dfst.machines.agent import Agent
        from dfst.machines.formats import read_machine
        from dfst.subjects import resolve_as_machine

        if self.source_format is not None:
            return read_machine(self.source, self.source_format)
        subject = resolve_as_machine(self.source)
        if not isinstance(subject, Agent):
            raise InputError(
                f"convert takes a machine, found the model {self.source}; "
                f"first extract its machine: dfst extract {self.source} -o machine.json"
            )
        return subject
