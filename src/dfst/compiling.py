"""How functions of several files are compiled together: quickly, and never out of date on disk.

`inner` is for functions that only compiled functions call, which saves a third of the time to compile. Their
flags are np.int64 variables: a literal would be one more version to compile. numba looks only at a function's
own file to see whether what it has on disk is still right. An outermost function therefore closes over
`sources` of the other files it is made of: what it closes over is part of its key.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

_njit: Any = numba.njit  # its stubs leave out the two options about wrappers


def inner(function: Callable[..., Any]) -> Any:
    """Compile for calls from compiled code."""
    return _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")(function)


def sources(*modules: ModuleType) -> int:
    """A number that changes with the text of these modules."""
    texts = [Path(module.__file__ or "").read_bytes() for module in modules]
    return int.from_bytes(hashlib.sha256(b"".join(texts)).digest()[:6], "little")
