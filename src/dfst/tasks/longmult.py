"""Long multiplication as it is written on squared paper, at radix 2 and 10.

123×45      a line below the numbers,
----        then a row for each digit of the second: the first times its digits up to there, which ends below
__492       the digit. The last row is the product.
__5535
"""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from dfst.tasks.numbers import DIGITS, to_digits, to_int
from dfst.tasks.plane import PlaneTask, Rows, plane_task


def sheet(rows: Rows, radix: int) -> Rows:
    """The finished sheet, by Python's integers."""
    a, b = rows[0].split("×")
    products = [to_digits(to_int(a, radix) * to_int(b[:k], radix), radix) for k in range(1, len(b) + 1)]
    worked = [text.rjust(len(a) + 1 + k, "_") for k, text in enumerate(products, 1)]
    return [row.ljust(len(rows[0]), "_") for row in (rows[0], "-" * (len(a) + 1), *worked)]


def _longmult(radix: int) -> PlaneTask:
    digits = DIGITS[:radix]
    top = digits[-1]

    def drawn(rng: np.random.Generator, first: int, second: int) -> Rows:
        return ["×".join("".join(rng.choice(list(digits), size=n)) for n in (first, second))]

    def special(length: int) -> Mapping[str, Rows]:
        n = max(1, length)
        return {
            "carry chain": [f"{top * n}×{top * n}"],
            "zeros": [f"{'0' * n}×{'0' * n}"],
            "a number and zero": [f"{top * n}×0"],
            "leading zeros": [f"{'1'.zfill(n)}×{'1'.zfill(n)}"],
            "a power of the radix": [f"{top * n}×{'1'.ljust(n, '0')}"],
            "one digit": [f"{top}×{top * n}"],
        }

    def shaped(first: int, second: int) -> Iterator[Rows]:
        for text in map("".join, product(digits, repeat=first + second)):
            yield [f"{text[:first]}×{text[first:]}"]

    return plane_task(
        f"longmult{radix}", "the product, worked on squared paper", digits + "×",
        lambda rows: sheet(rows, radix), "110×11" if radix == 2 else "123×45", drawn, special, others="-",
        pattern=f"[{digits}]+×[{digits}]+", form="two numbers with × between", shaped=shaped, unit="digits",
    )  # fmt: skip


LONGMULT = {radix: _longmult(radix) for radix in (2, 10)}
