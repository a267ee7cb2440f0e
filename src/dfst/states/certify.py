"""Is the machine determined? A SAT solver looks for another one that explains the same traces.

Is there a machine with at most k states, and if asked at most r rules, that does what every trace shows, has
no rule that no trace uses, and yet errs on some other input? Exact identification of automata by SAT (Heule
and Verwer 2010): each node of the prefix tree gets one of k states, so that the table is well defined. The
tree holds the inputs asked as well; there the machine does as the reference does up to some step, and
otherwise in that step.

Legend: v node of the prefix tree, c, d states, a symbol read, e action (written, moved).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from threading import Timer
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError, MissingExtra
from dfst.machines.agent import HALT, MISSING, Agent
from dfst.states.fewest import (
    WITNESSES,
    PrefixTree,
    apart_in_tree,
    clique,
    fewest_states_of_traces,
    prefix_tree,
)
from dfst.states.graph import agent_like
from dfst.states.merging import Merging
from dfst.states.teachability import Teachability
from dfst.traces.replay import replay, states_along
from dfst.traces.sample import record_all
from dfst.traces.teaching_set import by_length
from dfst.traces.traceset import TraceSet, joined
from dfst.world.grid import S

SECONDS = 300.0
"""After which the solver is stopped and nothing is known."""
ASKED = 16
"""Inputs on which another machine might err, the shortest that are not among the traces."""

CONFLICTS, DOUBTED = 2_000, 100
"""After which the solver is stopped, and inputs asked, while examples are chosen."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What the solver said about machines of a size."""

    states: int
    rules: int | None  # at most so many; None: any number
    asked: int  # inputs besides the traces on which it might have erred
    other: Agent | None = None  # another machine that explains the traces
    errs_on: str | None = None  # an input on which it errs, and the step
    step: int | None = None
    known: bool = True  # false where the solver ran out of time

    @property
    def determined(self) -> bool:
        return self.known and self.other is None

    def as_json(self) -> dict[str, Any]:
        size = {"states": self.states, "rules": self.rules, "asked": self.asked}
        return {**size, "determined": self.determined, "known": self.known, "errs_on": self.errs_on}

    def sentence(self) -> str:
        size = f"at most {self.states} states" + ("" if self.rules is None else f" and {self.rules} rules")
        if not self.known:
            return f"with {size} it is not known whether the traces determine the machine: out of time"
        if self.other is None:
            right = f"is right on the {self.asked:,} inputs asked"
            return f"every machine with {size} that explains the traces {right}"
        other = f"another machine with {self.states} states and {self.other.rule_count} rules"
        errs = f"errs on {self.errs_on} in step {self.step}"
        return f"the traces leave it open: {other} explains them and {errs}"


def certificates(found: Teachability, traces: TraceSet, inputs: Sequence[str]) -> list[Certificate]:
    """Two questions about the agent that made the traces: as few states; as few states and rules.

    inputs: those asked, besides the ones of the traces
    """
    agent = found.agent
    if found.fewest is None:
        raise InputError(f"{agent.name} has too many states for a certificate; leave out --certify")
    shown = set(traces.inputs)
    asked = record_all(agent, [text for text in inputs if text not in shown][:ASKED])
    rules = int(np.count_nonzero(found.coverage.uses))
    return [certify(agent, traces, asked, found.fewest[1], most) for most in (None, rules)]


def certify(
    agent: Agent, traces: TraceSet, asked: TraceSet, states: int, rules: int | None = None,
    seconds: float = SECONDS,
) -> Certificate:  # fmt: skip
    """Whether another machine of that size explains the traces and errs on an input asked."""
    if not len(asked):
        raise InputError("there is no other input to ask; leave out --certify")
    known, other = _Formula(agent, traces, asked, states, rules).solved(seconds)
    if other is None:
        return Certificate(states, rules, len(asked), known=known)
    run = replay(other.write, other.action, other.next, asked)
    wrong = run.leaves(asked)
    # one that leaves a trace does something else there, and is not merely without a rule
    at = states_along(other.next, asked)[asked.start[wrong] + run.agreed[wrong]]
    errs = wrong[at >= 0].tolist()
    first = min(errs, key=lambda i: (len(asked.inputs[i]), i))
    return Certificate(states, rules, len(asked), other, asked.inputs[first], int(run.agreed[first]))


