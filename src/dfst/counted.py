"""How many of what, in words: 1 state, 12 states; the only state, all 12 states."""

from collections.abc import Iterable


def counted(number: int, what: str) -> str:
    """A number with what it counts, which takes an s in the plural and may come with it."""
    return f"{number:,} {what.removesuffix('s')}{'' if number == 1 else 's'}"


def all_of(number: int, what: str) -> str:
    """All of them, for sentences in which `all 1` would not do."""
    return f"the only {what}" if number == 1 else f"all {counted(number, what)}"


def ranged(middle: float, low: int, high: int) -> str:
    """The median of several numbers, and their range where there is one."""
    return f"{middle:,.0f}" if low == high else f"{middle:,.0f} ({low:,}–{high:,})"


def listed(inputs: Iterable[str]) -> str:
    """Inputs on one line."""
    return "  ".join(text.replace("\n", "\\n") or "(blank)" for text in inputs)
