"""Experts for what a finite automaton can do: they read the word left to right, and write what they know.

    parity 2, divisible3 3, cycle 5, even_pairs 5, modular 52 states
    s3, d4, a5, s5: a state for each arrangement (6, 8, 60, 120), and some that get it written

What has been read is wiped out, so that the answer stands alone. Modular's aside, no two states could be
taken for one (docs/concepts/teaching.md says what that is good for).
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

from dfst.machines.rulebook import RuleBook
from dfst.tasks.groups import GROUPS, written
from dfst.tasks.word_tasks import MODULUS, SO_FAR, STANDS_FIRST
from dfst.tasks.words import WordTask
from dfst.world.grid import BLANK, L, R


def _read(
    rules: RuleBook, task: WordTask, states: Iterable[str], step: Callable[[str, str], str], answer: str
) -> None:
    """Read the word to its end, wiping it out. answer: a symbol for each state, in their order"""
    for state, told in zip(states, answer, strict=True):
        for letter in task.letters:
            rules.on(state, letter, R, write=BLANK, to=step(state, letter))
        rules.halt(state, BLANK, write=told)


def parity(rules: RuleBook, task: WordTask) -> None:
    other = {"even": "odd", "odd": "even"}
    _read(rules, task, other, lambda state, letter: other[state] if letter == "1" else state, "01")


def even_pairs(rules: RuleBook, task: WordTask) -> None:
    """As many changes from one letter to another as is even: the word ends with the letter it began with."""
    for letter in task.letters:
        rules.on("start", letter, R, write=BLANK, to=f"({letter},{letter})")
    pairs = [f"({first},{last})" for first in task.letters for last in task.letters]
    _read(rules, task, pairs, lambda pair, letter: f"{pair[:3]}{letter})", "1001")


def cycle(rules: RuleBook, task: WordTask) -> None:
    places, steps = "01234", {"0": 0, "+": 1, "-": -1}
    _read(rules, task, places, lambda place, s: str((int(place) + steps[s]) % MODULUS), places)


def divisible3(rules: RuleBook, task: WordTask) -> None:
    """The number read so far, mod 3, first digit first."""
    _read(rules, task, "012", lambda rest, digit: str((2 * int(rest) + int(digit)) % 3), "100")


def modular(rules: RuleBook, task: WordTask) -> None:
    """In place of each symbol the agent leaves a letter for the value so far; the last is the answer."""
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: SO_FAR[value])
    for total, product in evaluating():
        rules.on(after_number(total, product), BLANK, L, to="keep")
    for value, letter in enumerate(SO_FAR):
        rules.on("keep", letter, L, write=str(value), to="wipe")
    rules.on("wipe", tuple(SO_FAR), L, write=BLANK)
    rules.halt("wipe", BLANK)


def evaluating() -> list[tuple[int, int]]:
    """The total of all terms that are done, and the product of the one being read; first nothing and 1."""
    return [(total, product) for total in range(MODULUS) for product in (1, 2, 3, 4, 0)]


def before_number(total: int, product: int) -> str:
    return f"({total},{product}·)"


def after_number(total: int, product: int) -> str:
    return f"({total},{product})"


def evaluate(
    rules: RuleBook,
    at_number: Callable[[int], str],
    at_operator: Callable[[str, int], str],
) -> None:
    """Rules that work an expression out rightwards.

    at_number, at_operator: what is left in place of one, given the value so far, to which a new product has
    given 1 or -1.

    A minus makes the next product begin with -1, so no operator has to be remembered. Before a number and
    after it are different states, since nothing shows what one does with the other's symbols.
    """
    for total, product in evaluating():
        for digit in range(MODULUS):
            term = product * digit % MODULUS
            left = at_number((total + term) % MODULUS)
            rules.on(before_number(total, product), str(digit), R, write=left, to=after_number(total, term))
        done = (total + product) % MODULUS
        following = {"*": (total, product), "+": (done, 1), "-": (done, MODULUS - 1)}
        for operator, then in following.items():
            left = at_operator(operator, sum(then) % MODULUS)
            rules.on(after_number(total, product), operator, R, write=left, to=before_number(*then))


def arrange(rules: RuleBook, task: WordTask) -> None:
    """First 12345 is written behind the word; then the word is read, and 12345 rearranged.

    A state for each arrangement. That the places are written down beforehand spares the states that would
    have to remember which of them comes next. In place of each letter that it reads the agent leaves a mark
    for what stands at place 1 (v for 1, w for 2, …), and so shows at each step a little of what it knows.
    """
    group = GROUPS[task.name]
    letters, places = tuple(task.letters), [str(place) for place in group.first]
    rules.on("put 1", letters, R)
    for place, after in pairwise(places):
        rules.on(f"put {place}", BLANK, R, write=place, to=f"put {after}")
    rules.on(f"put {places[-1]}", BLANK, L, write=places[-1], to="home")
    rules.on("home", (*letters, *places[:-1]), L)
    rules.on("home", BLANK, R, to=written(group.first))
    for arrangement in group.members:
        state, mark = written(arrangement), STANDS_FIRST[arrangement[0] - 1]
        for letter in letters:
            rules.on(state, letter, R, write=mark, to=written(group.moved(arrangement, letter)))
        for place, content in zip(places, state, strict=True):
            rules.on(state, place, R, write=content)
        rules.on(state, BLANK, L, to="wipe")
    rules.on("wipe", places, L)
    rules.on("wipe", tuple(STANDS_FIRST[: group.places]), L, write=BLANK)
    rules.halt("wipe", BLANK)
