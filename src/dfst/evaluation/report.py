"""One report for every measurement: of models, experts and baselines, on inputs of a size or held out."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any

from dfst.counted import all_of, counted
from dfst.traces.inputs import HELD_OUT, ONLY_BLANK

TRAINED = "training traces"  # the kind of what was trained on
MOST_NAMED = 3  # rules or failures that are told one by one
LONGEST_SHOWN = 200
EMPTY = "the empty input"
MOST_ERRORS = 0.2  # the share of recorded steps that may be held for wrong where errors are allowed


@dataclass(frozen=True)
class Failure:
    """One input that went wrong, and how."""

    kind: str
    input: str
    reason: str
    step: int

    def as_json(self) -> dict[str, object]:
        """A long input is cut in its middle."""
        return {**asdict(self), "input": _cut(self.input, LONGEST_SHOWN)}


@dataclass(frozen=True)
class Measurement:
    """What came of one set of inputs."""

    digits: int  # size of the longest input
    plg: bool  # right on the random inputs
    rlg: bool  # right on the random and the repeated ones
    inputs: int
    """How many were asked, the hard cases included; of held-out ones, how many were not trained on"""
    steps: int  # actions compared with the right ones
    seconds: float
    margin: float = inf
    """The smallest lead of a decision over its runner-up; infinite where none was taken or none is known"""
    relative_margin: float = inf
    """The margin of each run divided by the norm of the hidden state that decided there; the smallest"""
    failures: tuple[Failure, ...] = ()
    hard_failures: int = 0  # failures among the hard cases, which PLG and RLG do not count
    kind: str = "inputs"  # what was asked, in the plural
    language: str = ""  # the inputs that are meant, as a pattern, where there is one
    unshown: tuple[tuple[str, str], ...] = ()
    """(rule, an input that meets it) that the training set never shows"""
    unmet: tuple[str, ...] = ()  # rules of the reference that no input met
    endless: int = 0  # runs that had not ended where they were cut off
    cut_off: int = 0  # the step at which they were
    other: int | None = None
    """Where what was recorded may be wrong: steps in which the model does something else"""

    @property
    def right(self) -> bool:
        """On every input, the hard cases included, and not by chance; where errors are allowed, on most."""
        agreed = self.other is None or self.other <= MOST_ERRORS * self.steps
        return self.rlg and not self.hard_failures and not self.unshown and agreed

    @property
    def few(self) -> bool:
        """Whether the language has fewer inputs than a judgement should rest on."""
        return self.inputs < HELD_OUT

    def as_json(self) -> dict[str, Any]:
        """The fields of `dfst evaluate --json`; those of a language only where there is one."""
        record = asdict(self)
        own = () if self.language else ("language", "unshown", "unmet", "endless", "cut_off")
        own = (*own, *(() if self.other is not None else ("other",)))
        for name in own if self.kind != Measurement.kind else (*own, "kind"):
            del record[name]
        margins = {name: record[name] for name in ("margin", "relative_margin")}
        margins = {name: value if isfinite(value) else None for name, value in margins.items()}
        failures = [failure.as_json() for failure in self.failures]
        return record | {"seconds": round(self.seconds, 3), **margins, "failures": failures}

    def margins(self) -> str:
        """The smallest margin, and relative to the hidden state; empty where none is known."""
        relative = f" ({self.relative_margin:.2g} |h|)" if isfinite(self.relative_margin) else ""
        return f"{self.margin:.2g}{relative}" if isfinite(self.margin) else ""

    def summary(self) -> dict[str, Any]:
        """The same in a few numbers, with the first failure."""
        record = self.as_json()
        kept = {name: record[name] for name in (
            "digits", "plg", "rlg", "inputs", "steps", "margin", "relative_margin")}  # fmt: skip
        first = record["failures"][0] if self.failures else None
        return {**kept, "right": self.right, "failures": len(self.failures), "first_failure": first}

    def scope(self) -> str:
        """On how much it rests, and what it leaves out."""
        if self.other is not None:
            steps = f"{self.steps - self.other:,} of {counted(self.steps, 'recorded step')}"
            return f"{steps} of {counted(self.inputs, self.kind)}"
        if self.kind.endswith("traces"):
            agreed = self.inputs - len(self.failures)
            return f"{agreed:,} of {counted(self.inputs, self.kind)} ({counted(self.steps, 'step')})"
        if not self.language:
            return f"{all_of(self.steps, 'step')} of {counted(self.inputs, 'input')}"
        alone = self.language == ONLY_BLANK
        if not self.inputs:
            of = "its one input, the blank tape" if alone else "every input there is"
        elif self.few:
            of = f"{counted(self.inputs, 'held-out input')}, all that {self.language} has"
        else:
            longest = counted(self.digits, "symbol")
            of = f"{counted(self.inputs, 'held-out input')} of up to {longest} ({self.language})"
        said = f"{all_of(self.steps, 'step')} of {of}"
        if self.endless:
            had = "which had" if alone or self.endless == self.inputs else f"{self.endless:,} of which had"
            said = f"{said}, {had} not ended after {counted(self.cut_off, 'step')}"
        return f"{said}; {_some(self.unmet)} met on none of them" if self.unmet else said

    def doubt(self) -> str | None:
        """What speaks against the model besides its failures, and what to do about it."""
        if not self.unshown:
            return None
        rules = _some(tuple(rule for rule, _ in self.unshown))
        shortest = min((text for _, text in self.unshown), key=len)
        return (
            f"{rules} never shown, but met on {shortest or 'the blank tape'}; "
            "raise samples, or give it with --inputs"
        )


@dataclass(frozen=True)
class Report:
    """Everything that was measured of one subject."""

    subject: str
    unit: str  # what sizes are counted in
    measurements: tuple[Measurement, ...]
    reach: int | None = None  # where a search was made: the largest size tested without a failure
    stopped_by: str | None = None  # what ended the search: failure, budget or limit

    def __repr__(self) -> str:
        return f"<Report on {self.subject}: {self.sentence() or 'nothing was measured'}>"

    @property
    def right(self) -> bool:
        return all(found.right for found in self.measurements)

    @property
    def refuted(self) -> bool:
        return any(found.failures for found in self.measurements)

    @property
    def beyond_training(self) -> bool:
        """Whether anything was asked besides what was trained on."""
        return any(found.kind != TRAINED for found in self.measurements)

    @property
    def failures(self) -> list[Failure]:
        return [failure for found in self.measurements for failure in found.failures]

    @property
    def seconds(self) -> float:
        return sum(found.seconds for found in self.measurements)

    @property
    def measured(self) -> str:
        """The largest size at which all was right, for listings."""
        sizes = [found.digits for found in self.measurements if found.rlg]
        return f"RLG ≥ {max(sizes):,}" if sizes else ""

    @property
    def plg(self) -> int:
        """The largest size tested at which PLG held; 0 if none."""
        return max((found.digits for found in self.measurements if found.plg), default=0)

    def as_json(self) -> list[dict[str, Any]]:
        """An object for each measurement, as `dfst evaluate --json` prints them."""
        return [{"subject": self.subject, **found.as_json()} for found in self.measurements]

    def search_json(self) -> dict[str, Any]:
        """What `dfst evaluate --search --json` prints."""
        found = {"subject": self.subject, "rlg": self.reach, "plg": self.plg, "stopped_by": self.stopped_by}
        return {**found, "tested": self.as_json()}

    def rows(self) -> list[dict[str, str]]:
        """A table: a row for each size, or each set of inputs."""
        rows = []
        for found in self.measurements:
            size, wrong = f"{found.digits:,}", found.hard_failures
            agreed = found.other and f"{found.steps - found.other:,} of {found.steps:,}"
            asked = {"asked": found.kind, "longest": size, "actions": agreed or _word(not found.failures)}
            if found.kind == "inputs":
                hard = f"{wrong} wrong" if wrong else "right"
                asked = {self.unit: size, "PLG": _word(found.plg), "RLG": _word(found.rlg)}
                asked |= {"hard cases": hard}
            margin, seconds = found.margins() or "–", f"{found.seconds:.1f}"
            asked |= {"inputs": str(found.inputs), "steps": f"{found.steps:,}"}
            rows.append({**asked, "smallest margin": margin, "seconds": seconds})
        return rows

    def failure_lines(self) -> Iterator[str]:
        """The first failures of each set, and where they began."""
        for found in self.measurements:
            size = counted(found.digits, self.unit)
            recorded = found.kind.endswith("traces")
            for failure in found.failures[:MOST_NAMED]:
                text = _cut(failure.input, 60) or ("" if recorded else EMPTY)
                place = (size if found.digits or not recorded else "", failure.kind, text)
                yield f"{', '.join(filter(None, place))}: {failure.reason}"
            if len(found.failures) > MOST_NAMED:
                where = found.kind if recorded else size
                yield f"{where}: {counted(len(found.failures) - MOST_NAMED, 'more failure')}"

    def verdict(self, reference: str) -> str:
        """What it comes to, as the predicate of a sentence. reference: what is to be imitated, in words"""
        if not self.measurements:
            return "was not evaluated"
        first = self.measurements[0]
        if first.kind.endswith("traces"):
            return self._agreement()
        if self.refuted:
            shortest = min(self.failures, key=lambda failure: len(failure.input))
            size = f"an input of {counted(len(shortest.input), 'symbol')}" if shortest.input else EMPTY
            return f"is not exact; on {size}: {shortest.reason}"
        if doubt := first.doubt():
            return f"is not shown to be exact: {doubt}"
        if first.language:
            return f"did what {reference} does in {first.scope()}"
        steps, inputs = (sum(getattr(m, what) for m in self.measurements) for what in ("steps", "inputs"))
        return f"did what {reference} does in {all_of(steps, 'step')} of {counted(inputs, 'input')}"

    def _agreement(self) -> str:
        """With recorded traces: those that were held out, and those that were shown."""
        first, shown = self.measurements[0], self.measurements[-1]
        left = next((found for found in self.measurements if found.failures), None)
        said = f"agrees in every action with {first.scope()}"
        none = "none was held out, so " if first is shown else ""
        unknown = f"{none}nothing is known of other inputs"
        if first.other is not None:
            both = "" if first is shown else f" and with {shown.scope()}"
            few = "" if self.right else ", too few"
            others = "; the others it holds for errors" if first.other or shown.other else ""
            return f"agrees with {first.scope()}{both}{few}{others}; {unknown}"
        if left is None:
            return f"{said}; {unknown}"
        if left is shown and first is not shown:
            said = f"{said}, but only with {shown.scope()}"
        where = left.failures[0]
        text = f" ({_cut(where.input, 60)})" if where.input else ""
        advice = f"; {unknown}" if none else "; train longer" if left is shown else ""
        return f"{said}; it leaves {where.kind}{text} at {where.reason}{advice}"

    def sentence(self) -> str:
        """In one line: right or wrong where, and how far it goes."""
        said = []
        for found in self.measurements:
            where = f"at {counted(found.digits, self.unit)}" if found.kind == "inputs" else f"on {found.kind}"
            if found.right:
                margin = f", margin {found.margins()}" if found.margins() else ""
                said.append(f"right {where} ({counted(found.inputs, 'input')}{margin})")
            elif found.failures:
                first = found.failures[0]
                said.append(
                    f"wrong {where} on {len(found.failures)} of {counted(found.inputs, 'input')}, "
                    f"first {first.kind}, step {first.step:,}"
                )
            else:
                said.append(f"not shown to be right: {found.doubt()}")
        if self.reach is not None:
            said.append(f"no failure up to {counted(self.reach, self.unit)}")
        return "; ".join(said)

    def search_sentence(self) -> str:
        """Where a search ended."""
        why = {
            "failure": "longer ones fail",
            "budget": "no failure was met; the time budget ended the search",
            "limit": "no failure was met up to the limit",
        }[self.stopped_by or "limit"]
        rlg, plg = (counted(n, self.unit) for n in (self.reach or 0, self.plg))
        return f"{self.subject}: RLG {rlg}, PLG {plg} ({why})"


def _word(right: bool) -> str:
    return "right" if right else "wrong"


def _cut(text: str, longest: int) -> str:
    """A long text by its two ends."""
    side = longest // 2
    return text if len(text) <= longest else f"{text[:side]}…{text[-side:]}"


def _some(rules: tuple[str, ...]) -> str:
    more = f" and {len(rules) - MOST_NAMED} more" if len(rules) > MOST_NAMED else ""
    return f"{', '.join(rules[:MOST_NAMED])}{more} {'was' if len(rules) == 1 else 'were'}"
