"""Files: written all or nothing (atomic), held by one process (lock), JSON and tensors with checksums
(sealed, tensors), fetched from the Hub and sent there (hub).

Tensors are imported from their own module: they need numpy and safetensors, a short command does not.
"""

from dfst.files.atomic import write_atomically, write_json
from dfst.files.lock import hold_folder

__all__ = ["hold_folder", "write_atomically", "write_json"]
