"""Cases that are tried by `make evidence` only."""

from __future__ import annotations

import pytest


def slow(*cases: object) -> list[object]:
    """These cases of a parametrised test, marked slow; a tuple is one case of several arguments."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]
