"""Products of a few rows: against numpy, and with the same bits whatever the tiles."""

from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from dfst.compiling import inner
from dfst.model.rollout import tile

ROWS = 9


def compiled(multiply: Any) -> Any:
    @njit(nogil=True)
    def run(a, of, b, c, to, rows, fresh):
        size = np.int64(a.itemsize)
        multiply(
            a.dtype.type(0), size, np.int64(a.ctypes.data), a.shape[1] * size, size, np.int64(of.ctypes.data),
            np.int64(b.ctypes.data), b.shape[1] * size,
            np.int64(c.ctypes.data), c.shape[1] * size, np.int64(to.ctypes.data),
            rows, np.int64(b.shape[0]), np.int64(b.shape[1]), fresh,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def versions() -> list[Any]:
    """`multiply` with the tiles of a machine that has few registers and of one that has many: this is one."""
    found, of_this_machine = [compiled(tile.multiply)], tile.WIDEST
    try:
        for widest in ([64, 64, 32, 16, 16], [64] * 5):
            if widest != of_this_machine.tolist():
                tile.WIDEST = np.array(widest)
                found.append(compiled(inner(tile.multiply.py_func)))
                product(found[-1], np.float32, 4, 4, 1)  # numba takes a global's value when it compiles
                product(found[-1], np.float64, 4, 4, 1)
    finally:
        tile.WIDEST = of_this_machine
    assert len(found) == 2
    return found


def product(run: Any, dtype: Any, depth: int, columns: int, rows: int, fresh: int = 1) -> NDArray[Any]:
    rng = np.random.default_rng([depth, columns, rows])
    a, b = (
        rng.standard_normal((ROWS, depth)).astype(dtype),
        rng.standard_normal((depth, columns)).astype(dtype),
    )
    c, of, to = np.ones((ROWS, columns), dtype), rng.permutation(ROWS), rng.permutation(ROWS)
    expected = c.astype(np.float64)
    expected[to[:rows]] = a[of[:rows]].astype(np.float64) @ b + (0 if fresh else expected[to[:rows]])
    run(a, of, b, c, to, np.int64(rows), np.int64(fresh))
    np.testing.assert_allclose(c, expected, atol=1e-4 if dtype == np.float32 else 1e-12)
    return c


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 80, 96, 112, 128])
def test_every_width_and_number_of_rows(versions: list[Any], columns: int, dtype: Any) -> None:
    for rows in range(ROWS + 1):
        for fresh in (0, 1):
            first, *others = (product(run, dtype, 7, columns, rows, fresh) for run in versions)
            for other in others:
                np.testing.assert_array_equal(other, first)


def test_what_is_padded() -> None:
    assert [tile.padded(n) for n in (1, 4, 5, 40, 41, 48, 49, 64, 127)] == [4, 4, 8, 40, 48, 48, 64, 64, 128]
