"""One of a thing has no s."""

import pytest

from dfst.counted import all_of, counted, listed


@pytest.mark.parametrize(
    ("number", "words", "all_words"),
    [
        (0, "0 states", "all 0 states"),
        (1, "1 state", "the only state"),
        (2, "2 states", "all 2 states"),
        (4098, "4,098 states", "all 4,098 states"),
    ],
)
def test_one_is_no_plural(number, words, all_words):
    assert counted(number, "state") == counted(number, "states") == words
    assert all_of(number, "state") == all_words


def test_inputs_on_one_line():
    assert listed(["ab", "", "x\ny"]) == "ab  (blank)  x\\ny"