def smallest_machine(agent: Agent, traces: TraceSet, seconds: float = SECONDS) -> tuple[Agent | None, bool]:
    """A machine with the fewest states that explains the traces, and of these one with the fewest rules; and
    whether it is known that none has fewer, or the solver ran out of time, which is given anew to each
    question. Of the agent only the alphabet and where it starts are used."""
    smallest: Agent | None = None
    states, rules = max(1, len(told_apart(prefix_tree(traces)))), None
    while True:
        known, found = _Formula(agent, traces, None, states, rules).solved(seconds)
        if found is not None:
            smallest, rules = found, found.rule_count - 1
        elif not known or smallest is not None:
            return smallest, known
        else:
            states += 1


def determined(agent: Agent, candidates: TraceSet, conflicts: int = CONFLICTS) -> tuple[TraceSet, str]:
    """Few examples that leave no other machine with as few states as the agent needs, and that in words.

    Another machine that explains the examples so far is found, and the shortest candidate on which it errs or
    has no rule becomes an example, until none is found. The solver is stopped after so many conflicts, not
    after a time, so that the set is the same everywhere. Where the last question is left open, what was found
    is right wherever tried, and the words say that there may be another machine.
    """
    tried = by_length(candidates)
    states = fewest_states_of_traces(tried, agent)[1]
    assert states is not None
    taken = [0]
    while True:
        examples = tried.subset(taken)
        known, other = _Formula(agent, examples, None, states, None).solved(conflicts=conflicts)
        if not known:
            raise InputError(
                f"{agent.name}: no machine with {counted(states, 'state')} that explains "
                f"{counted(len(taken), 'example')} was found in {conflicts:,} conflicts; choose by --fewest"
            )
        wrong = _unexplained(other, tried)
        if not wrong:  # what it found is right; is there one that is not?
            asked = tried.subset([i for i in range(len(tried)) if i not in set(taken)][:DOUBTED])
            known, other = _Formula(agent, examples, asked, states, None).solved(conflicts=conflicts)
            wrong = _unexplained(other, tried)
        if not wrong:
            what = "chosen to leave no other machine as small"
            doubt = "" if known else f", as far as {conflicts:,} conflicts of a solver tell"
            return examples, f"{what}{doubt}"
        taken.append(wrong[0])


def _unexplained(machine: Agent | None, traces: TraceSet) -> list[int]:
    if machine is None:
        return []
    found: list[int] = replay(machine.write, machine.action, machine.next, traces).leaves(traces).tolist()
    return found


def told_apart(tree: PrefixTree) -> list[int]:
    """Nodes no two of which any machine that explains the traces takes for one state."""
    nodes = np.argsort(-tree.visits, kind="stable")[:WITNESSES]
    return [int(nodes[i]) for i in clique(apart_in_tree(tree, nodes.tolist()))]


