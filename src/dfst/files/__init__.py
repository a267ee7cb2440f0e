"""Files: written all or nothing, by one process at a time (atomic), JSON and tensors with checksums
(sealed, tensors), fetched from the Hub and sent there (hub).

Tensors are imported from their own module: they need numpy and safetensors, a short command does not.
"""

from dfst.files.atomic import hold_folder, write_atomically, write_json

__all__ = ["hold_folder", "write_atomically", "write_json"]
