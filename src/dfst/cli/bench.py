"""dfst bench"""

from dataclasses import dataclass
from typing import Annotated, Literal

from dfst.bench.suite import What
from dfst.cli.arguments import Option
from dfst.cli.output import answer, answer_json, working
from dfst.cli.tables import draw


@dataclass(frozen=True)
class Bench:
    """Measure speed: ours and the plain way side by side in one run, and the ratio beside its bar.

    What can be measured:
      training    a training step against PyTorch
      rollouts    closed loops against PyTorch and plain Python
      recurrence  dfst.recurrence against a loop and an LSTM

    Examples:
      dfst bench
      dfst bench rollouts
      dfst bench training --device cuda

    Exit status 1 means that a bar was missed; on a busy machine that may be the machine's fault.
    """

    what: Annotated[What, Option("[WHAT]", place=True)] = "all"
    """One of these; by default all of them."""
    device: Literal["cpu", "cuda"] = "cpu"
    """cuda measures training, rollouts and the recurrence on the GPU."""
    json: bool = False
    """Print a JSON object for each row."""

    def execute(self) -> int:
        from dfst.bench.suite import run_suite

        with working("measuring …") as tell:
            tables = run_suite(self.what, self.device, tell=tell)
        for title, rows in tables:
            if self.json:
                answer_json(*({"benchmark": title, **row} for row in rows))
                continue
            answer(draw([{heading: cell(value) for heading, value in row.items()} for row in rows], title))
        return 0 if all(row.get("passes", True) for _, rows in tables for row in rows) else 1


def cell(value: object) -> str:
    """A measured value in a few characters."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}" if value < 1_000_000 else f"{value / 1e6:,.3g} M"
    return str(value)