class _Formula:
    """The clauses, and how a model of them is read as a machine."""

    def __init__(
        self, agent: Agent, traces: TraceSet, asked: TraceSet | None, states: int, rules: int | None
    ) -> None:
        self.agent, self.k = agent, states
        self.clauses: list[list[int]] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._trained = self._tree = prefix_tree(traces)
        if asked is not None:
            self._tree = prefix_tree(joined(traces, asked))
        self.edges = list(self._edges())
        self._table()
        self._nodes()
        if asked is not None:
            self._errs()
        if rules is not None:
            self._at_most(rules)

    def _edges(self) -> Iterator[tuple[int, int, tuple[int, int], int, bool]]:
        """(v, a, e, node after it or HALT, whether a trace shows it) of every step in the tree."""
        tree, trained = self._tree, self._trained
        for v, a in np.argwhere(tree.next != MISSING).tolist():
            shown = v < len(trained.next) and bool(trained.next[v, a] != MISSING)
            yield v, a, (int(tree.write[v, a]), int(tree.motion[v, a])), int(tree.next[v, a]), shown

    def var(self, *name: object) -> int:
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def add(self, *literals: int) -> None:
        self.clauses.append(list(literals))

    def _table(self) -> None:
        """One action and one next state for each rule, and no rule that no trace uses."""
        shown = defaultdict(set)
        for _, a, e, _, trained in self.edges:
            if trained:
                shown[a].add(e)
        self.actions = {a: sorted(found) for a, found in shown.items()}
        for c in range(self.k):
            for a, found in self.actions.items():
                for e, f in combinations(found, 2):
                    self.add(-self.var("does", c, a, e), -self.var("does", c, a, f))
                for e in found:
                    self.add(-self.var("does", c, a, e), self.var("rule", c, a))
                    users = [v for v, b, f, _, trained in self.edges if trained and (b, f) == (a, e)]
                    self.add(-self.var("does", c, a, e), *(self.var("is", v, c) for v in users))
                for d, other in combinations(range(self.k), 2):
                    self.add(-self.var("to", c, a, d), -self.var("to", c, a, other))

    def _nodes(self) -> None:
        """Every node is one state, and goes on as that state does; agreement ends where the machine errs."""
        for v in range(len(self._tree.next)):
            self.add(*(self.var("is", v, c) for c in range(self.k)))
            for c, d in combinations(range(self.k), 2):
                self.add(-self.var("is", v, c), -self.var("is", v, d))
        for v, a, e, after, trained in self.edges:
            agrees = self._agrees(v, a, trained)
            for c in range(self.k):
                here = [-agree for agree in agrees] + [-self.var("is", v, c)]
                if trained or e in self.actions.get(a, ()):
                    self.add(*here, self.var("does", c, a, e))
                else:
                    self.add(*here)
                if after != HALT:
                    for d in range(self.k):
                        self.add(*here, -self.var("is", after, d), self.var("to", c, a, d))
                        self.add(*here, -self.var("to", c, a, d), self.var("is", after, d))
        merging = Merging(self._trained)
        for c, known in enumerate(told_apart(self._trained)[: self.k]):  # so that none is only renamed
            self.add(self.var("is", known, c))
            for v in range(len(self._trained.next)):
                if v != known and merging.evidence(known, v) < 0:
                    self.add(-self.var("is", v, c))

    def _agrees(self, v: int, a: int, trained: bool) -> list[int]:
        """What must hold for the machine to do as the reference does here: nothing where a trace shows it."""
        return [] if trained else [self.var("agrees", v, a)]

    def _errs(self) -> None:
        """In one step of an input asked, all before it agreed and another action is taken."""
        before = {after: self._agrees(v, a, t) for v, a, _, after, t in self.edges if after != HALT}
        errors = []
        for v, a, e, _, trained in self.edges:
            if trained:
                continue
            agrees, earlier = self.var("agrees", v, a), before.get(v, [])
            for agree in earlier:
                self.add(-agrees, agree)
            others = [f for f in self.actions.get(a, ()) if f != e]
            for c in range(self.k):
                error = self.var("errs", v, a, c)
                self.add(-error, self.var("is", v, c))
                self.add(-error, *(self.var("does", c, a, f) for f in others))
                for agree in earlier:
                    self.add(-error, agree)
                errors.append(error)
        self.add(*errors)

    def _at_most(self, rules: int) -> None:
        from pysat.card import CardEnc, EncType

        used = [self.var("rule", c, a) for c in range(self.k) for a in self.actions]
        if rules < len(used):
            count = CardEnc.atmost(used, rules, top_id=len(self._numbers), encoding=EncType.seqcounter)
            self.clauses += count.clauses

    def solved(self, seconds: float = SECONDS, conflicts: int = -1) -> tuple[bool, Agent | None]:
        """Whether the solver came to an end, and a machine that the clauses allow; -1: any conflicts."""
        try:
            from pysat.solvers import Glucose4
        except ImportError as error:
            raise MissingExtra("a SAT solver", "python-sat", "certify") from error
        with Glucose4(bootstrap_with=self.clauses) as solver:
            solver.conf_budget(conflicts)
            timer = Timer(seconds, solver.interrupt)
            timer.start()
            answer = solver.solve_limited(expect_interrupt=True)
            timer.cancel()
            true = {literal for literal in solver.get_model() if literal > 0} if answer else set()
        return answer is not None, self.machine(true) if answer else None

    def machine(self, true: set[int]) -> Agent:
        """The table that a model of the clauses describes, with the rules that traces use."""
        agent, symbols = self.agent, len(self.agent.alphabet)
        write, motion = np.zeros((self.k, symbols), np.uint8), np.full((self.k, symbols), S, np.uint8)
        following = np.full((self.k, symbols), MISSING, np.int32)
        for v, a, (s, m), after, trained in self.edges:
            if trained:
                c = self._state(v, true)
                write[c, a], motion[c, a] = s, m
                following[c, a] = HALT if after == HALT else self._state(after, true)
        start = self._state(0, true)
        order = [start, *(c for c in range(self.k) if c != start)]
        place = np.argsort(order)
        following = np.where(following >= 0, place[np.maximum(following, 0)], following)[order]
        names = [f"s{i}" for i in range(self.k)]
        return agent_like(agent, f"another {agent.name}", names, write[order], motion[order], following)

    def _state(self, v: int, true: set[int]) -> int:
        return next(c for c in range(self.k) if self._numbers["is", v, c] in true)
