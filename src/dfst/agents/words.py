"""Tasks about words: what is asked of a row of letters, and what plain Python answers.

parity              0110 → 0            whether the ones are odd in number
even_pairs          abba → 1            whether ab and ba together are even in number
cycle               ++-0 → 1            the place on a ring of five after these steps
modular             1+2*4-3 → 1         mod 5, usual precedence
divisible3          110 → 1             whether three divides the binary number
s3 d4 a5 s5         aab → 312           the arrangement that a word of generators makes
reverse             abb → bba           letters a to f, as in the next two
duplicate           abb → abbabb
odds_first          abcdef → acebdf     the first, third, … letter, then the others
missing_duplicate   ab_aab → b          the letter of the other half where this half has a hole
stack               abb-a- → ab         a letter is pushed, - pops; an empty stack is -
modular_brackets    (1+2)*4-3 → 4       mod 5
solve               2*x+3=1 → 4         x mod 5; there must be one solution
sort                3141 → 1134
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from dfst.agents.base_task import Operands, Task, short
from dfst.agents.groups import GROUPS
from dfst.errors import InputError
from dfst.languages import Language, parse
from dfst.world.grid import BLANK

MODULUS = 5
LETTERS = "abcdef"
HOLE = "_"


def _any(word: str) -> None:
    """No word of the pattern is refused."""


@dataclass(frozen=True)
class WordTask(Task):
    """One word in, one word out: the input is one operand."""

    letters: str
    """The symbols of inputs."""
    answer: Callable[[str], str]
    pattern: str
    """A regular expression that holds every input."""
    form: str
    """What inputs are, for messages."""
    refusal: Callable[[str], str | None]
    """Why a word of the pattern is still no input."""
    drawn: Callable[[np.random.Generator, int], str] | None
    """Draws an input of about a length; by default each word of the pattern is as likely as any other."""
    turns: tuple[str, ...]
    """What long inputs say over and over."""

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

    def encode_operands(self, operands: Operands) -> tuple[NDArray[np.uint8], int]:
        symbols = np.array([self._index[symbol] for symbol in operands[0]], dtype=np.uint8)
        return symbols, len(symbols) - 1 if self.layout == "last" else 0

    def solve(self, operands: Operands) -> str:
        return self.answer(operands[0])

    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        if self.drawn:
            return self.drawn(rng, length)
        if self.free:
            return "".join(np.array(list(self.letters))[rng.integers(0, len(self.letters), size=length)])
        return self.language.sample(rng, length)

    def sampled_operand(self, rng: np.random.Generator, length: int) -> str:
        return self.random_operand(rng, length)

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
        """The first half says one thing, the second another."""
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

    def count_up_to(self, length: int, enough: int) -> int:
        count = 0
        for _ in takewhile(lambda operands: len(operands[0]) <= length, self.by_length()):
            count += 1
            if count >= enough:
                break
        return count

    def up_to(self, length: int) -> list[Operands]:
        return list(takewhile(lambda operands: len(operands[0]) <= length, self.by_length()))

    def smaller(self, operands: Operands) -> Iterator[Operands]:
        word = operands[0]
        for gap in (1, 2, 3, 4):  # an operator goes with its number, a bracket with its other half
            for i in range(len(word) - gap + 1):
                shorter = word[:i] + word[i + gap :]
                if shorter and not self._reason(shorter):
                    yield (shorter,)


MOST_HARD = 12


def word_task(
    name: str,
    meaning: str,
    letters: str,
    answer: Callable[[str], str],
    example: str,
    others: str = "",
    pattern: str = "",
    form: str = "a word",
    refusal: Callable[[str], str | None] = _any,
    drawn: Callable[[np.random.Generator, int], str] | None = None,
    turns: tuple[str, ...] = (),
) -> WordTask:
    """By default any letters are an input, and long inputs repeat each letter, or all of them in turn.

    others: further symbols, those of answers and the agent's own.
    """
    return WordTask(
        name=name,
        meaning=meaning,
        example=example,
        alphabet=(*letters, BLANK, *others),
        layout="first",
        operator=None,
        unit="symbols",
        letters=letters,
        answer=answer,
        pattern=pattern or "[" + re.escape(letters) + "]+",
        form=form,
        refusal=refusal,
        drawn=drawn,
        turns=turns or (*letters, letters),
    )


def _modular(expression: str) -> int:
    """The value of an expression mod 5, by Python's own arithmetic, whatever its length."""
    total, product = 0, 1
    sign = 1
    for token in re.findall(r"\d|[-+*]", expression):
        if token in "+-":
            total, product, sign = total + sign * product, 1, 1 if token == "+" else -1
        elif token != "*":
            product = product * int(token) % MODULUS
    return (total + sign * product) % MODULUS


