"""Files: written all or nothing, tensors with checked headers, folders held by one process at a time."""

from dfst.files.atomic import write_atomically, write_json
from dfst.files.lock import hold_folder
from dfst.files.tensors import TensorFormat, read_tensors, tensors_from_bytes, tensors_to_bytes, write_tensors

__all__ = [
    "TensorFormat",
    "hold_folder",
    "read_tensors",
    "tensors_from_bytes",
    "tensors_to_bytes",
    "write_atomically",
    "write_json",
    "write_tensors",
]
