"""Experts for what a finite automaton can do: they read the word left to right, and write what they know.

    modular 52 states; s3, d4, a5, s5: a state for each arrangement (6, 8, 60, 120), and some that get it
    written; in tables/: parity 2, divisible3 3, cycle 5, even_pairs 5

What has been read is wiped out, so that the answer stands alone. Modular's aside, no two states could be
taken for one (docs/concepts/teaching.md says what that is good for).
"""

from collections.abc import Callable
from itertools import pairwise

from dfst.machines.rulebook import RuleBook
from dfst.tasks.word_tasks import GROUPS, MODULUS, SO_FAR, STANDS_FIRST, written
from dfst.tasks.words import WordTask


def modular(rules: RuleBook, task: WordTask) -> None:
    """In place of each symbol the agent leaves a letter for the value so far; the last is the answer."""
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: SO_FAR[value])
    for total, product in evaluating():
        rules.rows(f"{after_number(total, product)}  λ L keep")
    rules.rows(f"""
        keep  {SO_FAR} 01234L wipe
        wipe  {SO_FAR} λL            λ S
    """)


def evaluating() -> list[tuple[int, int]]:
    """The total of all terms that are done, and the product of the one being read; first nothing and 1."""
    return [(total, product) for total in range(MODULUS) for product in (1, 2, 3, 4, 0)]


def before_number(total: int, product: int) -> str:
    return f"({total},{product}·)"


def after_number(total: int, product: int) -> str:
    return f"({total},{product})"


def evaluate(
    rules: RuleBook, at_number: Callable[[int], str], at_operator: Callable[[str, int], str]
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
            rules.rows(f"{before_number(total, product)}  {digit} {left}R {after_number(total, term)}")
        done = (total + product) % MODULUS
        following = {"*": (total, product), "+": (done, 1), "-": (done, MODULUS - 1)}
        for operator, then in following.items():
            left = at_operator(operator, sum(then) % MODULUS)
            rules.rows(f"{after_number(total, product)}  {operator} {left}R {before_number(*then)}")


def arrange(rules: RuleBook, task: WordTask) -> None:
    """First 12345 is written behind the word; then the word is read, and 12345 rearranged.

    A state for each arrangement. That the places are written down beforehand spares the states that would
    have to remember which of them comes next. In place of each letter that it reads the agent leaves a mark
    for what stands at place 1 (v for 1, w for 2, …), and so shows at each step a little of what it knows.
    """
    group = GROUPS[task.name]
    places, marks, letters = written(group.first), STANDS_FIRST[: group.places], task.letters
    rules.rows(f"put 1  {letters} R")
    for place, after in pairwise(places):
        rules.rows(f"put {place}  λ {place}R put {after}")
    rules.rows(f"""
        put {places[-1]}  λ {places[-1]}L home
        home   {letters}{places[:-1]} L   λ R {places}
    """)
    for arrangement in group.members:
        state, mark = written(arrangement), marks[arrangement[0] - 1]
        for letter in letters:
            rules.rows(f"{state}  {letter} {mark}R {written(group.moved(arrangement, letter))}")
        rules.rows(f"{state}  {places} {state}R  λ L wipe")
    rules.rows(f"wipe  {places} L  {marks} λL  λ S")
