"""Experts that need their tape: they carry letters about, and write what is done in other letters.

    reverse 3k+3, duplicate k+4, odds_first 2k+6 states for k letters; missing_duplicate 12, stack 7,
    modular_brackets 55, solve 65 states

Like the adders they are built to be learnt from: what is walked over are letters and marks, not blanks; what
has been done and what is left to do are written in different symbols, so that their border is a landmark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from dfst.agents.agent import Agent
from dfst.agents.arithmetic import gnome_sort
from dfst.agents.regular import after_number, before_number, evaluate, evaluating
from dfst.agents.rulebook import RuleBook
from dfst.agents.word_tasks import (
    KEPT,
    LEFT_HALF,
    MODULUS,
    PUSHED,
    RIGHT_HALF,
    SO_FAR,
    TRIED,
    UNKNOWN,
    VALUE_AT,
)
from dfst.agents.words import WordTask
from dfst.world.grid import BLANK, L, R


def _pairs(one: str, other: str) -> list[tuple[str, str]]:
    return list(zip(one, other, strict=True))


def reverse(task: WordTask) -> Agent:
    """The first and the last letter change places, as capitals, then the next two; then all become small."""
    rules, small, capital = RuleBook(task.alphabet), task.letters, task.letters.upper()
    for x, X in _pairs(small, capital):
        rules.on("next", x, R, write=X, to=f"(go,{x})")
    rules.on("next", tuple(capital), R, to="end")
    for x, X in _pairs(small, capital):
        rules.on(f"(go,{x})", tuple(small), R)
        rules.on(f"(go,{x})", (*capital, BLANK), L, to=f"(swap,{x})")
        for y in small:
            rules.on(f"(swap,{x})", y, L, write=X, to=f"(back,{y})")
        rules.on(f"(swap,{x})", X, R, to="end")
        rules.on(f"(back,{x})", tuple(small), L)
        rules.on(f"(back,{x})", tuple(capital), R, write=X, to="next")
    rules.on("end", tuple(capital), R)
    rules.on("end", BLANK, L, to="lower")
    for x, X in _pairs(small, capital):
        rules.on("lower", X, L, write=x)
    rules.halt("lower", BLANK)
    return rules.agent(task.name, task)


def duplicate(task: WordTask) -> Agent:
    """Each letter becomes a capital, and so does its copy behind the last one; at last all become small."""
    rules, small, capital = RuleBook(task.alphabet), task.letters, task.letters.upper()
    for x, X in _pairs(small, capital):
        rules.on("take", x, R, write=X, to=f"(carry,{x})")
    for x, X in _pairs(small, capital):
        rules.on(f"(carry,{x})", (*small, *capital), R)
        rules.on(f"(carry,{x})", BLANK, L, write=X, to="over_copy")
    rules.on("over_copy", tuple(capital), L)
    rules.on("over_copy", tuple(small), L, to="over_rest")
    rules.on("over_copy", BLANK, R, to="lower")
    rules.on("over_rest", tuple(small), L)
    rules.on("over_rest", tuple(capital), R, to="take")
    _lower_rightwards(rules, small)
    return rules.agent(task.name, task)


def _lower_rightwards(rules: RuleBook, small: str) -> None:
    """Capitals become small letters again, up to the end."""
    for x, X in _pairs(small, small.upper()):
        rules.on("lower", X, R, write=x)
    rules.halt("lower", BLANK)


def odds_first(task: WordTask) -> Agent:
    """Each odd letter is carried behind the word, each even one marked as kept; then those are carried.

    Where the last odd letter was taken stands a landmark until the agent is back.
    """
    rules, small, capital = RuleBook(task.alphabet), task.letters, task.letters.upper()
    for x in small:
        rules.on("odd", x, R, write="o", to=f"(carry,{x})")
    rules.on("odd", tuple(capital), L, to="home")
    for x, X in _pairs(small, capital):
        rules.on(f"(carry,{x})", (*small, *capital), R)
        rules.on(f"(carry,{x})", BLANK, L, write=X, to="back")
    rules.on("back", (*small, *capital), L)
    rules.on("back", "o", R, write="#", to="even")
    for x, kept in _pairs(small, KEPT):
        rules.on("even", x, R, write=kept, to="odd")
    rules.on("even", tuple(capital), L, to="home")
    rules.on("home", (*capital, *KEPT, "#"), L)
    rules.on("home", BLANK, R, to="kept")
    rules.on("kept", "#", R, write=BLANK)
    for x, kept in _pairs(small, KEPT):
        rules.on("kept", kept, R, write=BLANK, to=f"(bring,{x})")
    for x, X in _pairs(small, capital):
        rules.on("kept", X, R, write=x, to="lower")
        rules.on(f"(bring,{x})", (*capital, *KEPT, "#"), R)
        rules.on(f"(bring,{x})", BLANK, L, write=X, to="home")
    _lower_rightwards(rules, small)
    return rules.agent(task.name, task)


def missing_duplicate(task: WordTask) -> Agent:
    """Both ends are marked, each as its half, until they meet; then the halves are held side by side."""
    rules, word = RuleBook(task.alphabet), task.letters
    for x, left in _pairs(word, LEFT_HALF):
        rules.on("left", x, R, write=left, to="far")
    rules.on("left", tuple(RIGHT_HALF), L, to="home")
    rules.on("far", tuple(word), R)
    rules.on("far", (*RIGHT_HALF, BLANK), L, to="right")
    for x, right in _pairs(word, RIGHT_HALF):
        rules.on("right", x, L, write=right, to="near")
    rules.on("near", tuple(word), L)
    rules.on("near", tuple(LEFT_HALF), R, to="left")
    rules.on("home", (*LEFT_HALF, "#"), L)
    rules.on("home", BLANK, R, to="take")
    for x, left in _pairs(word, LEFT_HALF):
        rules.on("take", left, R, write=BLANK, to=f"(pair,{x})")
    for x in word:
        rules.on(f"(pair,{x})", (*LEFT_HALF, "#") if x != UNKNOWN else (*LEFT_HALF[:-1], "#"), R)
        for y, right in _pairs(word, RIGHT_HALF):
            if x == UNKNOWN != y:
                rules.on(f"(pair,{x})", right, R, to=f"(answer,{y})")
            elif y == UNKNOWN != x:
                rules.on(f"(pair,{x})", right, R, to=f"(answer,{x})")
            elif x != UNKNOWN:
                rules.on(f"(pair,{x})", right, L, write="#", to="home")
    for x in word.replace(UNKNOWN, ""):
        rules.on(f"(answer,{x})", tuple(RIGHT_HALF[:-1]), R)
        rules.on(f"(answer,{x})", BLANK, L, write=x, to="wipe")
    rules.on("wipe", (*LEFT_HALF[:-1], *RIGHT_HALF, "#"), L, write=BLANK)
    rules.halt("wipe", BLANK)
    return rules.agent(task.name, task)


def stack(task: WordTask) -> Agent:
    """Letters are marked as pushed; a pop strikes out the nearest one to the left; the rest is taken off."""
    rules, small = RuleBook(task.alphabet), task.letters.replace("-", "")
    capital = small.upper()
    for x, pushed in _pairs(small, PUSHED):
        rules.on("read", x, R, write=pushed)
    rules.on("read", "-", L, write="#", to="pop")
    rules.on("read", "#", R)
    rules.on("read", BLANK, L, to="home")
    rules.on("pop", "#", L)
    rules.on("pop", tuple(PUSHED), R, write="#", to="read")
    rules.on("pop", BLANK, R, to="read")
    rules.on("home", (*PUSHED, "#", *capital), L)
    rules.on("home", BLANK, R, to="left")
    rules.on("left", "#", R, write=BLANK)
    for x, pushed in _pairs(small, PUSHED):
        rules.on("left", pushed, R, write=BLANK, to=f"(carry,{x})")
    for x, X in _pairs(small, capital):
        rules.on("left", X, R, write=x, to="lower")
        rules.on(f"(carry,{x})", (*PUSHED, "#", *capital), R)
        rules.on(f"(carry,{x})", BLANK, L, write=X, to="home")
    rules.halt("left", BLANK, write="-")
    _lower_rightwards(rules, small)
    return rules.agent(task.name, task)


def modular_brackets(task: WordTask) -> Agent:
    """Brackets are put around all; the last one that opens holds no other and is worked out, and so on.

    In place of each symbol that is done the agent leaves a letter for the value so far, and on its way back
    makes all of them one sign, to be walked over.
    """
    rules, others = RuleBook(task.alphabet), tuple(task.letters.replace("(", ""))
    rules.on("fence", ("(", *task.letters[:MODULUS]), L)
    rules.on("fence", BLANK, R, write="(", to="over")
    rules.on("over", tuple(task.letters), R)
    rules.on("over", BLANK, L, write=")", to="open")
    rules.on("open", others, L)
    rules.on("open", "(", R, write="#", to=before_number(0, 1))
    rules.on("done", "#", L)
    rules.on("done", tuple(SO_FAR), L, write="#")
    rules.on("done", tuple("+-*"), L, to="open")
    rules.on("done", "(", R, write="#", to=before_number(0, 1))
    rules.on("done", BLANK, R, to="clear")
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: SO_FAR[value])
    for total, product in evaluating():
        rules.on(before_number(total, product), "#", R)
        value = str((total + product) % MODULUS)
        rules.on(after_number(total, product), ")", L, write=value, to="done")
    rules.on("clear", "#", R, write=BLANK)
    rules.halt("clear", tuple(task.letters[:MODULUS]))
    return rules.agent(task.name, task)


def solve(task: WordTask) -> Agent:
    """Try 0, then 1, … for x, which is written in another letter for each, until both sides are equal.

    On its way right the agent leaves in place of + - * a letter for that operator and the value so far,
    and on its way back it puts the operator there again: each step shows a little of what it knows.
    """
    rules, digits = RuleBook(task.alphabet), tuple(task.letters[:MODULUS])
    known = {letter: operator for operator in "+-*" for letter in VALUE_AT[operator]}
    evaluate(rules, lambda value: None, lambda operator, value: VALUE_AT[operator][value])
    for total, product in evaluating():
        for value, letter in enumerate(TRIED if product else ""):  # 0*x would leave x open
            after = after_number(total, product * value % MODULUS)
            rules.on(before_number(total, product), letter, R, to=after)
        rules.on(after_number(total, product), "=", R, to=f"(is,{(total + product) % MODULUS})")
    for value in range(MODULUS):
        for digit in range(MODULUS):
            if digit == value:
                rules.on(f"(is,{value})", str(digit), L, write=BLANK, to="equal")
            else:
                rules.on(f"(is,{value})", str(digit), L, to="unequal")
    rules.on("unequal", "=", L, to="again")
    rules.on("equal", "=", L, write=BLANK, to="wipe")
    for state in ("again", "home"):  # back from number to operator to number
        rules.on(state, digits, L, to=f"{state}·")
        for letter, operator in known.items():
            rules.on(f"{state}·", letter, L, write=operator, to=state)
    for letter, following in pairwise(TRIED):
        rules.on("again", letter, L, write=following, to="home·")
    rules.on("home·", BLANK, R, to=before_number(0, 1))
    for state in ("wipe", "clear"):
        rules.on(state, digits, L, write=BLANK, to=f"{state}·")
        rules.on(f"{state}·", tuple(known), L, write=BLANK, to=state)
    for value, letter in enumerate(TRIED):
        rules.on("wipe", letter, L, write=str(value), to="clear·")
    rules.halt("clear·", BLANK)
    return rules.agent(task.name, task)


def sort(task: WordTask) -> Agent:
    rules = RuleBook(task.alphabet)
    gnome_sort(rules, tuple(task.letters))
    return rules.agent(task.name, task)


WITH_A_TAPE: Mapping[str, Callable[[WordTask], Agent]] = {
    "reverse": reverse,
    "duplicate": duplicate,
    "odds_first": odds_first,
    "missing_duplicate": missing_duplicate,
    "stack": stack,
    "modular_brackets": modular_brackets,
    "solve": solve,
    "sort": sort,
}
