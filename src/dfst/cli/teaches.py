"""How `dfst trace --teaches` tells what a training set teaches."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby

from dfst.cli.tables import draw
from dfst.counted import counted
from dfst.states.teachability import Teachability
from dfst.traces.loops import Loop
from dfst.traces.teaching_set import NAMED
from dfst.traces.traceset import TraceSet


def draw_teachability(found: Teachability, traces: TraceSet, hidden_size: int) -> str:
    """The whole report: the counts, the loops, the warnings."""
    agent, around = found.agent, found.surroundings
    fewest = "not sought, there are too many"
    if found.fewest:
        lower, upper = found.fewest
        fewest = f"{upper} explain the traces" if lower == upper else f"{lower} to {upper} explain the traces"
    lines = [
        f"{agent.name}: {counted(len(traces), 'trace')}, {counted(traces.tokens, 'step')}, "
        f"{int(traces.lengths.max(initial=0)):,} in the longest",
        f"rules: {found.coverage.seen} of {agent.rule_count} shown; {len(around.after_one)} always after the "
        f"same rule, {len(around.before_one)} always before the same symbol",
        f"states: {len(agent.states)}, of which {fewest}; hidden size {hidden_size}",
        "",
    ]
    if found.loops:
        lines += [draw(_rows(found.loops), left=1, prose=("loop", "read after so many")), ""]
    if found.teaching:
        lines += [f"told apart: {found.teaching.sentence().split('; the thinnest')[0]}"]
        for place in found.teaching.thinnest(NAMED):
            lines += _wrapped(f"  {place}", 4)
        lines += [""]
    warnings = found.warnings(hidden_size)
    for warning in warnings:
        lines += _wrapped(f"warning: {warning}")
    return "\n".join(lines if warnings else [*lines, "nothing here predicts a failure"])


def _wrapped(text: str, indent: int = 2) -> list[str]:
    width = shutil.get_terminal_size().columns
    return textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def _rows(loops: Sequence[Loop]) -> list[dict[str, str]]:
    """One row for the loops of a state that were shown alike."""
    rows = []
    for (state, walks, exits, blanks), alike in groupby(loops, _shown):
        rows.append(
            {
                "loop": f"{state}: {' '.join(loop.symbol for loop in alike)}",
                "repeats": walks,
                "blanks": "yes" if blanks else "",
                "read after so many": exits,
            }
        )
    return rows


def _shown(loop: Loop) -> tuple[str, str, str, bool]:
    return loop.state, spans(loop.rounds), _exits(loop.exits), loop.over_blanks


def _exits(exits: Mapping[str, tuple[int, ...]]) -> str:
    """`0 1 after 0, λ after 0-2`: symbols that were read after the same numbers of rounds together."""
    together: dict[tuple[int, ...], list[str]] = {}
    for symbol, rounds in exits.items():
        together.setdefault(rounds, []).append(symbol)
    return ", ".join(f"{' '.join(symbols)} after {spans(rounds)}" for rounds, symbols in together.items())


def spans(numbers: Sequence[int]) -> str:
    """`0-3 5` for 0, 1, 2, 3 and 5; the numbers ascend."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
