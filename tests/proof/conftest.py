"""The machines that the tests of extraction and proof share live with the former."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "states"))
