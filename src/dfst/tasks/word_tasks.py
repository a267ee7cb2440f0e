"""Tasks about words: what is asked of a row of letters, and what plain Python answers; listed at the end."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dfst.tasks.words import WordTask, word_task

MODULUS = 5
LETTERS, CAPITALS = "abcdef", "ABCDEF"
KEPT = "uvwxyz"  # how odds_first marks a to f as kept
SO_FAR = "abcde"  # how modular notes that the value so far is 0, 1, 2, 3, 4
STANDS_FIRST = "vwxyz"  # how the agents of groups note that 1, 2, 3, 4, 5 stands first
BRACKETS, DOUBLED = 0.2, 0.3
"""How often, in a drawn expression, brackets stand in place of a number; how often there are two of them."""
TIMES_X = "klmn"  # how solve notes that x is multiplied by 1, 2, 3, 4
Arrangement = tuple[int, ...]  # what stands at each place, first to last


@dataclass(frozen=True)
class Group:
    """A permutation group: words over two generators, and the arrangement that a word makes of 12345.

    A letter moves what stands at each place to another place: (1 2 3) takes what is at place 1 to place 2,
    what is at 2 to 3 and what is at 3 to 1, so that 123 becomes 312. A word is applied letter by letter.
    """

    name: str
    places: int
    generators: Mapping[str, tuple[int, ...]]
    """For each letter a cycle: each place, and after it the place that its content moves to."""

    @property
    def first(self) -> Arrangement:
        return tuple(range(1, self.places + 1))

    def moved(self, arrangement: Arrangement, letter: str) -> Arrangement:
        """The arrangement after one letter."""
        cycle, after = self.generators[letter], list(arrangement)
        for place, target in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            after[target - 1] = arrangement[place - 1]
        return tuple(after)

    def solve(self, word: str) -> str:
        """The arrangement after a word."""
        arrangement = self.first
        for letter in word:
            arrangement = self.moved(arrangement, letter)
        return written(arrangement)

    @cached_property
    def members(self) -> tuple[Arrangement, ...]:
        """Every arrangement that words make, the nearest first."""
        found = [self.first]
        for arrangement in found:  # grows while it is read
            for letter in self.generators:
                after = self.moved(arrangement, letter)
                if after not in found:
                    found.append(after)
        return tuple(found)


def written(arrangement: Arrangement) -> str:
    return "".join(map(str, arrangement))


GROUPS = {
    group.name: group
    for group in (
        Group("s3", 3, {"a": (1, 2), "b": (1, 2, 3)}),
        Group("d4", 4, {"a": (1, 2, 3, 4), "b": (1, 3)}),
        Group("a5", 5, {"a": (1, 2, 3, 4, 5), "b": (1, 2, 3)}),
        Group("s5", 5, {"a": (1, 2), "b": (1, 2, 3, 4, 5)}),
    )
}
"""All permutations of three; the turns and flips of a square; the even permutations of five; all of five."""


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
    while "(" in expression:  # innermost ones first, all at a time
        expression = inner.sub(lambda found: str(_modular(found[1])), expression)
    return str(_modular(expression))


def _draw_brackets(rng: np.random.Generator, length: int) -> str:
    """An expression of about a length: numbers, and sometimes an expression in brackets, joined."""
    drawn = ""
    while not drawn or len(drawn) + 2 <= length:
        room = length - len(drawn) - 1 if drawn else length
        joint = str(rng.choice(list("+-**"))) if drawn else ""
        if room >= 3 and rng.random() < BRACKETS:
            pairs = 2 if room >= 5 and rng.random() < DOUBLED else 1
            inner = _draw_brackets(rng, int(rng.integers(1, room - 2 * pairs + 1)))
            drawn += joint + pairs * "(" + inner + pairs * ")"
        else:
            drawn += joint + str(rng.integers(MODULUS))
    return drawn


EXPRESSION = r"\(*[0-4](\)*[+\-*]\(*[0-4])*\)*"
"""But for brackets that do not match, which no regular expression sees."""


def _unmatched(expression: str) -> str | None:
    depth = 0
    for symbol in expression:
        depth += (symbol == "(") - (symbol == ")")
        if depth < 0:
            break
    return "brackets that do not match in" if depth else None


def _solutions(equation: str) -> list[int]:
    left, _, right = equation.partition("=")
    return [x for x in range(MODULUS) if _modular(left.replace("x", str(x))) == int(right)]


TERM = r"[0-4](\*[0-4])*"
EQUATION = rf"({TERM}[+\-])*([1-4]\*)*x(\*[1-4])*([+\-]{TERM})*=[0-4]"
"""There is one solution where x is not multiplied by 0, and no other equation has one."""


def _draw_equation(rng: np.random.Generator, length: int) -> str:
    """An expression with one x, and a number, such that there is one solution; at least x=1."""
    while True:
        terms = [str(digit) for digit in rng.integers(MODULUS, size=max(1, (length - 1) // 2))]
        operators = rng.choice(list("+-**"), size=len(terms))
        place = int(rng.integers(len(terms)))
        terms[place] = "x"
        left = "".join(symbol for pair in zip(terms, operators, strict=True) for symbol in pair)[:-1]
        equation = f"{left}={rng.integers(MODULUS)}"
        if len(_solutions(equation)) == 1:
            return equation


def _missing(word: str) -> str:
    half = len(word) // 2
    return word[(word.index("_") + half) % len(word)]


def _draw_missing(rng: np.random.Generator, length: int) -> str:
    """A word twice, and a hole in it."""
    half = max(1, length // 2)
    word = list("".join(rng.choice(list("ab"), size=half)) * 2)
    word[rng.integers(2 * half)] = "_"
    return "".join(word)


def _special_missing(length: int) -> dict[str, str]:
    half = max(1, length // 2)
    word, other = ("ab" * half)[:half], "b" * half
    return {
        "hole first": "_" + word[1:] + word,
        "hole last": word + word[:-1] + "_",
        "hole before the middle": other[:-1] + "_" + other,
        "hole after the middle": other + "_" + other[1:],
    }


def _special_equations(length: int) -> dict[str, str]:
    terms = max(1, (length - 3) // 2)
    return {
        "x first": "x" + "+1" * terms + "=0",
        "x last": "4-" * terms + "x=1",
        "x last in a product": "2*" * terms + "x=3",
        "x first in a product": "x" + "*4" * terms + "=2",
    }


def _special_brackets(length: int) -> dict[str, str]:
    deep = max(1, (length - 1) // 4)
    return {
        "deep": "(" * deep + "3" + ")" * deep,
        "deep to the right": "1+(" * deep + "4" + ")" * deep,
        "deep to the left": "(" * deep + "2" + "-3)" * deep,
        "products of sums": "*".join(["(1+2)"] * max(1, length // 6)),
        "flat": "+".join(["4"] * max(1, length // 2)),
    }


def _stack(word: str) -> str:
    stack: list[str] = []
    for symbol in word:
        if symbol != "-":
            stack.append(symbol)
        elif stack:
            stack.pop()
    return "".join(stack) or "-"


def _mod3(binary: str) -> int:
    value = 0
    for digit in binary:
        value = (2 * value + int(digit)) % 3
    return value


# fmt: off
_EVERY = (
    word_task("parity", "whether the number of ones is odd", "01", lambda w: str(w.count("1") % 2), "0110"),
    word_task("even_pairs", "whether ab and ba occur an even number of times", "ab",
              lambda w: str(int(w[0] == w[-1])), "abba", others="01"),
    word_task("cycle", "the place on a ring of five after these steps", "0+-",
              lambda w: str((w.count("+") - w.count("-")) % MODULUS), "++-0", others="1234"),
    word_task("modular", "the value mod 5", "01234+-*", lambda w: str(_modular(w)), "1+2*4-3", others=SO_FAR,
              pattern=r"[0-4]([+\-*][0-4])*", form="numbers 0 to 4 joined by + - *",
              turns=("1+", "4*", "2-", "0-", "3*", "2+3*"), kinds=("01234+-*", SO_FAR)),
    word_task("divisible3", "whether three divides the binary number", "01",
              lambda w: str(int(_mod3(w) == 0)), "110"),
    *(word_task(group.name, f"the arrangement of {places}", "ab", group.solve, "abba", others=places + marks,
                turns=("a", "b", "ab", "aab", "abb"), kinds=("ab", marks))
      for group in GROUPS.values()
      for places, marks in [("12345"[: group.places], STANDS_FIRST[: group.places])]),
    word_task("reverse", "the word backwards", LETTERS, lambda w: w[::-1], "abb", others=CAPITALS,
              kinds=(LETTERS, CAPITALS)),
    word_task("duplicate", "the word twice", LETTERS, lambda w: w + w, "abb", others=CAPITALS,
              kinds=(LETTERS, CAPITALS)),
    word_task("odds_first", "the letters at odd places, then the others", LETTERS,
              lambda w: w[::2] + w[1::2], "abcdef", others=CAPITALS + KEPT + "#o",
              kinds=(LETTERS, CAPITALS, KEPT + "#")),
    word_task("missing_duplicate", "the letter that fills the hole, from the other half", "ab_", _missing,
              "ab_aab", others="AB?XY!#", pattern="([ab][ab])*(_[ab]|[ab]_)([ab][ab])*",
              form="an even number of a and b, one of them missing: _", drawn=_draw_missing,
              special=_special_missing, kinds=("ab", "AB", "XY")),
    word_task("stack", "the stack when each letter is pushed and - pops", "ab-", _stack, "abb-a-",
              others="xy#AB", turns=("a", "b", "-", "ab-", "a-", "abb--a"), kinds=("ab-", "xy#", "AB")),
    word_task("modular_brackets", "the value mod 5", "01234+-*()", _modular_brackets, "(1+2)*4-3",
              others=SO_FAR + "#;", pattern=EXPRESSION, form="numbers 0 to 4 joined by + - * and brackets",
              refusal=_unmatched, drawn=_draw_brackets, special=_special_brackets,
              turns=("1+", "4*", "2-", "(1)+", "(2-3)*", "(1+(2*4))-"), kinds=("01234+-*()#;" + SO_FAR,)),
    word_task("solve", "x mod 5", "01234+-*=x", lambda w: str(_solutions(w)[0]), "2*x+3=1",
              others=SO_FAR + TIMES_X, pattern=EQUATION, form="an equation with one x and one solution",
              drawn=_draw_equation, special=_special_equations, kinds=("01234+-*=x" + SO_FAR + TIMES_X,)),
    word_task("sort", "the digits in ascending order", "0123456789", lambda w: "".join(sorted(w)), "3141"),
)
# fmt: on
WORD_TASKS: Mapping[str, WordTask] = {task.name: task for task in _EVERY}
