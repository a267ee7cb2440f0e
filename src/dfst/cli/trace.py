"""dfst trace"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.cli.arguments import InputArgument, OutFile, SubjectArgument, Switch
from dfst.cli.numbers import Steps
from dfst.cli.output import answer, answer_json, check_place, complain
from dfst.world.grid import MOTION_NAMES, Limits


@dataclass(frozen=True)
class Trace:
    """Print or save what an onlooker sees of a run: read, written, moved, never the state.

    Examples:
      dfst trace expert:add2 11+1
      dfst trace expert:add10 12+34 --out traces.safetensors
      dfst trace add2 11+1 --json
    """

    subject: SubjectArgument
    """expert:add10, a published machine, a machine file, or a model."""
    input: InputArgument = None
    """What is written on the grid at first; left out, it is the input a machine file names, or nothing."""
    max_steps: Steps = 1_000_000
    """Stop after this many actions; a million by default."""
    json: Switch = False
    """Print one JSON object with the lists read, written and motion."""
    out: OutFile = None
    """Save the trace as a safetensors file instead of printing it."""

    def execute(self) -> int:
        from dfst.subjects import input_for, resolve
        from dfst.traces.traceset import gather, save_traces

        check_place(self.out)
        subject = resolve(self.subject)
        trace = subject.trace(input_for(subject, self.input), Limits(steps=self.max_steps))
        if self.out:
            save_traces(gather([trace], trace.subject, trace.alphabet, MOTION_NAMES), self.out)
            complain(f"{len(trace):,} steps written to {self.out}")
        elif self.json:
            answer_json(
                {
                    "subject": self.subject,
                    "input": trace.input,
                    "read": [trace.alphabet[x] for x in trace.x],
                    "written": [trace.alphabet[s] for s in trace.s],
                    "motion": [MOTION_NAMES[m] for m in trace.m],
                }
            )
        else:
            answer("\n".join(["  step  read written motion", *trace.lines()]))
        return 0
