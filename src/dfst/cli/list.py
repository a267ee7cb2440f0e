"""dfst list"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.cli.arguments import Switch
from dfst.cli.output import answer, answer_json
from dfst.cli.tables import draw


@dataclass(frozen=True)
class List:
    """List experts, published machines and shipped models with their measured results.

    Examples:
      dfst list
      dfst list --json
    """

    json: Switch = False
    """Print one JSON object a row."""

    def execute(self) -> int:
        from dfst.catalogue import catalogue

        rows = catalogue()
        if self.json:
            for row in rows:
                answer_json(row)
            return 0
        headings = {
            "subject": "subject",
            "kind": "kind",
            "size": "size",
            "does": "what it does",
            "known": "known",
        }
        shown = [{heading: str(row[key]) for key, heading in headings.items()} for row in rows]
        note = "size: states of a machine, hidden size of a learnt model"
        answer(draw(shown, note=note, prose=("kind", "what it does", "known")))
        return 0
