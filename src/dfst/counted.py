"""How many of what, in words: 1 state, 12 states."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """A number with what it counts; `what` stands in the singular and takes an s."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
