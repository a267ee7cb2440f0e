"""Teaching sets: examples that leave a learner no other choice, and what a given set leaves open.

`topped_up` adds to a random draw until everything that can be told apart is told apart `TIMES` times, or as
often as the draw is at most doubled by it. `in_order` ranks examples so that the first N teach as much as N
can. What "can" be shown is what a few thousand candidate inputs show together.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted, listed
from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.compiled import record
from dfst.traces.connected import DEPTH, Ways, unconnected
from dfst.traces.cover import cover
from dfst.traces.telling_apart import ROUNDS, TellingApart, telling_apart
from dfst.traces.traceset import TraceSet, gather, joined
from dfst.world.grid import Limits

TIMES = 20  # how often a topped-up draw tells everything apart, whatever the task
LESS = (TIMES, 14, 10, 7, 5, 3, 2, 1)
"""How often instead, where that would more than double the examples or the steps of a draw."""
AROUND = 1  # how often every stay in a state, and every symbol after a rule, is shown: each costs an example
CANDIDATES = 4_000  # inputs among which examples are chosen
NAMED = 10  # thin places that a report names
BLAMED = Limits(steps=100_000)  # how far a run on a counterexample is followed
LONGER = "or for longer inputs by --set max_digits=N"
MOST_TIMES = 1_000  # after so many times there is nothing left to show that would make a difference


@dataclass(frozen=True)
class ThinPlace:
    """Something that traces show too seldom."""

    what: str  # as the subject of a sentence
    times: int  # how often the traces show it
    steps: int  # of all traces together
    example: str  # an input that shows it, the shortest of those tried
    connected: bool = True
    """Otherwise nothing says that the state is the same as where it is entered in another way."""

    def __str__(self) -> str:
        shown = f"shown {_often(self.times)} in {self.steps:,} steps" if self.times else "never shown"
        apart = "" if self.connected else ", and nothing connects the two"
        return f"{self.what} is {shown}{apart}; {listed([self.example])} shows it"


@dataclass(frozen=True, eq=False)
class Teaching:
    """What a set of traces shows, beside what candidate inputs could show."""

    shown: TellingApart
    possible: TellingApart
    inputs: tuple[str, ...]  # the candidates, the shorter first
    times: int = TIMES  # how often everything should be shown

    @cached_property
    def thin(self) -> NDArray[np.int64]:
        """(n, 2) place and column of what should and could be shown more often; the least shown first."""
        found = np.argwhere(self.shown.counts < _wanted(self.possible.counts, self.shown.agent, self.times))
        return found[np.argsort(self.shown.counts[tuple(found.T)], kind="stable")]

    @cached_property
    def apart(self) -> tuple[Ways, NDArray[np.int64]]:
        """Ways into states, as short as something is open, else of DEPTH rules, and (n, 2) those and symbols
        that nothing connects."""
        for depth in range(1, DEPTH + 1):
            taught, possible = self.shown.ways(depth), self.possible.ways(depth)
            found = np.argwhere(unconnected(taught, possible))
            if len(found):
                break
        return possible, found

    def thinnest(self, most: int) -> list[ThinPlace]:
        """What nothing connects with a rule, then the least shown, in words."""
        found = self.unconnected(most) if self.apart[0].depth == 1 else []
        named = {place.what for place in found}
        least = (self._named(r, c, self.inputs[self.possible.first[r, c]]) for r, c in self.thin.tolist())
        return [*found, *islice((place for place in least if place.what not in named), most - len(found))]

    def unconnected(self, most: int) -> list[ThinPlace]:
        """What nothing connects, in words."""
        ways, apart = self.apart
        return [self._open(ways, way, x) for way, x in apart[:most].tolist()]

    @property
    def depth(self) -> int:
        """So many rules back, at most DEPTH, everything is connected."""
        ways, apart = self.apart
        return ways.depth - bool(len(apart))

    def connection(self) -> str:
        """How far back everything is connected, in one line."""
        said, open_ = f"{counted(self.depth, 'rule')} back", self.unconnected(1)
        return f"{said}, not {self.depth + 1}: {open_[0]}" if open_ else said

    def _named(self, place: int, column: int, example: str) -> ThinPlace:
        shown = self.shown
        return ThinPlace(shown.named(place, column), int(shown.counts[place, column]), shown.steps, example)

    def _open(self, ways: Ways, way: int, x: int) -> ThinPlace:
        agent, rules = self.shown.agent, " ".join(self.shown.named_rule(place) for place in ways.rules(way))
        what = f"that {agent.states[ways.states[way]]} reads {agent.alphabet[x]} after {rules}"
        return ThinPlace(what, 0, self.shown.steps, self.inputs[ways.first[way, x]], connected=False)

    def as_json(self) -> dict[str, Any]:
        """The whole count, and the places that are named."""
        named = [asdict(place) for place in self.thinnest(NAMED)]
        return {
            "times": self.times, "places": len(self.thin), "connected": self.depth,
            "unconnected": len(self.apart[1]), "thinnest": named,
        }  # fmt: skip

    def blamed(self, text: str, merged: bool = False) -> str:
        """Of an input on which a model errs: whether something that it shows is thin, for people.

        merged: by a learner that takes ways into a state for alike where no trace tells them apart
        """
        agent, counts = self.shown.agent, self.shown.counts
        asked = telling_apart(agent, gather([record(agent, text, BLAMED)], agent.name, agent.alphabet))
        wanted = np.maximum(_wanted(self.possible.counts, agent, self.times), asked.counts > 0)
        thin = np.argwhere((asked.counts > 0) & (counts < wanted)).tolist()
        if not merged and (open_ := Teaching(self.shown, asked, (text,), self.times).unconnected(1)):
            place = open_[0]
        elif thin:
            r, c = min(thin, key=lambda place: int(counts[tuple(place)]))
            place = self._named(r, c, text)
        else:
            return f"nothing that {text!r} shows is thin in the training set; train longer, or more seeds"
        return f"the training set is thin where it errs: {place}"

    def sentence(self) -> str:
        """For people, in one line."""
        if not len(self.thin):
            return f"everything that can be told apart is told apart {self.times} times or more"
        never = int((self.shown.counts[tuple(self.thin.T)] == 0).sum())
        said = counted(len(self.thin), "thin place") + (f", {never:,} of them never shown" if never else "")
        return f"{said}; the thinnest: {self.thinnest(1)[0]}"


def teaching(agent: Agent, traces: TraceSet, candidates: TraceSet, times: int = TIMES) -> Teaching:
    """What the traces show of their agent, beside what the candidates would."""
    tried = by_length(candidates)
    return Teaching(telling_apart(agent, traces), telling_apart(agent, tried), tried.inputs, times)


def by_length(traces: TraceSet) -> TraceSet:
    """The same traces, those of the shorter inputs first."""
    return traces.subset(sorted(range(len(traces)), key=lambda i: (len(traces.inputs[i]), i)))


def _wanted(possible: NDArray[np.int64], agent: Agent, times: int, around: int = AROUND) -> NDArray[np.int64]:
    """(R, C) how often each place is to be shown, if it can be."""
    if times < 1:
        raise InputError(f"everything can be told apart once or more often, found {times}")
    wanted = np.full(possible.shape, times)
    wanted[:, len(agent.states) + 1 :] = around
    return np.minimum(possible, wanted)


def topped_up(
    agent: Agent, drawn: TraceSet, candidates: TraceSet, times: int | None = None
) -> tuple[TraceSet, str]:
    """The draw and what it lacks, and in words how the set came about. times: whatever it takes; None: as
    usual"""
    known, tried = set(drawn.inputs), by_length(candidates)
    tried = tried.subset([i for i in range(len(tried)) if tried.inputs[i] not in known])
    shown, more = (telling_apart(agent, some).counts for some in (drawn, tried))
    for often in LESS if times is None else (times,):
        lacking = np.maximum(_wanted(shown + more, agent, often) - shown, 0)
        # a step of training costs as much as a step of a trace, so short examples are preferred
        chosen = cover(agent, tried, lacking, per_step=len(tried) / max(1, tried.tokens))
        added = tried.subset(chosen)
        if len(added) <= len(drawn) and added.tokens <= drawn.tokens:
            break
    said = f"{len(drawn):,} drawn and {len(chosen):,} {_said(often)}"
    everything = joined(drawn, tried)
    if times is not None:
        said += _seldom(telling_apart(agent, everything), times, len(everything), len(drawn) + len(added))
    return joined(drawn, added), said


def in_order(agent: Agent, candidates: TraceSet) -> Iterator[list[int]]:
    """Which candidates to take next: one list for each time that everything is told apart once more."""
    possible = telling_apart(agent, candidates).counts
    taken: list[int] = []
    for times in range(1, MOST_TIMES):
        shown = telling_apart(agent, candidates.subset(taken)).counts if taken else 0
        others = sorted(set(range(len(candidates))) - set(taken))
        lacking = np.maximum(_wanted(possible, agent, times, around=times // 4) - shown, 0)
        if not lacking.any():
            return
        chosen = [others[i] for i in cover(agent, candidates.subset(others), lacking)]
        taken += chosen
        yield chosen


def fewest(
    agent: Agent, candidates: TraceSet, times: int = 1, soon: bool = False, pairs: bool = False
) -> tuple[TraceSet, str]:
    """The fewest examples found that tell everything apart so many times, and that in words.

    soon: each time as soon as any candidate does, and every short stay is shown so many times
    pairs: so, and every symbol that can follow a rule is read after it so many times
    """
    soon = soon or pairs
    tried = by_length(candidates)
    possible, last = telling_apart(agent, tried), len(tried) - 1
    wanted = _wanted(possible.soon if soon else possible.counts, agent, times, around=times * soon)
    if not pairs:
        wanted[:, len(agent.states) + 1 + ROUNDS :] = 0
    within = possible.soonest if soon else None
    taken = cover(agent, tried, wanted, within=within)
    backwards = tried.subset(list(range(last, -1, -1)))  # ties: the longer
    taken = min(taken, [last - i for i in cover(agent, backwards, wanted, within=within)], key=len)
    said = _said(times) + (", as soon as can be, and to show every short stay" if soon else "")
    said += " and every symbol after every rule" if pairs else ""
    return tried.subset(taken), said + _seldom(possible, times, len(tried), len(taken))


def connected(agent: Agent, candidates: TraceSet, times: int = 1) -> tuple[TraceSet, str]:
    """The fewest examples found that tell everything apart so many times, and what connects the rest."""
    chosen, said = fewest(agent, candidates, times)
    added = connecting(agent, chosen, candidates)
    return joined(chosen, added), f"{said}, and {len(added):,} to connect how states are entered and left"


def connecting(agent: Agent, traces: TraceSet, candidates: TraceSet) -> TraceSet:
    """Few short candidates that connect what the traces do not, at every depth."""
    tried, taken, taught = by_length(candidates), list[int](), telling_apart(agent, traces)
    possible = telling_apart(agent, tried)
    for depth in range(DEPTH, 0, -1):
        ways = possible.ways(depth)
        while (open_ := unconnected(taught.ways(depth), ways)).any():
            taken.append(int(np.bincount(ways.first[open_]).argmax()))
            taught = telling_apart(agent, joined(traces, tried.subset(taken)))
    return tried.subset(taken)


def examples(agent: Agent, candidates: TraceSet, number: int) -> tuple[TraceSet, str]:
    """So many examples, which together tell everything apart as often as so many can."""
    tried, taken, times = by_length(candidates), list[int](), 0
    for chosen in in_order(agent, tried) if number <= len(tried) else ():
        if len(taken) + len(chosen) > number:
            if not taken:
                some, enough = tried.subset(chosen[:number]), tried.subset(chosen)
                missing = teaching(agent, some, enough, 1).thinnest(1)[0]
                raise InputError(
                    f"{counted(number, 'example')} cannot tell everything apart: {missing}; "
                    f"the fewest found are {len(chosen):,}"
                )
            taken += chosen[: number - len(taken)]
            break
        taken += chosen
        times += 1
    if len(taken) < number:
        raise InputError(
            f"{counted(number, 'example')} were asked for, and {len(taken) or len(tried):,} show everything "
            f"that the {counted(len(tried), 'input')} tried can show; ask for no more, {LONGER}"
        )
    return tried.subset(taken), _said(times)


def _said(times: int) -> str:
    return f"chosen to tell everything apart {_often(times)}"


def _seldom(possible: TellingApart, times: int, tried: int, taken: int) -> str:
    """What all inputs tried tell apart less often than was asked for; refused where all of them are taken."""
    told = possible.counts[:, : len(possible.agent.states) + 1]
    seldom = np.argwhere((told > 0) & (told < times)).tolist()
    if not seldom:
        return ""
    least = min(seldom, key=lambda place: int(told[tuple(place)]))
    often = _often(int(told[tuple(least)]))
    by = f"{possible.named(*least)} is shown {often} by the {counted(tried, 'input')} tried"
    if taken == tried:
        raise InputError(f"{by}, and {times} times were asked for; ask for fewer, {LONGER}")
    return f", but for {counted(len(seldom), 'place')}: {by}"


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"
