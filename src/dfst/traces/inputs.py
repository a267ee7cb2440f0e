"""Inputs for whoever has no task: those that teach, and those that are held out to judge what was learnt.

Which inputs are meant is a regular language: one that was given, or every string over the symbols that can
stand on the tape before the start. Held out are all short ones that were not shown, longer ones drawn from
the language, and those of the lesson stretched, since a random string seldom leads deep into a machine.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice, takewhile

import numpy as np

from dfst.languages import Language, parse
from dfst.languages.language import NONE
from dfst.machines.agent import MISSING, Agent
from dfst.machines.compiled import record
from dfst.machines.rejections import rejections, with_rejections
from dfst.traces.sample import check_size
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import Limits, S
from dfst.world.trace import Trace

TRIED, LONGEST_TRIED = 4_000, 20
"""Short inputs that are tried for a lesson, and how much longer than the shortest they are at most."""
FIRST = 40  # the shortest inputs, which are in every lesson
USUAL, MOST_STEPS = 300, 40_000  # inputs of a lesson, and the most steps of all its runs together
LONGEST_RUN = 300  # steps of a run in a lesson; longer ones are left out while there are others
CUT_OFF = 60  # steps that are shown where no run comes to an end
HELD_OUT, SHORT, STRETCHED = 200, 600, 600  # the fewest inputs that judge, and the most of two kinds of them
TIMES_LONGER = 10  # how much longer than the lesson's longest input they are at most

ONLY_BLANK = "()"  # the pattern that nothing but the empty input matches
FOLLOWED = Limits(steps=10_000)  # how far a run is followed to see whether it teaches something

Follow = Callable[[str], Trace]  # the trace on an input, cut off where it takes too long
Features = Callable[[Trace], Iterable[Hashable]]  # what a trace shows


@dataclass(frozen=True)
class Choice:
    """How a lesson is chosen."""

    samples: int = USUAL  # inputs, where the language has as many and their runs are not too long
    longest: int | None = None
    """Symbols of the longest input that is tried; None: twenty more than the shortest has"""
    seed: int = 0  # draws the longer inputs that are tried
    tried: int = TRIED  # how many short inputs are tried, and a quarter as many longer ones


@dataclass(frozen=True)
class Lesson:
    """Inputs to learn from."""

    inputs: tuple[str, ...]
    max_steps: int  # steps of the longest run that is shown; runs that go on are cut off there
    tried: int  # inputs among which these were chosen


def input_symbols(agent: Agent) -> tuple[int, ...]:
    """The symbols that can stand on the tape before the start: those of the inputs that came with the
    machine, and those that no rule writes in place of another. A machine with neither that comes to use all
    its rules on the blank tape, as busy beavers do, needs no input; of any other every symbol may be
    there."""
    own = {int(symbol) for text in agent.sample_inputs for symbol in agent.encode(text)[0]}
    rules = (agent.next != MISSING) & ~rejections(agent)
    changed = rules & (agent.write != np.arange(len(agent.alphabet)))
    every = set(range(len(agent.alphabet))) - {agent.blank}
    found = own | (every - set(np.unique(agent.write[changed]).tolist()))
    if not found:
        whole = with_rejections(agent)
        used = np.zeros(whole.next.shape, dtype=bool)
        used[tuple(np.transpose([*rules_used(whole, record(whole, "", FOLLOWED))]))] = True
        found = every if (rules & ~used[: len(rules)]).any() else found
    return tuple(sorted(found))


def input_language(
    symbols: Iterable[int], alphabet: tuple[str, ...], blank: int, pattern: str | None
) -> Language:
    """The inputs that are meant: what the pattern matches; without one, every string over the symbols."""
    if pattern is not None:
        return parse(pattern, alphabet, blank)
    allowed = set(symbols)
    if any(len(alphabet[k]) > 1 for k in allowed):  # a pattern can name all of them only
        return parse(".*", alphabet, blank)
    row = tuple(0 if k in allowed else NONE for k in range(len(alphabet)))
    names = ["_" if k == blank else alphabet[k] for k in sorted(allowed)]
    named = [f"\\{name}" if name in "\\]^-" else name for name in names]
    return Language(f"[{''.join(named)}]*" if named else ONLY_BLANK, alphabet, (row,), frozenset({0}))


def language_of_machine(agent: Agent, pattern: str | None = None) -> Language:
    """The inputs that are meant for a machine; a blank in them is written as models know it, too."""
    symbols = input_symbols(agent) if pattern is None else ()
    language = input_language(symbols, agent.alphabet, agent.blank, pattern)
    names = list(agent.alphabet)
    names[agent.blank] = "_" if "_" not in names else names[agent.blank]
    return replace(language, alphabet=tuple(names))


def lesson_of_machine(agent: Agent, language: Language, choice: Choice) -> Lesson:
    """What teaches a machine: every rule that is met on any input tried is shown."""
    own = [text for text in agent.sample_inputs if language.accepts(agent.encode(text)[0].tolist())]
    return choose_lesson(
        lambda text: _followed(agent, text), lambda trace: rules_used(agent, trace), language, own, choice
    )  # fmt: skip


def candidates_of_machine(agent: Agent, language: Language, choice: Choice) -> TraceSet:
    """Runs on the inputs that are tried; those that end soon, if any do."""
    short, drawn = _tried(language, choice)
    runs = [_followed(agent, text) for text in dict.fromkeys((*short, *sorted(drawn, key=len)))]
    soon = [run for run in runs if _ended(run) and len(run) <= LONGEST_RUN]
    return gather(soon or [run for run in runs if _ended(run)], agent.name, agent.alphabet)


@lru_cache(maxsize=2 * TRIED)  # a lesson and its candidates ask for the same runs
def _followed(agent: Agent, text: str) -> Trace:
    return record(agent, text, FOLLOWED)


def choose_lesson(
    follow: Follow, features: Features, language: Language, own: Sequence[str], choice: Choice
) -> Lesson:
    """The inputs that came with the subject, the shortest, those that show something new, and random ones."""
    short, drawn = _tried(language, choice)
    texts = list(dict.fromkeys([*own, *short, *sorted(drawn, key=len)]))
    runs = {text: follow(text) for text in texts}
    ended = {text for text in texts if _ended(runs[text])}
    longest = LONGEST_RUN if any(len(runs[text]) <= LONGEST_RUN for text in ended) else FOLLOWED.steps
    usable = [text for text in texts if len(runs[text]) <= longest and text in ended] or texts
    chosen: dict[str, None] = {}

    def take(some: Iterable[str], only_new: bool = False) -> None:
        """Those for which there is room; or each of them that shows what none before it did."""
        steps = sum(len(runs[text]) for text in chosen)
        seen = {feature for text in chosen for feature in features(runs[text])} if only_new else set()
        for text in some:
            room = len(chosen) < choice.samples and steps + len(runs[text]) <= MOST_STEPS
            found = set(features(runs[text])) if only_new else set()
            if text not in chosen and (room or not chosen) and not (only_new and found <= seen):
                chosen[text] = None
                steps += len(runs[text])
                seen |= found

    take(usable[: len(own) + 1])
    for candidates in (usable, texts):  # what only a long run shows comes from all of them
        take(candidates, only_new=True)
    take(usable[:FIRST])
    among = set(usable)
    take(text for text in drawn if text in among)
    take(usable)
    whole = [len(runs[text]) for text in chosen if _ended(runs[text])]
    return Lesson(tuple(chosen), max(whole, default=CUT_OFF), len(texts))


@lru_cache(maxsize=1)
def _tried(language: Language, choice: Choice) -> tuple[list[str], list[str]]:
    """Short inputs, all of them, and others drawn at random, of all lengths alike."""
    words = language.words()
    first = next(words)
    longest = choice.longest or len(first) + LONGEST_TRIED
    check_size(choice.samples, longest)
    short = takewhile(lambda word: len(word) <= longest, chain([first], islice(words, choice.tried - 1)))
    rng = np.random.default_rng(choice.seed)
    count = max(choice.samples, choice.tried // 4)
    drawn = (language.sample(rng, int(rng.integers(len(first), longest + 1))) for _ in range(count))
    return list(map(language.text, short)), list(dict.fromkeys(drawn))


def _ended(trace: Trace) -> bool:
    return len(trace) > 0 and bool(trace.m[-1] == S)


def rules_used(agent: Agent, trace: Trace) -> Iterator[tuple[int, int]]:
    """(state, symbol) of each step of a run of this agent."""
    state, following = 0, agent.next.tolist()
    for symbol in trace.x.tolist():
        yield state, symbol
        state = following[state][symbol]


def held_out_inputs(
    language: Language, shown: Sequence[str], spelt: Callable[[str], Sequence[int]], seed: int
) -> tuple[str, ...]:
    """At least `HELD_OUT` inputs that were not shown, unless the language has no more. spelt: an input's
    symbols"""
    words = [tuple(spelt(text)) for text in shown]
    longest = TIMES_LONGER * max(1, max(map(len, words), default=LONGEST_TRIED))
    short = enumerate(
        islice(language.words(), len(words) + SHORT)
    )  # those of a sparse language grow long soon
    few = takewhile(lambda at: len(at[1]) <= longest or at[0] < len(words) + HELD_OUT, short)
    rng = np.random.default_rng(seed)
    drawn = [language.sample(rng, int(rng.integers(0, longest + 1))) for _ in range(HELD_OUT)]
    stretched = islice(_stretched(language, words, longest), STRETCHED)
    asked = dict.fromkeys([*(language.text(word) for _, word in few), *drawn, *map(language.text, stretched)])
    return tuple(text for text in asked if text not in set(shown))


def _stretched(
    language: Language, words: Iterable[tuple[int, ...]], longest: int
) -> Iterator[tuple[int, ...]]:
    """Members of the language made of others: each symbol several times in a row, or all of it again."""
    for word in words:
        for times in range(2, TIMES_LONGER + 1):
            for longer in (tuple(symbol for symbol in word for _ in range(times)), word * times):
                if len(longer) <= longest and language.accepts(longer):
                    yield longer
