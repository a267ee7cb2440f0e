"""Arrays inside JSON: type, shape, and their bytes, compressed."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """An array as a JSON object."""
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 6)).decode()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def unpacked(entry: dict[str, Any]) -> NDArray[Any]:
    """The array again."""
    data = zlib.decompress(base64.b64decode(entry["data"]))
    return np.frombuffer(data, dtype=entry["dtype"]).reshape(entry["shape"])
