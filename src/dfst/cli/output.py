"""Where words go: answers to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys

from rich.console import Console


def answer(text: str) -> None:
    """The answer, alone on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer_json(value: object) -> None:
    answer(json.dumps(value, ensure_ascii=False))


def complain(problem: Exception | str) -> None:
    """One line about what went wrong."""
    sys.stderr.write(f"dfst: {problem}\n")
    sys.stderr.flush()


def console() -> Console:
    """For tables and progress: standard error."""
    return Console(stderr=True, highlight=False)


def output() -> Console:
    """For tables that are the answer: standard output."""
    return Console(highlight=False)
