"""The command line: a file for each command, which is a dataclass whose fields are its options.

Standard output carries the answer or the JSON and nothing else; all else goes to standard error. Exit
status: 0 done, 1 the answer is negative (not exact, not equivalent, out of steps), 2 bad input, 3 out of
time (`learn --set stop_after=…`), 130, 143 or 129 stopped by Ctrl-C, SIGTERM or SIGHUP.
"""

import io
import sys
from collections.abc import Sequence

from dfst.train.interrupts import ignore_signals, obey_signals, was_interrupted


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `dfst`."""
    try:
        obey_signals()
        if sys.stdout is None:  # closed, as by >&-
            print("dfst: standard output is closed, and nothing can be shown; leave it open", file=sys.stderr)
            sys.exit(2)
        if isinstance(sys.stdout, io.TextIOWrapper):  # λ in a file of another encoding than UTF-8
            sys.stdout.reconfigure(errors="backslashreplace")
        # not list(…): importing the command of that name puts it in the place of the built-in
        status = execute(sys.argv[1:] if arguments is None else [*arguments])
    except (KeyboardInterrupt, SystemError) as error:  # while modules are imported, or inside the parser
        if isinstance(error, SystemError) and not was_interrupted():
            raise
        status = 128 + ignore_signals()
        print("dfst: stopped", file=sys.stderr)
    sys.exit(status)


def execute(arguments: list[str]) -> int:
    """Carry out one command and return its exit status."""
    from dfst import __version__
    from dfst.cli.commands import COMMANDS, load_command
    from dfst.cli.output import answer, complain, stopped
    from dfst.cli.parse import overview, parse
    from dfst.errors import DfstError, InputError, UnknownName

    try:
        if arguments[:1] == ["help"] and arguments[1:]:
            arguments = [arguments[1], "--help"]
        if not arguments or arguments[0] in ("-h", "--help", "help"):
            answer(overview({name: load_command(name) for name in COMMANDS}))
            return 0
        if arguments[0] == "--version":
            answer(f"dfst {__version__}")
            return 0
        name, *options = arguments
        if name not in COMMANDS:
            raise UnknownName("command", name, COMMANDS, listed="dfst --help")
        command = parse(name, load_command(name), options)
        return 0 if command is None else int(command.execute())
    except InputError as error:
        complain(error)
        return 2
    except DfstError as error:
        complain(error)
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            sys.stderr.close()
            return 1
        place = f": {error.filename}" if error.filename else ""
        complain("; ".join([f"{error.strerror or error}{place}", *getattr(error, "__notes__", [])]))
        return 2
    except KeyboardInterrupt:
        return stopped()
