"""A teacher in Python: doubles a binary number by writing a 0 behind it. Try

dfst run examples/double.py:double 101
dfst learn examples/double.py:double --language '1[01]*' --out runs/double
"""

import dfst


@dfst.teacher("01", blank=" ")
def double(pen):
    while pen.read() != " ":
        pen.move("R")
    pen.write("0")