def _modular_brackets(expression: str) -> str:
    inner = re.compile(r"\(([^()]*)\)")
    while "(" in expression:
        expression = inner.sub(lambda found: str(_modular(found[1])), expression)
    return str(_modular(expression))


def _draw_brackets(rng: np.random.Generator, length: int) -> str:
    """An expression of about a length: numbers joined, or put into brackets, until it is long enough."""
    if length < 3:
        return str(rng.integers(MODULUS))
    if length < 5 or rng.random() < 0.6:
        left = int(rng.integers(1, length - 1))
        return (
            _draw_brackets(rng, left) + str(rng.choice(list("+-*"))) + _draw_brackets(rng, length - 1 - left)
        )
    return f"({_draw_brackets(rng, length - 2)})"


def _unbalanced(expression: str) -> str | None:
    depth = 0
    for symbol in expression:
        depth += (symbol == "(") - (symbol == ")")
        if depth < 0:
            break
    return "brackets that do not match in" if depth else None


def _solutions(equation: str) -> list[int]:
    left, _, right = equation.partition("=")
    return [x for x in range(MODULUS) if _modular(left.replace("x", str(x))) == int(right)]


def _not_one_solution(equation: str) -> str | None:
    return None if len(_solutions(equation)) == 1 else f"{len(_solutions(equation))} solutions of"


def _draw_equation(rng: np.random.Generator, length: int) -> str:
    """An expression with one x, so that it has one solution; at least x=1."""
    while True:
        terms = ["x" if i == 0 else str(rng.integers(MODULUS)) for i in range(max(1, (length - 1) // 2))]
        rng.shuffle(terms)
        operators = rng.choice(list("+-*"), size=len(terms))
        left = "".join(symbol for pair in zip(terms, operators, strict=True) for symbol in pair)[:-1]
        equation = f"{left}={rng.integers(MODULUS)}"
        if not _not_one_solution(equation):
            return equation


def _missing(word: str) -> str:
    half = len(word) // 2
    return word[(word.index(HOLE) + half) % len(word)]


def _stack(word: str) -> str:
    stack: list[str] = []
    for symbol in word:
        if symbol != "-":
            stack.append(symbol)
        elif stack:
            stack.pop()
    return "".join(stack) or "-"


def _even_pairs(word: str) -> str:
    return str(int(word[0] == word[-1]))


WORD_TASKS: Mapping[str, WordTask] = {
    task.name: task
    for task in (
        word_task("parity", "whether the ones are odd in number", "01", lambda w: str(w.count("1") % 2), "0110"),
        word_task(
            "even_pairs", "whether ab and ba together are even in number", "ab", _even_pairs, "abba", others="01"
        ),
        word_task(
            "cycle", "the place on a ring of five after these steps", "0+-",
            lambda w: str((w.count("+") - w.count("-")) % MODULUS), "++-0", others="1234",
        ),
        word_task(
            "modular", "the value mod 5", "01234+-*", lambda w: str(_modular(w)), "1+2*4-3",
            pattern=r"[0-4]([+\-*][0-4])*", form="numbers 0 to 4 joined by + - *",
            turns=("1+", "4*", "2-", "0-", "3*", "2+3*"),
        ),
        word_task(
            "divisible3", "whether three divides the binary number", "01",
            lambda w: str(int(int(w, 2) % 3 == 0)), "110",
        ),
        *(
            word_task(
                group.name, f"the arrangement of {'12345'[: group.places]}", "ab", group.solve, "abba",
                others="12345"[: group.places] + "|", turns=("a", "b", "ab", "aab", "abb"),
            )
            for group in GROUPS.values()
        ),
    )
}  # fmt: skip
