"""dfst play"""

from dataclasses import dataclass
from os.path import exists
from pathlib import Path
from typing import Annotated

from dfst.cli.arguments import InputArgument, Option, OtherSubject, Within
from dfst.errors import InputError


@dataclass(frozen=True)
class Play:
    """Open the page: watch a subject work on what you type, or teach one by hand and have it learnt.

    The page is served to this machine alone, under an address nobody can guess, until Ctrl-C.

    Examples:
      dfst play
      dfst play add2 1011+11 --against expert:add2
      dfst play langton
      dfst play examples/negate.yaml 0110 --no-browser
      dfst play '#subject=add10&input=999%2B1&step=20'

    The last one is what "Copy link" copies: it opens the same moment on any machine.
    """

    subject: Annotated[str, Option("[SUBJECT]", place=True)] = ""
    """What to show first; anything that dfst run takes."""
    input: InputArgument = None
    """What is written on the grid at first; * and x mean ×."""
    against: OtherSubject = None
    """Show a second one below it, with the first difference marked."""
    port: Annotated[int, Option("N"), Within(0, 65_535)] = 0
    """Where to serve; 0 takes any free port."""
    no_browser: bool = False
    """Only print the address."""

    def execute(self) -> int:
        from dfst.plugins import installed, is_python_file
        from dfst.problems.find import PROBLEMS
        from dfst.subjects import resolve_as_machine
        from dfst.viewer.payload import Subject
        from dfst.viewer.server import serve

        if self.against and not self.subject:
            raise InputError(
                "--against needs a subject to compare with; try dfst play add2 11+1 --against expert:add2"
            )
        if "#" in self.subject:
            if self.input is not None or self.against is not None:
                raise InputError("a link says itself what the page shows; leave out INPUT and --against")
            serve(self.port, not self.no_browser, {}, _state_of_link(self.subject))
            return 0
        given: dict[str, Subject] = {}
        state = {"subject": self.subject, "input": self.input or "", "against": self.against or ""}
        for role in ("subject", "against"):
            name = state[role]
            if not name:
                continue
            unit = resolve_as_machine(name)
            unit.encode(self.input or (unit.task.example if unit.task else ""))
            if exists(name) or is_python_file(name) or name in installed(PROBLEMS):
                # The page deals in names: what only this machine has is handed to it under one.
                state[role] = Path(name).resolve().name
                given[state[role]] = unit
        serve(self.port, not self.no_browser, given, {key: value for key, value in state.items() if value})
        return 0


def _state_of_link(link: str) -> dict[str, str]:
    """What a copied link says the page should show."""
    from urllib.parse import parse_qsl

    state = dict(parse_qsl(link.partition("#")[2]))
    if "subject" not in state:
        raise InputError(f"expected a link that names a subject, found {link[:60]!r}; copy it from the page")
    return state
