"""The decorator for compiled functions that only other compiled functions call.

Leaving out what Python would need to call them, and their own files on disk, saves a third of the time to
compile. Flags are passed as np.int64 variables: a literal would be one more version to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def inner(function: Callable[..., Any]) -> Any:
    """Compile for calls from compiled code."""
    return njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")(function)
