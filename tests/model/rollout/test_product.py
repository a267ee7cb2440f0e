"""The compiled product against the readable one, to the last bit, at awkward sizes."""

import numpy as np
import pytest
from numba import njit

from dfst.model.rollout.tile import BLOCKS, blocked, product
from dfst.model.rollout.transducer import in_order


@njit
def multiply(W, h, out):
    size = out.itemsize
    product(out.dtype.type(0), size, W.ctypes.data, h.ctypes.data, out.ctypes.data, len(h), len(out) * size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 12, 21, 108])
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 31, 33, 57, 64, 125])
def test_every_entry_is_a_sum_in_order(d, columns, dtype):
    rng = np.random.default_rng(100 * d + columns)
    matrices = rng.normal(size=(3, columns, d)).astype(dtype)
    h = rng.normal(size=d).astype(dtype)
    W = blocked(matrices)
    width = W.shape[1] // d
    assert width % (BLOCKS[-1] // W.itemsize) == 0
    for x in range(3):
        out = np.full(width, np.nan, dtype=dtype)
        multiply(W[x], h, out)
        assert out[:columns].tobytes() == in_order(matrices[x], h).tobytes()
        assert (out[columns:] == 0).all()


def test_what_is_not_finite_stays_so():
    matrices = np.zeros((1, 5, 3), dtype=np.float32)
    out = np.zeros(8, dtype=np.float32)
    multiply(blocked(matrices)[0], np.array([1, np.inf, 1], dtype=np.float32), out)
    assert np.isnan(out).all()
