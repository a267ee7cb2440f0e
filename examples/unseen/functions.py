"""Problems that had no part in the making of the recipe, as functions with a pen (`tools/unseen.py`)."""

import dfst


@dfst.teacher("01")
def complement(pen):
    """Every bit is turned."""
    while pen.read() != " ":
        pen.write("1" if pen.read() == "0" else "0")
        pen.move("R")


@dfst.teacher("01")
def gray(pen):
    """Binary to Gray code: each bit plus the bit before it."""
    before = "0"
    while pen.read() != " ":
        bit = pen.read()
        pen.write("0" if bit == before else "1")
        before = bit
        pen.move("R")


@dfst.teacher("01")
def decrement(pen):
    """One less; 0 stays 0."""
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() == "0":
        pen.write("1")
        pen.move("L")
    if pen.read() == "1":
        pen.write("0")


@dfst.teacher("012")
def increment3(pen):
    """One more, in base three."""
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() == "2":
        pen.write("0")
        pen.move("L")
    pen.write("1" if pen.read() in " 0" else "2")


@dfst.teacher("01")
def times_three(pen):
    """Three times a binary number, from its last digit."""
    carry = 0
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() != " " or carry:
        value = 3 * (pen.read() == "1") + carry
        pen.write(str(value % 2))
        carry = value // 2
        pen.move("L")


@dfst.teacher("ab")
def rotate(pen):
    """The first letter goes to the end."""
    first = pen.read()
    if first == " ":
        return
    pen.write(" ")
    pen.move("R")
    while pen.read() != " ":
        pen.move("R")
    pen.write(first)


@dfst.teacher("ab")
def swap_pairs(pen):
    """Letters change places two by two."""
    while True:
        first = pen.read()
        if first == " ":
            return
        pen.move("R")
        second = pen.read()
        if second == " ":
            return
        pen.write(first)
        pen.move("L")
        pen.write(second)
        pen.move("R")
        pen.move("R")


@dfst.teacher("ab", blank=".")
def delay(pen):
    """Every letter moves two places to the right."""
    one, two = ".", "."
    while pen.read() != "." or one != "." or two != ".":
        now = pen.read()
        pen.write(two)
        one, two = now, one
        pen.move("R")


@dfst.teacher("01x")
def bits_in_order(pen):
    """All zeros first: a one that stands before a zero changes places with it, again and again."""
    while True:
        while pen.read() == "0":
            pen.move("R")
        if pen.read() == " ":
            return
        pen.write("x")
        while pen.read() in "1x":
            pen.move("R")
        if pen.read() == " ":
            while pen.read() != "x":
                pen.move("L")
            pen.write("1")
            return
        pen.write("1")
        while pen.read() != "x":
            pen.move("L")
        pen.write("0")
        pen.move("R")


@dfst.teacher("()yn")
def brackets(pen):
    """Whether round brackets match, three deep at most: y or n behind them."""
    depth = 0
    while pen.read() != " ":
        if depth >= 0:
            depth += 1 if pen.read() == "(" else -1
            if depth > 3:
                depth = -1
        pen.move("R")
    pen.write("y" if depth == 0 else "n")


@dfst.teacher("abc#")
def erase_b(pen):
    """Every b is crossed out."""
    while pen.read() != " ":
        if pen.read() == "b":
            pen.write("#")
        pen.move("R")


@dfst.teacher("0123456789")
def nines(pen):
    """The nines' complement of a decimal number."""
    while pen.read() != " ":
        pen.write(str(9 - int(pen.read())))
        pen.move("R")


@dfst.teacher("01234567")
def divide_by_five(pen):
    """An octal number by five, digit by digit; the remainder is forgotten."""
    rest = 0
    while pen.read() != " ":
        value = 8 * rest + int(pen.read())
        pen.write(str(value // 5))
        rest = value % 5
        pen.move("R")


@dfst.teacher("dnqcs")
def vending(pen):
    """Dimes, nickels and quarters: coffee (c) once 30 cents are in, swallowed (s) until then."""
    cents = 0
    while pen.read() != " ":
        cents += {"n": 5, "d": 10, "q": 25}[pen.read()]
        if cents >= 30:
            pen.write("c")
            cents -= 30
        else:
            pen.write("s")
        pen.move("R")


@dfst.teacher("UDux")
def elevator(pen):
    """A lift of four floors that is called up and down: u where it moves, x at either end."""
    floor = 0
    while pen.read() != " ":
        wanted = floor + (1 if pen.read() == "U" else -1)
        if 0 <= wanted <= 3:
            floor = wanted
            pen.write("u")
        else:
            pen.write("x")
        pen.move("R")
