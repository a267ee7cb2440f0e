"""dfst bench"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from dfst.cli.output import answer_json, console, output


@dataclass(frozen=True)
class Bench:
    """Measure speed side by side in one run, and print ratios.

    Examples: dfst bench, dfst bench rollouts, dfst bench training --device cuda.
    """

    what: tyro.conf.Positional[Literal["all", "training", "rollouts", "simulation"]] = "all"
    """training: a training step against PyTorch; rollouts: closed loops; simulation: table machines."""
    device: Literal["cpu", "cuda"] = "cpu"
    """cuda measures training steps on the GPU, in milliseconds."""
    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print one JSON object a row."""

    def execute(self) -> int:
        from rich.table import Table

        from dfst.bench.suite import run_suite

        with console().status("measuring …") as status:
            tables = run_suite(self.what, self.device, tell=status.update)
        for title, rows in tables:
            if self.json:
                for row in rows:
                    answer_json({"benchmark": title, **row})
                continue
            table = Table(title=title, title_justify="left")
            for heading in rows[0]:
                table.add_column(heading, justify="left" if isinstance(rows[0][heading], str) else "right")
            for row in rows:
                table.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()))
            output().print(table)
        return 0
