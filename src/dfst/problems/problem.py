"""A problem says where inputs and truth come from: what `learn`, `evaluate` and `prove` are given.

It draws its own training set, names inputs to test a model on, and knows the reference that is to be
imitated, where there is one. An input is a text, its size a number of digits or symbols (`unit`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.compiled import record
from dfst.model.weights import Weights
from dfst.proof import Verdict, prove
from dfst.proof.inputs import Inputs
from dfst.proof.prove import MAX_CONFIGURATIONS
from dfst.states.certify import determined
from dfst.tasks.task import Layout, Task
from dfst.traces.recording import Recorded
from dfst.traces.teaching_set import connected, examples, fewest
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import ControlUnit

Role = Literal["random", "repeated", "hard", "held out", "shown"]
Examples = int | Literal["fewest", "connected", "soon", "pairs", "determined"]
"""How many are chosen, or what they must do."""
SPARE = 2
"""Dimensions beyond the fewest states: with none to spare, training often gets stuck on a short lesson."""
ANSWERED = Limits(steps=2_000)  # how far an answer goes
PROOF_SEED = 2  # draws the runs on which the prover looks for learnt states
RECORDING = "recording.jsonl"  # in a run folder, traces that cannot be made again


@dataclass(frozen=True)
class Case:
    """One input that a model is asked, and why."""

    kind: str  # for people: carry chain, exactly m digits, …
    input: str
    role: Role = "held out"
    trace: Trace | None = None  # what is right, where it was recorded; otherwise the reference is asked
    answer: str | None = None  # what must stand on the board at the end, where somebody else says it


@dataclass(frozen=True)
class TestSet:
    """Inputs that a model is asked together."""

    __test__: ClassVar = False  # pytest would take it for tests

    size: int  # of the longest input
    cases: tuple[Case, ...]
    kind: str = "inputs"  # what they are, in the plural
    limits: Limits = Limits()
    language: str = ""  # the inputs that are meant, as a pattern, where there is one
    unseen: int | None = None  # how many of them were never trained on, where others are asked as well
    unshown: tuple[tuple[str, str], ...] = ()
    """(rule, an input that meets it) that the training set never shows: right by chance at best"""
    unmet: tuple[str, ...] = ()  # rules of the reference that no input meets, trained on or not
    errors: bool = False  # whether what was recorded may be wrong: then steps are counted, not traces


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Traces to learn from, and how they were chosen."""

    traces: TraceSet
    chosen: str  # for people: drawn by the paper's sampler, chosen among 4,000 inputs, given, recorded


