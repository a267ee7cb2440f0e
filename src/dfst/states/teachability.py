"""Teachability: whether an algorithm can be learnt from these traces, told before any training.

What most often leaves a learner a choice: a rule that is never shown, two states that are hardly told apart,
a hidden size with room to count in. docs/concepts/teaching.md tells what is counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dfst.machines.agent import MISSING, Agent
from dfst.machines.rejections import without_rejections
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.merging import breadth_first
from dfst.traces.replay import Coverage, rule_coverage
from dfst.traces.teaching_set import Teaching, teaching
from dfst.traces.traceset import TraceSet

MOST_STATES = 500
"""States of an agent up to which the fewest are sought: more would take longer than a report may."""
MOST_NAMED = 4  # rules that are named in one warning


@dataclass(frozen=True)
class Teachability:
    """What a set of traces teaches of the agent that made them."""

    coverage: Coverage
    fewest: tuple[int, int] | None
    """(lower, upper) bounds of the fewest states that explain the traces; None where there are too many"""
    teaching: Teaching | None = None
    """What is told apart, beside what candidate inputs would; None where there are none"""

    @property
    def agent(self) -> Agent:
        return self.coverage.agent

    def warnings(self, hidden_size: int | None = None) -> tuple[str, ...]:
        """What will not be learnt, or not surely, and what to do about it; one sentence each."""
        found = [*self._of_rules()]
        if self.fewest is not None and hidden_size is not None:
            found += size_warnings(self.fewest, hidden_size)
        return tuple(found)

    def sentence(self) -> str:
        """For people, in one line."""
        said = self.coverage.sentence()
        if self.fewest is not None:
            said += f"; {explain(self.fewest)} them"
        return said

    def as_json(self, hidden_size: int | None = None, given: int | None = None) -> dict[str, Any]:
        """given: a hidden size by hand, which may be warned of."""
        return {
            "agent": self.agent.name,
            "states": len(self.agent.states),
            "fewest_states": list(self.fewest) if self.fewest else None,
            "hidden_size": hidden_size,
            "rules": self.agent.rule_count,
            "never_shown": [[rule.state, rule.symbol] for rule in self.coverage.unseen],
            "thin": self.teaching.as_json() if self.teaching else None,
            "warnings": list(self.warnings(given)),
        }

    def _of_rules(self) -> Iterator[str]:
        unseen = [f"({rule.state}, {rule.symbol})" for rule in self.coverage.unseen]
        if unseen:
            more = f" and {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
            yield (
                f"{', '.join(unseen[:MOST_NAMED])}{more}: never shown, so not learnt; add inputs that use "
                f"{'it' if len(unseen) == 1 else 'them'}, draw more samples or another data seed"
            )


def size_warnings(fewest: tuple[int, int], hidden_size: int) -> Iterator[str]:
    """What is wrong with a hidden size, given bounds of the fewest states that explain the traces."""
    lower, upper = fewest
    if hidden_size > upper:
        yield (
            f"hidden size {hidden_size} leaves room to count: {explain((upper, upper))} the traces; "
            f"try --hidden-size {upper}, or leave it out"
        )
    if hidden_size < lower:
        yield (
            f"hidden size {hidden_size} is less than the {lower} states that the traces need; "
            f"if the loss does not fall to the floor, try --hidden-size {upper}, or leave it out"
        )


def teachability(agent: Agent, traces: TraceSet, candidates: TraceSet | None = None) -> Teachability:
    """What these traces teach of the agent that made them; a rejection that they do not meet is no lack,
    nor is a state that no rule leads to.

    candidates: runs of the agent on other inputs, to say what the traces could have shown
    """
    compared = teaching(agent, traces, candidates) if candidates is not None else None
    agent = without_rejections(agent, rule_coverage(agent, traces).uses > 0)
    reached = np.isin(np.arange(len(agent.states)), breadth_first(agent))
    agent = replace(agent, next=np.where(reached[:, None], agent.next, MISSING).astype(np.int32))
    fewest = None
    if len(agent.states) <= MOST_STATES:
        lower, upper = fewest_states_of_traces(traces, agent)
        fewest = None if upper is None else (lower, upper)
    return Teachability(rule_coverage(agent, traces), fewest, compared)


def explain(fewest: tuple[int, int]) -> str:
    """Between so many and so many states, as the subject and verb of a sentence."""
    lower, upper = fewest
    if upper == 1:
        return "1 state explains"
    return f"{upper} states explain" if lower == upper else f"{lower} to {upper} states explain"
