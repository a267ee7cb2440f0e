"""A task about words: one word in, one word out, judged by plain Python. `word_tasks.py` lists them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.languages import Language, parse
from dfst.tasks.task import Operands, Task, short
from dfst.world.grid import BLANK

MOST_HARD = 12


def _any(word: str) -> None:
    """No word of the pattern is refused."""


@dataclass(frozen=True, kw_only=True)
class WordTask(Task):
    """One word in, one word out: the input is one operand."""

    letters: str  # the symbols of inputs
    answer: Callable[[str], str]
    pattern: str  # a regular expression that holds every input
    turns: tuple[str, ...]  # what long inputs say over and over
    form: str = "a word"  # what inputs are, for messages
    refusal: Callable[[str], str | None] = _any  # why a word of the pattern is still no input
    drawn: Callable[[np.random.Generator, int], str] | None = None
    """Draws an input of about a length; by default each word of the pattern is as likely as any other."""
    special: Callable[[int], Mapping[str, str]] | None = None
    """Hard inputs of about a length; by default one thing over and over, then another."""

    @cached_property
    def language(self) -> Language:
        """Every input, and where `refusal` says so some words that are none."""
        return parse(self.pattern, self.alphabet, len(self.letters))

    @cached_property
    def free(self) -> bool:
        """Whether any letters are an input."""
        rows = [row[: len(self.letters)] for row in self.language.table]
        return self.refusal is _any and all(target == 1 for row in rows for target in row)

    def parse(self, text: str) -> Operands:
        word = text.strip()
        if not word:
            raise InputError(f"{self.name} takes {self.form}, found nothing; try {self.example}")
        bad = next((symbol for symbol in word if symbol not in self.letters), None)
        if bad is not None:
            known = " ".join(self.letters)
            raise InputError(
                f"{self.name} takes the symbols {known}, found {bad!r} in {short(word)}; try {self.example}"
            )
        reason = self._reason(word)
        if reason:
            raise InputError(
                f"{self.name} takes {self.form}, found {reason} {short(word)}; try {self.example}"
            )
        return (word,)

    def _reason(self, word: str) -> str | None:
        """Why a word is no input: what is to be called."""
        if not self.language.accepts([self._index[symbol] for symbol in word]):
            return "none in"
        return self.refusal(word)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {symbol: k for k, symbol in enumerate(self.alphabet)}

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        symbols = np.array([self._index[symbol] for symbol in self.parse(text)[0]], dtype=np.uint8)
        return symbols, len(symbols) - 1 if self.layout == "last" else 0

    def solve(self, operands: Operands) -> str:
        return self.answer(operands[0])

    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        if self.drawn:
            return self.drawn(rng, length)
        if self.free:
            return "".join(np.array(list(self.letters))[rng.integers(0, len(self.letters), size=length)])
        return self.language.sample(rng, length)

    def uneven_operand(self, rng: np.random.Generator, length: int) -> str:
        """A third repeat one thing; in the others of them letters come in runs, where any letters may."""
        kind = rng.random()
        repeated = self.repeated(length) if kind < 1 / 3 else []
        if repeated:
            return repeated[rng.integers(len(repeated))][0]
        word = self.random_operand(rng, length)
        if kind < 2 / 3 and self.free:
            keeps = rng.random(len(word)) < 0.7
            for i in np.flatnonzero(keeps[1:]) + 1:
                word = word[:i] + word[i - 1] + word[i + 1 :]
        return word

    def repeated(self, length: int) -> list[Operands]:
        """Each of the turns, over and over, cut where an input can end."""
        found = dict.fromkeys(self._cut(turn, length) for turn in self.turns)
        return [(word,) for word in found if word]

    def _cut(self, turn: str, length: int) -> str:
        """The longest input of at most that length that says one thing over and over; none is empty."""
        word = (turn * (length // len(turn) + 1))[:length]
        while word and self._reason(word):
            word = word[:-1]
            if length - len(word) > 2 * len(turn):
                return ""
        return word

    def hard(self, length: int) -> Mapping[str, Operands]:
        if self.special is not None:
            return {kind: (word,) for kind, word in self.special(length).items()}
        halves = [word for (word,) in self.repeated(max(1, length // 2))]
        found = {}
        for one in halves:
            for two in halves:
                word = one + two
                if one != two and not self._reason(word):
                    found[f"{one[:4]}… then {two[:4]}…"] = (word,)
        return dict(list(found.items())[:MOST_HARD])

    def by_length(self) -> Iterator[Operands]:
        for word in self.language.words():
            text = self.language.text(word)
            if not self.refusal(text):
                yield (text,)

    def smaller(self, operands: Operands) -> Iterator[Operands]:
        word = operands[0]
        for gap in (1, 2, 3, 4):  # an operator goes with its number, a bracket with its other half
            for i in range(len(word) - gap + 1):
                shorter = word[:i] + word[i + gap :]
                if shorter and not self._reason(shorter):
                    yield (shorter,)


def word_task(
    name: str, meaning: str, letters: str, answer: Callable[[str], str], example: str, *, others: str = "",
    pattern: str = "", turns: tuple[str, ...] = (), kinds: tuple[str, ...] = (), **more: Any,
) -> WordTask:  # fmt: skip
    """By default any letters are an input, and long inputs repeat each letter, or all of them in turn.

    others: further symbols, those of answers and the agent's own; more: what else a `WordTask` has
    """
    return WordTask(
        name=name, meaning=meaning, example=example, alphabet=(*letters, BLANK, *others), letters=letters,
        answer=answer, pattern=pattern or f"[{re.escape(letters)}]+", turns=turns or (*letters, letters),
        kinds=kinds or (letters,), **more,
    )  # fmt: skip
