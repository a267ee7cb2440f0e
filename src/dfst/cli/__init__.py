"""The command line: one file a command, each a dataclass whose fields are its options.

Standard output carries the answer or the JSON and nothing else; all else goes to standard error. Exit
status: 0 done, 1 the answer is negative (not exact, not equivalent, out of steps), 2 bad input, 130 stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

DESCRIPTION = """Learn an algorithm exactly from a few worked examples, and prove that you did.

Start here:
  dfst learn add2              learn binary addition from 20 examples
  dfst run add10 999+1         let a learnt model add
  dfst evaluate add10 --digits 1000
  dfst list                    everything there is to run
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `dfst`."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    import tyro

    from dfst.cli.commands import COMMANDS
    from dfst.cli.output import complain
    from dfst.errors import DfstError, InputError, UnknownName

    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        complain(UnknownName("command", arguments[0], COMMANDS))
        return 2
    try:
        command = tyro.extras.subcommand_cli_from_dict(
            COMMANDS, prog="dfst", description=DESCRIPTION, args=arguments or ["--help"]
        )
        return int(command.execute())
    except InputError as error:
        complain(error)
        return 2
    except DfstError as error:
        complain(error)
        return 1
    except KeyboardInterrupt:
        complain("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
