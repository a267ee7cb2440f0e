"""dfst trace"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from dfst.cli.arguments import Number, Option, OutFile, SeedNumber, Steps, SubjectArgument, first_given
from dfst.cli.output import answer, answer_json, check_place, complain, wrapped
from dfst.counted import counted
from dfst.errors import InputError
from dfst.memory import require_memory
from dfst.world.grid import MOTION_NAMES, Limits

if TYPE_CHECKING:
    from pathlib import Path

    from dfst.states.teachability import Teachability
    from dfst.traces.recording import Recorded
    from dfst.traces.traceset import TraceSet
    from dfst.world.trace import Trace as OneTrace

PER_STEP = 100  # bytes that a step takes while it is written out
ENDINGS = (".jsonl", ".safetensors")  # of files of traces
DRAWING = ("data_seed", "samples", "max_digits")
SAMPLING = (*DRAWING, "hidden_size", "certify")


@dataclass(frozen=True)
class Trace:
    """Print or save what an onlooker sees of a run: read, written, moved, never the state.

    With --teaches, say what a training set teaches and what it does not: the places where it hardly tells
    two states apart, each with an input that would, and a hidden size that does not fit. Without inputs, it
    judges the set that dfst learn would draw.

    Examples:
      dfst trace expert:add2 11+1
      dfst trace expert:add10 12+34 99+1 --out traces.jsonl
      dfst trace add2 11+1 --json
      dfst trace expert:add2 --teaches --data-seed 3
      dfst trace expert:add2 --teaches --certify
    """

    subject: SubjectArgument
    """expert:add10, a published machine, a machine file, or a model."""
    inputs: Annotated[tuple[str, ...], Option("[INPUT …]", place=True)] = ()
    """What is written on the grid at first, for each run; by default what a machine file names."""
    max_steps: Steps = 1_000_000
    """Stop after this many actions; a million by default."""
    json: bool = False
    """Print one JSON object for each input, with the lists read, written and motion."""
    out: OutFile = None
    """Save the traces instead of printing them: .jsonl (docs/reference/traces.md) or .safetensors."""
    teaches: bool = False
    """Say what can be learnt from the traces of an expert or a machine."""
    data_seed: SeedNumber = None
    """With --teaches: draws the random part of the training set."""
    samples: Number = None
    """With --teaches: examples in the training set."""
    max_digits: Number = None
    """With --teaches: digits of the longest example."""
    certify: bool = False
    """With --teaches: let a SAT solver look for another machine of that size that explains the traces."""
    hidden_size: Number = None
    """With --teaches: the size to judge; by default that of dfst learn."""

    def execute(self) -> int:
        from dfst.subjects import input_for, resolve_typed

        if self.teaches:
            return self._teach()
        if given := first_given(self, SAMPLING):
            raise InputError(f"{given} goes with --teaches; add it or give the inputs")
        if self.json and self.out:
            raise InputError("--out saves the traces instead of printing them; leave out --json, or --out")
        steps = self.max_steps * max(1, len(self.inputs))
        require_memory(steps * PER_STEP, f"traces of {steps:,} steps", "lower --max-steps")
        check_place(self.out)
        if self.out and self.out.suffix not in ENDINGS:
            raise InputError(
                f"cannot tell the format of {self.out.name}; end its name in one of {', '.join(ENDINGS)}"
            )
        unit, limits = resolve_typed(self.subject), Limits(steps=self.max_steps)
        traces = [unit.trace(input_for(unit, text), limits) for text in self.inputs or (None,)]
        if self.out:
            self._save(self.out, unit, traces)
            complain(f"{counted(sum(map(len, traces)), 'step')} written to {self.out}")
            return 0
        for trace in traces:
            self._print(trace, named=len(traces) > 1)
        return 0

    def _save(self, path: Path, unit: Recorded, traces: list[OneTrace]) -> None:
        # Imported for those who save: traces on the screen need no compiled code.
        from dfst.traces.recording import write_recording
        from dfst.traces.traceset import gather, save_traces

        if path.suffix == ".jsonl":
            write_recording(path, unit, traces)
        else:
            save_traces(gather(traces, traces[0].subject, traces[0].alphabet, MOTION_NAMES), path)

    def _print(self, trace: OneTrace, named: bool) -> None:
        if self.json:
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
            heading = [trace.input] if named else []
            answer("\n".join([*heading, *trace.lines()]))

    def _teach(self) -> int:
        """The report on a training set."""
        from dfst.problems import find_problem
        from dfst.states.certify import ASKED, certificates
        from dfst.states.teachability import teachability

        if self.out:
            raise InputError("--teaches saves no traces; leave out --out, or --teaches")
        if first_given(self, ("max_steps",)):
            raise InputError("--teaches judges whole traces; leave out --max-steps, or --teaches")
        drawing = {name: getattr(self, name) for name in DRAWING}
        problem = find_problem(self.subject, inputs=self.inputs, **drawing)
        traces = problem.training_set().traces
        found = teachability(problem.agent, traces, problem.candidates())
        fewest = found.fewest[1] if found.fewest else None
        size = self.hidden_size or problem.hidden_size(fewest) or 1
        told = certificates(found, traces, problem.shortest(len(traces) + ASKED)) if self.certify else []
        if self.json:
            certified = {"certificates": [one.as_json() for one in told]}
            answer_json(found.as_json(size, self.hidden_size) | certified)
        else:
            said = _in_words(found, traces, size, self.hidden_size)
            answer("\n".join([said, *(one.sentence() for one in told)]))
        return 0 if not told or told[-1].determined else 1


def _in_words(found: Teachability, traces: TraceSet, hidden_size: int, given: int | None) -> str:
    """What a training set teaches: the counts, the thinnest places, the warnings; given: size by hand."""
    from dfst.traces.teaching_set import NAMED

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
            lines += wrapped(f"  {place}", "    ")
        lines += [*wrapped(f"connected: {found.teaching.connection()}", "  "), ""]
    for warning in found.warnings(given):
        lines += wrapped(f"warning: {warning}")
    return "\n".join(lines).rstrip("\n")
