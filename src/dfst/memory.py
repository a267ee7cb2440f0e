"""What a piece of work may take of this machine's memory, asked before any of it is taken.

A number with a zero too many must not fill the machine and have some other program ended for it.
"""

import os

from dfst.errors import InputError


def physical_memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def require_memory(needed: int, what: str, advice: str) -> None:
    """Refuse work that this machine has no memory for. `what` it is, as in "a trace of 10 steps"."""
    there = physical_memory()
    if needed > there:
        raise InputError(
            f"{what} may need {needed / 1e9:,.0f} GB of memory, this machine has {there / 1e9:,.0f}; {advice}"
        )
