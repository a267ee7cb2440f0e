"""One of a thing has no s."""

import pytest

from dfst.counted import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 states"), (1, "1 state"), (2, "2 states"), (4098, "4,098 states")]
)
def test_one_is_no_plural(number, words):
    assert counted(number, "state") == words
