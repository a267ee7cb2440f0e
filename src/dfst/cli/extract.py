"""dfst extract"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dfst.cli.arguments import OutFile, SubjectArgument, Texts
from dfst.cli.output import answer, answer_json, check_place
from dfst.counted import counted

if TYPE_CHECKING:
    from dfst.machines.agent import Agent
    from dfst.model.weights import Weights


@dataclass(frozen=True)
class Extract:
    """Take the machine out of a model: the finite table that it became.

    The model works on every short input of its task and on random longer ones. Hidden states that recur
    are its learnt states; they are told apart by a tolerance, which is trusted only if they lie much
    farther apart than they are wide (the gap). Their graph is merged and minimised to a machine that
    runs wherever one does. A model only acts, so the machine does not say which inputs it accepts.

    Examples:
      dfst extract add2 -o adder.json
      dfst extract add2 -o adder.dot
      dfst extract runs/my-run -o adder.yaml --json

    Exit status 1 means that it was refused: the hidden states drift instead of repeating.
    """

    subject: SubjectArgument
    """A learnt model (add2), a weights file, a run folder, compiled:add10, or file.py:function."""
    out: OutFile = None
    """Write the machine here; the ending says the format: .json, .dot, .yaml, …"""
    inputs: Texts = ()
    """Explore these inputs; needed only where neither a task nor a run folder knows any."""
    json: bool = False
    """Print one JSON object instead of words."""

    def execute(self) -> int:
        import numpy as np

        from dfst.errors import InputError
        from dfst.machines.agent import MISSING
        from dfst.machines.formats import format_of_name, write_machine
        from dfst.machines.from_function import failures
        from dfst.model.weights import Weights
        from dfst.plugins import is_python_file
        from dfst.problems.problem import rule_name
        from dfst.subjects import resolve_as_machine, resolve_typed

        check_place(self.out)
        if self.out is not None:
            format_of_name(self.out)
        found = resolve_as_machine(self.subject)
        evidence: dict[str, object] = {}
        lines: list[str] = []
        if isinstance(found, Weights):
            found, evidence, lines = self._explored(found)
        elif not is_python_file(self.subject):
            raise InputError(
                f"extract takes a model, found the machine {self.subject}; "
                f"to write it as it is: dfst convert {self.subject} machine.json"
            )
        fails = [rule_name(found, *rule) for rule in np.argwhere(found.next == MISSING).tolist()]
        if is_python_file(self.subject):
            if fails:
                more = f" and {counted(len(fails) - 3, 'other rule')}" if len(fails) > 3 else ""
                lines.append(f"no rule for   {', '.join(fails[:3])}{more}: there the function fails")
            lines += [f"it fails      {why}" for why in failures(resolve_typed(self.subject))[:1]]
        if self.out is not None:
            write_machine(found, self.out)
            lines.append(f"written to    {self.out}")
        numbers = {"states": len(found.states), "rules": found.rule_count}
        if self.json:
            file = str(self.out) if self.out else None
            answer_json({"subject": self.subject, **evidence, **numbers, "file": file})
            return 0
        counts = ", ".join(counted(number, what) for what, number in numbers.items())
        answer("\n".join([f"machine       {counts}", *lines]))
        return 0

    def _explored(self, model: Weights) -> tuple[Agent, dict[str, object], list[str]]:
        """The machine that a model became, and what speaks for it, for programs and for people."""
        from dfst.states import extract
        from dfst.subjects import learnt_problem

        learnt = learnt_problem(self.subject) if not self.inputs else None
        found = extract(model, self.inputs or (learnt.to_explore() if learnt else None))
        run, text = found.last_new_edge
        graph = found.graph
        wide = f"{found.gap:,.0f} times as far apart as they are wide" if graph.radius else "equal to the bit"
        lines = [
            f"learnt states {len(graph)}, with {counted(graph.edges, 'edge')} between them",
            f"gap           {wide}, told apart at {graph.tolerance:.1e}",
            f"last new edge in run {run:,} of {found.runs:,}, on {text or 'the blank grid'}",
        ]
        evidence: dict[str, object] = {
            "learnt_states": len(graph),
            "edges": graph.edges,
            "tolerance": graph.tolerance,
            "gap": found.gap if graph.radius else None,
            "runs": found.runs,
            "last_new_edge": {"run": run, "input": text},
        }
        return found.machine, evidence, lines
