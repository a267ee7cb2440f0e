"""dfst list"""

from dataclasses import dataclass

from dfst.cli.output import answer, answer_json
from dfst.cli.tables import draw

TABLES = {
    "learnt model": ("Learnt models", "hidden size", "computes", "measured"),
    "descent alone": ("Learnt by gradient descent alone, no polish", "hidden size", "recipe", "measured"),
    "expert": ("Experts, at any radix from 2 to 36 (expert:add16)", "states", "computes", "table"),
    "published machine": ("Published machines", "states", "published", "known"),
}
"""Kind of subject → the title of its table, and the headings of size, what it does and what is known."""
SHORT = ("learnt model", "expert")
"""Kinds of which so little is known that it stays in one line; then most rows take one."""


@dataclass(frozen=True)
class List:
    """List experts, published machines and shipped models with their measured results.

    Examples:
      dfst list
      dfst list --json
    """

    json: bool = False
    """Print a JSON object for each row."""

    def execute(self) -> int:
        from dfst.subjects import catalogue, note

        rows = catalogue()
        if self.json:
            answer_json(*rows)
            return 0
        for kind, (title, size, does, known) in TABLES.items():
            headings = {"subject": "subject", "size": size, "does": does, "known": known}
            shown = [
                {heading: str(row[key]) for key, heading in headings.items()}
                for row in rows
                if row["kind"] == kind
            ]
            if shown:
                prose = (does,) if kind in SHORT else (does, known)
                below = note(row[known] for row in shown)
                answer(draw(shown, title, below, prose=prose) + "\n")
        answer("Run one: dfst run SUBJECT INPUT")
        return 0
