"""Regular expressions against Python's own, and the members a language is asked for."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dfst.errors import InputError
from dfst.languages import parse

ALPHABET = ("a", "b", "+", "λ")
BLANK = 3
SHORT = [word for length in range(5) for word in product(range(len(ALPHABET)), repeat=length)]


def language(pattern):
    return parse(pattern, ALPHABET, BLANK)


def as_python(pattern):
    """The same pattern as the `re` module writes it."""
    outside = re.sub(r"(?<!\\)\.", "[^λ]", pattern.replace("_", "λ"))
    return re.compile(outside.replace("[^ab]", "[^abλ]"))


PATTERNS = [
    "a+b+", "(ab)*", "", "a|b|", "(a|b)*a(a|b){2}", "a{2}", "a{1,3}b{0,1}", "a{2,}", "[ab]+\\+[ab]+", ".",
    ".*_", "[^ab]", "[a-b]?", "(a*b)*", "((a|b)\\+)*", "a(b(a(b)?)?)?", "[+]", "[b+a]", "(a{2}|b{3})*",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_means_what_it_means_elsewhere(pattern):
    mine, theirs = language(pattern), as_python(pattern)
    for word in SHORT:
        assert mine.accepts(word) == bool(theirs.fullmatch("".join(ALPHABET[s] for s in word))), word


def expressions():
    atoms = st.sampled_from(["a", "b", "\\+", "[ab]", ".", "_", "[a-b]", "()"])

    def grow(inner):
        marks = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"])
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
            st.tuples(inner, marks).map(lambda two: f"({two[0]}){two[1]}"),
        )

    return st.recursive(atoms, grow, max_leaves=8)


@given(pattern=expressions())
def test_random_patterns_mean_what_they_mean_elsewhere(pattern):
    mine, theirs = language(pattern), as_python(pattern)
    for word in SHORT[:: 1 + len(SHORT) // 120]:
        assert mine.accepts(word) == bool(theirs.fullmatch("".join(ALPHABET[s] for s in word)))
    members = [mine.text(word) for word in SHORT if mine.accepts(word)]
    assert [text for text in mine.shortest(len(members) + 1) if len(text) < 5] == members


def test_equal_languages_have_equal_tables():
    assert language("(a|b)*").same_as(language("(a*b*)*"))
    assert language("a(ba)*").same_as(language("(ab)*a"))
    assert not language("a*").same_as(language("a+"))
    assert len(language("(a|b)*a(a|b)").table) == 4  # the smallest there is


@pytest.mark.parametrize("pattern", ["a+b+", "(ab)*", "(a|b)*a(a|b){2}", "a{2}|b{7}", ".*"])
def test_members(pattern):
    mine, rng = language(pattern), np.random.default_rng(0)
    first = mine.shortest(50)
    assert [len(text) for text in first] == sorted(len(text) for text in first)
    assert len(set(first)) == len(first)
    for length in (0, 1, 2, 7, 30, 500):
        text = mine.sample(rng, length)
        assert mine.accepts([ALPHABET.index(s) for s in text])


def test_members_of_a_length_are_equally_likely():
    mine, rng = language("a+b+|(ab)+"), np.random.default_rng(0)
    drawn = Counter(mine.sample(rng, 6) for _ in range(3_000))
    assert set(drawn) == {"abbbbb", "aabbbb", "aaabbb", "aaaabb", "aaaaab", "ababab"}
    assert min(drawn.values()) > 400


def test_the_nearest_length_is_taken_where_there_is_none():
    rng = np.random.default_rng(0)
    assert language("(ab)*").sample(rng, 7) in ("ab" * 3, "ab" * 4)
    assert language("a{2}|b{9}").sample(rng, 100) == "b" * 9
    with pytest.raises(InputError, match="length"):
        language("a*").sample(rng, -1)


def test_symbols_with_long_names_are_parted_by_spaces():
    mine = parse("a+", ("a", "zero", "λ"), 2)
    assert mine.shortest(2) == ["a", "a a"]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("a**", "a repetition of a repetition"),
        ("a+?", "a repetition of a repetition"),
        ("(a", "a ( that is not closed"),
        ("a)", "a ) that closes nothing"),
        ("[a", "a [ that is not closed"),
        ("a]", "']' that closes nothing"),
        ("^a", "the anchor '^'"),
        ("a$", "the anchor '$'"),
        ("\\d", "the escape \\d"),
        ("a\\", "the escape \\"),
        ("x", "the unknown symbol 'x'; the symbols are a b + λ"),
        ("*", "'*' with nothing to repeat"),
        ("a{x}", "a { that is not a number of times"),
        ("a{3,2}", "a range {3,2} that ends before it begins"),
        ("(?:a)", "a group that begins with ?"),
        ("[x-z]", "a range x-z without symbols"),
        ("[^ab+]", "no symbol fits"),
        ("(a|b)*a(a|b){12}", "more than 500 states"),
        ("((a{99}){99}){99}", "more than 10,000 states"),
        ("((((){999}){999}){999}){999}", "more than 10,000 states"),
        ("(" * 60 + ")" * 60, "more than 50 brackets"),
        ("a" * 2_000, "at most 1,000 characters"),
    ],
)
def test_what_is_no_pattern_is_told_in_one_line(pattern, says):
    with pytest.raises(InputError) as told:
        language(pattern)
    assert says in str(told.value)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 200
