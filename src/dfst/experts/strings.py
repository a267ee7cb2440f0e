"""Experts that need their tape: they carry letters about, and write what is done in other letters.

    reverse 3k+3, duplicate k+4, odds_first 2k+6 states for k letters; missing_duplicate 12, stack 7,
    modular_brackets 55, solve 91 states

Like the adders they are built to be learnt from: what is walked over are letters and marks, not blanks; what
has been done and what is left to do are written in different symbols, so that their border is a landmark.
"""

from dfst.experts.regular import after_number, before_number, evaluate, evaluating
from dfst.machines.rulebook import RuleBook
from dfst.tasks.word_tasks import (
    KEPT,
    LEFT_HALF,
    MODULUS,
    PUSHED,
    RIGHT_HALF,
    SO_FAR,
    TIMES_X,
    UNKNOWN,
)
from dfst.tasks.words import WordTask
from dfst.world.grid import BLANK, L, R


def _pairs(one: str, other: str) -> list[tuple[str, str]]:
    return list(zip(one, other, strict=True))


def reverse(rules: RuleBook, task: WordTask) -> None:
    """The first and the last letter change places, as capitals, then the next two; then all become small."""
    small, capital = task.letters, task.letters.upper()
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


def duplicate(rules: RuleBook, task: WordTask) -> None:
    """Each letter becomes a capital, and so does its copy behind the last one; at last all become small."""
    small, capital = task.letters, task.letters.upper()
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


def _lower_rightwards(rules: RuleBook, small: str) -> None:
    """Capitals become small letters again, up to the end."""
    for x, X in _pairs(small, small.upper()):
        rules.on("lower", X, R, write=x)
    rules.halt("lower", BLANK)


def odds_first(rules: RuleBook, task: WordTask) -> None:
    """Each odd letter is carried behind the word, each even one marked as kept; then those are carried.

    Where the last odd letter was taken stands a landmark until the agent is back.
    """
    small, capital = task.letters, task.letters.upper()
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


def missing_duplicate(rules: RuleBook, task: WordTask) -> None:
    """Both ends are marked, each as its half, until they meet; then the halves are held side by side."""
    word = task.letters
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


def stack(rules: RuleBook, task: WordTask) -> None:
    """Letters are marked as pushed; a pop strikes out the nearest one to the left; the rest is taken off."""
    small = task.letters.replace("-", "")
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


def modular_brackets(rules: RuleBook, task: WordTask) -> None:
    """The first bracket that closes holds no other and is worked out; then the next; at last what is left.

    In place of each symbol that is done the agent leaves a letter for the value so far. Where a bracket ends,
    the last letter becomes the value; the others become # when the agent next goes left. What is left of a
    bracket is walked over, and after a number it becomes ; on the way: so before a number and after it are
    states that act differently.
    """
    numbers = tuple(task.letters[:MODULUS])
    rules.on("close", (*numbers, *"+-*(;"), R)
    rules.on("close", (")", BLANK), L, to="open")
    rules.on("open", (*numbers, *"+-*#"), L)
    rules.on("open", (*SO_FAR, ";"), L, write="#")
    rules.on("open", "(", R, write="#", to=before_number(0, 1))
    rules.on("open", BLANK, R, to=before_number(0, 1))
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: SO_FAR[value])
    for total, product in evaluating():
        rules.on(before_number(total, product), "#", R)
        rules.on(after_number(total, product), "#", R, write=";")
        rules.on(after_number(total, product), ")", L, write=";", to="keep")
        rules.on(after_number(total, product), BLANK, L, to="last")
    for value, letter in enumerate(SO_FAR):
        rules.on("keep", letter, R, write=str(value), to="close")
        rules.on("last", letter, L, write=str(value), to="wipe")
    rules.on("keep", ";", L)
    rules.on("last", ";", L, write=BLANK)
    rules.on("wipe", (*SO_FAR, *"#;"), L, write=BLANK)
    rules.halt("wipe", BLANK)


def solve(rules: RuleBook, task: WordTask) -> None:
    """The left side is worked out without the product that holds x; what is missing is divided by its factor.

    Rightwards the agent leaves in place of each number a letter for the value so far, in place of x one for
    what stands before x in its product, and the numbers behind x in that product it leaves alone; in place of
    the right side, what the product must be. Back at x, it multiplies the factor by those that were left
    alone, takes it to the right, and leaves a letter for it in place of each number; there it divides. Then
    all but x is wiped out.
    """
    factors = range(1, MODULUS)  # 0 times x would leave x open
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: operator)
    for total, product in evaluating():
        if product:
            rules.on(before_number(total, product), "x", R, write=TIMES_X[product - 1], to=f"({total},x)")
        rules.on(after_number(total, product), "=", R, to=f"(is,{(total + product) % MODULUS})")
    for total in range(MODULUS):
        rules.on(f"({total},x)", "*", R, to=f"({total},x·)")
        rules.on(f"({total},x)", "+", R, to=before_number(total, 1))
        rules.on(f"({total},x)", "-", R, to=before_number(total, MODULUS - 1))
        rules.on(f"({total},x)", "=", R, to=f"(is,{total})")
        rules.on(f"({total},x·)", map(str, factors), R, to=f"({total},x)")
        for digit in range(MODULUS):
            rules.on(f"(is,{total})", str(digit), L, write=str((digit - total) % MODULUS), to="back")
    rules.on("back", "=", L, to="home")
    rules.on("home", (*SO_FAR, *map(str, factors)), L, to="home·")
    rules.on("home·", tuple("+-*"), L, to="home")
    for factor, letter in zip(factors, TIMES_X, strict=True):
        rules.on("home", letter, R, to=f"(by,{factor})")
        rules.on(f"(by,{factor})", "*", R, to=f"(by,{factor}·)")
        rules.on(f"(by,{factor})", tuple("+-"), R, to=f"(take,{factor}·)")
        rules.on(f"(by,{factor})", "=", R, to=f"(solve,{factor})")
        rules.on(f"(take,{factor}·)", tuple(SO_FAR), R, write=letter, to=f"(take,{factor})")
        rules.on(f"(take,{factor})", tuple("+-*"), R, to=f"(take,{factor}·)")
        rules.on(f"(take,{factor})", "=", R, to=f"(solve,{factor})")
        for digit in factors:
            product = factor * digit % MODULUS
            rules.on(f"(by,{factor}·)", str(digit), R, write=TIMES_X[product - 1], to=f"(by,{product})")
            rules.on(f"(solve,{factor})", str(product), L, write=str(digit), to="done")
        rules.on(f"(solve,{factor})", "0", L, to="done")
    rules.on("done", "=", L, write=BLANK, to="wipe")
    rules.on("wipe", (*SO_FAR, *TIMES_X), L, write=BLANK, to="wipe·")
    rules.on("wipe·", tuple("+-*"), L, write=BLANK, to="wipe")
    rules.halt("wipe·", BLANK)
