"""How `dfst trace --teaches` tells what a training set teaches."""

from __future__ import annotations

import shutil
import textwrap

from dfst.counted import counted
from dfst.states.teachability import Teachability
from dfst.traces.teaching_set import NAMED
from dfst.traces.traceset import TraceSet


def draw_teachability(found: Teachability, traces: TraceSet, hidden_size: int) -> str:
    """The whole report: the counts, the thinnest places, the warnings."""
    agent, fewest = found.agent, "not sought, there are too many"
    if found.fewest:
        lower, upper = found.fewest
        fewest = f"{upper} explain the traces" if lower == upper else f"{lower} to {upper} explain the traces"
    lines = [
        f"{agent.name}: {counted(len(traces), 'trace')}, {counted(traces.tokens, 'step')}, "
        f"{int(traces.lengths.max(initial=0)):,} in the longest",
        f"rules: {found.coverage.seen} of {agent.rule_count} shown",
        f"states: {len(agent.states)}, of which {fewest}; hidden size {hidden_size}",
        "",
    ]
    if found.teaching:
        lines += [f"told apart: {found.teaching.sentence().split('; the thinnest')[0]}"]
        for place in found.teaching.thinnest(NAMED):
            lines += _wrapped(f"  {place}", 4)
        lines += [""]
    for warning in found.warnings(hidden_size):
        lines += _wrapped(f"warning: {warning}")
    return "\n".join(lines).rstrip("\n")


def _wrapped(text: str, indent: int = 2) -> list[str]:
    width = shutil.get_terminal_size().columns
    return textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