@dataclass(frozen=True)
class TrainingData:
    """What decides a problem's training set; None leaves it to the problem."""

    samples: int | None = None
    """Examples in the training set."""
    max_digits: int | None = None
    """Digits, or symbols, of the longest example."""
    data_seed: int | None = None
    """Draws the random part of the training set."""
    told_apart: int | None = None
    """Top a draw up until everything that can be told apart is so often, usually up to 20 times; 0: no.
    With examples=fewest, connected, soon or pairs: so often, usually once."""
    examples: Examples | None = None
    """Choose so many examples that teach the most, instead of drawing them; connected: the fewest, and what
    connects how states are entered and left; soon: the fewest that tell everything apart as soon as can be
    and show every short stay; pairs: these also show every symbol after every rule; determined: few that
    leave no other machine as small."""
    inputs: tuple[str, ...] = ()
    """Learn from these inputs instead of sampled ones."""
    allow_errors: bool | None = None
    """Some recorded actions may be wrong: those that the others speak against are disbelieved."""
    language: str | None = None
    """The inputs that a machine of one's own is meant for, as a regular expression."""

    def __post_init__(self) -> None:
        drawing = ("samples", "max_digits", "data_seed", "told_apart", "examples")
        said = next((name for name in drawing if getattr(self, name) is not None), None)
        if self.inputs and said:
            raise InputError(f"the inputs are given, and none is drawn; leave out {said}")
        often = self.examples in ("fewest", "connected", "soon", "pairs") and self.told_apart != 0
        drawn = ("samples",) if often else ("samples", "told_apart")
        said = next((name for name in drawn if getattr(self, name) is not None), None)
        if self.examples is not None and said:
            raise InputError(f"the examples are chosen, and none is drawn; leave out {said}")
        object.__setattr__(self, "inputs", tuple(dict.fromkeys(self.inputs)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(ABC):
    """What is to be learnt. Subclass it, or let `as_problem` make one of an agent or a function."""

    name: str
    alphabet: tuple[str, ...]
    blank: int
    layout: Layout = "first"
    """Where the head starts on an input"""
    task: Task | None = None
    """How inputs are written and solved, where a task says it"""
    reference: Agent | None = None
    """What is to be imitated, where it is known; it has a rule for all that it reads"""
    unit: str = "symbols"
    """What sizes are counted in"""
    sizes: tuple[int, ...] = ()
    """The sizes of the final evaluation; none where inputs are not asked by size"""
    example: str = ""
    """An input to try"""
    known_size: int | None = None
    """The hidden size that was published for it"""
    most_configurations: int | None = None
    """Abstract configurations after which a proof is given up; None: the prover's own number"""
    called: str = "its expert"
    """The reference, in sentences"""
    chosen: str = ""
    """How the inputs that are given were chosen, for people, where they were"""
    origin: str = ""
    """Where a problem of a user's own was found, as it was typed"""

    @property
    def agent(self) -> Agent:
        """The reference, where there must be one."""
        if self.reference is None:
            raise InputError(f"{self.name} was only recorded; there is no expert to ask")
        return self.reference

    @property
    def data_seed(self) -> int | None:
        """What drew the training set; None where nothing did."""
        return None

    @property
    def may_err(self) -> bool:
        """Whether some of what the traces show may be wrong."""
        return False

    def place(self, trace: int) -> str:
        """Where a trace of the training set stands, for people."""
        return f"example {trace + 1}"

    @property
    def extensible(self) -> bool:
        """Whether further examples can be had: not where traces were recorded, or a problem draws its own."""
        return type(self).with_settings is not Problem.with_settings

    @property
    def way_on(self) -> str | None:
        """What to do if a model errs that learnt from chosen examples; None where none were chosen."""
        return None

    @property
    def trained_size(self) -> int | None:
        """Size of the longest input of the training set, where sizes are drawn."""
        return None

    @property
    def input_pattern(self) -> str | None:
        """The inputs that are meant, as a regular expression, where one says it."""
        return None

    @property
    def inputs(self) -> Inputs | None:
        """All inputs that a proof speaks about; None where nobody knows them."""
        return None

    @abstractmethod
    def training_set(self) -> TrainingSet:
        """Traces to learn from, the same ones at every call."""

    def candidates(self) -> TraceSet | None:
        """What the reference does on inputs among which examples are chosen; None where there is no table."""
        return None

    def answer(self, text: str) -> Trace:
        """What the teacher does on an input; whoever asks sees nothing else of it."""
        return record(self.agent, text, ANSWERED)

    @abstractmethod
    def tests(self, sizes: Sequence[int], seed: int, *, hard: bool = True) -> list[TestSet]:
        """What a model is asked: a set for each size, or, without sizes, what was held out."""

    def as_json(self) -> dict[str, Any]:
        """All that `problem_from_json` needs to make it again."""
        return {"kind": "own", "name": self.name, "origin": self.origin}

    def save(self, folder: Path) -> None:  # noqa: B027
        """Put into a run folder what `as_json` does not hold: usually nothing."""

    def hidden_size(self, fewest: int | None) -> int | None:
        """Dimensions of a model: one for each state, and some to spare. fewest: states"""
        return self.known_size or (fewest + SPARE if fewest else None)

    def with_settings(self, **settings: Any) -> Problem:
        """The problem with another training set: samples, max_digits, data_seed, inputs, language."""
        raise InputError(f"{self.name} draws its own training set; leave out {next(iter(settings))}")

    def with_examples(self, added: Sequence[str]) -> Problem:
        """The problem with the same examples and these."""
        return self.with_settings(inputs=(*self.training_set().traces.inputs, *added))

    def for_unit(self, unit: ControlUnit) -> Problem:
        """The same problem with the symbols in the unit's order."""
        return self

    def solution(self, text: str) -> str | None:
        """The right answer, where it is known without an agent."""
        return None

    def wrong(self, case: Case, run: Run, limits: Limits) -> str | None:
        """What is wrong with a run that was compared with the reference's, if anything."""
        if run.difference is not None:
            return f"differs from {self.called} at {run.difference}"
        if not run.halted and run.steps < limits.steps:
            return "the hidden state overflowed"
        return None

    def to_explore(self) -> list[str]:
        """Inputs on which a model comes to its learnt states."""
        if self.inputs is None:
            return list(self.training_set().traces.inputs)
        return self.inputs.to_explore(np.random.default_rng(0))

    def shortest(self, count: int) -> list[str]:
        """The first inputs, the shorter first."""
        return list(islice(self.inputs.shortest(count), count)) if self.inputs else []

    def drawn(self, rng: np.random.Generator, count: int, longest: int) -> list[str]:
        """Random inputs of up to so many symbols, or digits."""
        return self.inputs.random(rng, count, longest) if self.inputs else []

    def check_sizes(self, sizes: Sequence[int]) -> None:
        """Refuse sizes that no input has."""
        if sizes and not self.sizes:
            raise InputError(f"{self.name} has no inputs of a size; leave out --digits")
        for size in sizes:
            if size < 1:
                raise InputError(f"digits must be at least 1, found {size}; try --digits 100")


def about(unit: Recorded) -> dict[str, Any]:
    """What a problem says of whoever is to be imitated."""
    return {name: getattr(unit, name) for name in ("name", "alphabet", "blank", "layout", "task")}


def rule_name(agent: Agent, state: int, symbol: int) -> str:
    return f"({agent.states[state]}, {agent.alphabet[symbol]})"


def chosen_examples(agent: Agent, candidates: TraceSet, number: Examples, times: int) -> TrainingSet:
    """So many of the candidates, those that teach the most; or the fewest that tell all apart so often."""
    if number == "determined":
        return TrainingSet(*determined(agent, candidates))
    if number == "connected":
        return TrainingSet(*connected(agent, candidates, times))
    if not isinstance(number, int):
        return TrainingSet(*fewest(agent, candidates, times, number == "soon", number == "pairs"))
    if number < 1:
        raise InputError(
            f"examples must be at least 1, fewest, connected, soon, pairs or determined, found {number}"
        )
    return TrainingSet(*examples(agent, candidates, number))


def way_on(number: Examples | None, times: int) -> str | None:
    """What to do if a model errs that learnt from so many chosen examples, or from those that tell all apart
    so often."""
    if number is None:
        return None
    said = "few examples leave room to err: add counterexamples with --set corrections=5"
    if isinstance(number, int):
        return f"{said}, or choose more, such as --examples {2 * number}"
    return said if number == "determined" else f"{said}, or choose more with --set told_apart={times + 1}"


def prove_problem(unit: Agent | Weights, problem: Problem) -> Verdict:
    """The strongest statement about the unit acting as the problem's reference does."""
    problem = problem.for_unit(unit)
    if problem.inputs is None:
        raise InputError(f"{problem.name} names no set of inputs, so there is nothing to prove")
    rng, most = np.random.default_rng(PROOF_SEED), problem.most_configurations or MAX_CONFIGURATIONS
    verdict = prove(unit, problem.agent, inputs=problem.inputs, rng=rng, most=most)
    if problem.called == Problem.called:
        return replace(verdict, by_expert=True)
    return replace(verdict, against=problem.called)
