"""Teachability: whether an algorithm can be learnt from these traces, told before any training.

A learner becomes exact if the traces leave it no other choice. What most often leaves one: a rule that is
never shown, or in one surrounding only; a loop whose rounds nothing ties together, or whose walks a cycle of
states fits as well; a gap of blanks that grows while the machine works; a hidden size with room to count the
rounds of a loop. docs/concepts/teaching.md measures how well this predicts the outcome of training.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import Any

from dfst.counted import counted
from dfst.machines.agent import Agent
from dfst.machines.rejections import without_rejections
from dfst.states.fewest import fewest_states_of_traces
from dfst.traces.coverage import Coverage, rule_coverage
from dfst.traces.loops import Loop, shown_loops
from dfst.traces.surroundings import Surroundings, surroundings
from dfst.traces.teaching_set import Teaching, teaching
from dfst.traces.traceset import TraceSet

MOST_STATES = 500
"""States of an agent up to which the fewest are sought: more would take longer than a report may."""
MOST_NAMED = 4
"""Cases of a kind that are named in one warning."""


@dataclass(frozen=True)
class Teachability:
    """What a set of traces teaches of the agent that made them."""

    coverage: Coverage
    surroundings: Surroundings
    loops: tuple[Loop, ...]
    fewest: tuple[int, int] | None
    """(lower, upper) bounds of the fewest states that explain the traces; None where there are too many"""
    teaching: Teaching | None = None
    """What is told apart, beside what candidate inputs would; None where there are none"""

    @property
    def agent(self) -> Agent:
        return self.coverage.agent

    @property
    def cycles(self) -> tuple[Loop, ...]:
        """The loops whose walks a cycle of states fits as well; first those of which least is shown."""
        found = [loop for loop in self.loops if loop.cycle > 1]
        return tuple(sorted(found, key=lambda loop: (len(loop.rounds), loop.longest)))

    def warnings(self, hidden_size: int | None = None, *, brief: bool = False) -> tuple[str, ...]:
        """What will not be learnt, or not surely, and what to do about it; one sentence each.

        brief: of the loops that a cycle fits as well, one sentence in all, where a report has several
        """
        found = [*self._of_rules(), *self._of_loops(), *self._of_cycles(1 if brief else MOST_NAMED)]
        if self.fewest is not None and hidden_size is not None:
            found += size_warnings(self.fewest, hidden_size)
        return tuple(found)

    def sentence(self) -> str:
        """For people, in one line."""
        said = self.coverage.sentence()
        if self.fewest is not None:
            said += f"; {explain(self.fewest)} them"
        return said

    def as_json(self, hidden_size: int | None = None) -> dict[str, Any]:
        return {
            "agent": self.agent.name,
            "states": len(self.agent.states),
            "fewest_states": list(self.fewest) if self.fewest else None,
            "hidden_size": hidden_size,
            "rules": self.agent.rule_count,
            "never_shown": [[rule.state, rule.symbol] for rule in self.coverage.unseen],
            "after_one_rule": [[rule.state, rule.symbol] for rule in self.surroundings.after_one],
            "before_one_symbol": [[rule.state, rule.symbol] for rule in self.surroundings.before_one],
            "loops": [
                {
                    "state": loop.state,
                    "symbol": loop.symbol,
                    "over_blanks": loop.over_blanks,
                    "lengths_in_a_run": loop.lengths_in_a_run,
                    "exits": {symbol: list(rounds) for symbol, rounds in loop.exits.items()},
                    "cycle": loop.cycle,
                }
                for loop in self.loops
            ],
            "thin": self.teaching.as_json() if self.teaching else None,
            "warnings": list(self.warnings(hidden_size)),
        }

    def _of_rules(self) -> Iterator[str]:
        unseen = [f"({rule.state}, {rule.symbol})" for rule in self.coverage.unseen]
        if unseen:
            yield (
                f"{_some(unseen)}: never shown, so not learnt; add inputs that use "
                f"{'it' if len(unseen) == 1 else 'them'}, draw more samples or another data seed"
            )
        one_way = [str(case) for case in self.surroundings.one_way]
        if one_way:
            yield f"{_some(one_way, '; ')}; add inputs that show it there, if there are any"

    def _of_loops(self) -> Iterator[str]:
        for loop in self.loops:
            if loop.untied:
                ends = [s for s, shown in loop.exits.items() if set(shown) & set(loop.untied)]
                yield (
                    f"{loop.name} invites counting: {_some(ends)} came after {_times(loop.untied)} and after "
                    "no other number; add inputs where it comes after none, one and several"
                )
            if loop.skips_one:
                shown = _either(loop.rounds)
                yield f"{loop.name} repeats {shown} times, never once; add inputs where it does"
        gaps = [loop for loop in self.loops if loop.is_growing_gap]
        if gaps:
            names = _some(
                [f"{loop.name} ({counted(loop.lengths_in_a_run, 'length')} in a run)" for loop in gaps]
            )
            yield (
                f"{names}: a gap of blanks that grows while the machine works is often counted; "
                "let the machine leave no gap, or show far longer ones"
            )

    def _of_cycles(self, most: int) -> Iterator[str]:
        """A sentence each for so many of the loops that have none yet; the last one counts the others."""
        found = [loop for loop in self.cycles if not loop.skips_one]
        for loop in found[: most - 1]:
            yield _cycle_warning(loop)
        for loop in found[most - 1 : most]:
            yield _cycle_warning(loop, len(found) - most)


def _cycle_warning(loop: Loop, others: int = 0) -> str:
    """Why a cycle fits a loop as well: by all of its walks, or by the most that began and ended alike."""
    shown, which = loop.rounds, ""
    if gcd(*(n - shown[0] for n in shown)) != loop.cycle:
        (before, symbol), shown = max(loop.walks.items(), key=lambda walk: len(walk[1]))
        entry = "another loop of its state" if before == loop.state else before or "the start"
        which = f" between {entry} and {symbol}"
    odd = "an even" if shown[0] % 2 else "an odd"
    never = f"never {odd} number" if loop.cycle == 2 else f"always in steps of {loop.cycle}"
    more = f", as with {counted(others, 'more loop')}" if others > 0 else ""
    return (
        f"{loop.name} repeats {_either(shown)} times{which}, {never}: "
        f"a cycle of {loop.cycle} states fits as well{more}; add inputs of other lengths, if any"
    )


def size_warnings(fewest: tuple[int, int], hidden_size: int) -> Iterator[str]:
    """What is wrong with a hidden size, given bounds of the fewest states that explain the traces."""
    lower, upper = fewest
    if hidden_size > upper:
        yield (
            f"hidden size {hidden_size} leaves room to count: {explain((upper, upper))} the traces; "
            f"try --hidden-size {upper}, or fit"
        )
    if hidden_size < lower:
        yield (
            f"hidden size {hidden_size} is less than the {lower} states that the traces need; "
            f"if the loss does not fall to the floor, try --hidden-size {upper}, or fit"
        )


def teachability(agent: Agent, traces: TraceSet, candidates: TraceSet | None = None) -> Teachability:
    """What these traces teach of the agent that made them; a rejection that they do not meet is no lack.

    candidates: runs of the agent on other inputs, to say what the traces could have shown
    """
    compared = teaching(agent, traces, candidates) if candidates is not None else None
    agent = without_rejections(agent, rule_coverage(agent, traces).uses > 0)
    fewest = None
    if len(agent.states) <= MOST_STATES:
        lower, upper = fewest_states_of_traces(traces, agent)
        fewest = None if upper is None else (lower, upper)
    shown = rule_coverage(agent, traces), surroundings(agent, traces), shown_loops(agent, traces)
    return Teachability(*shown, fewest, compared)


def explain(fewest: tuple[int, int]) -> str:
    """Between so many and so many states, as the subject and verb of a sentence."""
    lower, upper = fewest
    if upper == 1:
        return "1 state explains"
    return f"{upper} states explain" if lower == upper else f"{lower} to {upper} states explain"


def _either(numbers: tuple[int, ...]) -> str:
    """`2 or 4`; the last is the longest, so it is always named."""
    first = numbers[:-1] if len(numbers) <= MOST_NAMED else numbers[: MOST_NAMED - 1]
    gap = " …" if len(first) < len(numbers) - 1 else ""
    return f"{_list(first)}{gap} or {numbers[-1]}"


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def _times(numbers: tuple[int, ...]) -> str:
    return "1 repetition" if numbers == (1,) else f"{_list(numbers)} repetitions"


def _some(names: list[str], mark: str = ", ") -> str:
    more = len(names) - MOST_NAMED
    return mark.join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
