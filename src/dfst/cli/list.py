"""dfst list"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.cli.arguments import Switch
from dfst.cli.output import answer_json, output


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
        from rich.table import Table

        from dfst.catalogue import catalogue

        rows = catalogue()
        if self.json:
            for row in rows:
                answer_json(row)
            return 0
        table = Table()
        for heading in ("subject", "kind", "states or d", "what it does", "known"):
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(str(row[key]) for key in ("subject", "kind", "size", "does", "known")))
        output().print(table)
        return 0
