"""dfst prove --language, as a person types it."""

from __future__ import annotations

import pytest

WITHOUT_C = """
blank: '_'
start state: out
table:
  out:
    [a, b]: R
    _: {L: back}
  back:
    a: {write: b, L: back}
    b: L
    _: {R: done}
  done:
"""
"""Writes b over every a."""
KEEPS_C = WITHOUT_C.replace("[a, b]: R", "[a, b, c]: R").replace("    b: L", "    [b, c]: L")
TURNS_C = KEEPS_C.replace("[b, c]: L", "b: L\n    c: {write: a, L: back}")


@pytest.fixture
def machines(tmp_path):
    """Files of three machines; the last two differ only where no word of a*b* leads."""
    for name, text in (("one", WITHOUT_C), ("two", KEEPS_C), ("three", TURNS_C)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def test_prove_and_check(dfst, machines):
    two, three, file = machines / "two.yaml", machines / "three.yaml", machines / "proof.json"
    words = ["prove", two, "--against", three, "--language"]
    done = dfst(*words, "a*b*", "--out", file)
    assert done.status == 0
    assert "on every input that matches a*b* (" in done.out
    accepted = dfst(*words, "a*b*", "--check", file)
    assert accepted.status == 0
    assert "on every input that matches a*b* (" in accepted.out
    assert dfst(*words, "(a|b)*", "--check", file).status == 2
    assert dfst("prove", two, "--against", three, "--check", file).status == 2


def test_a_stored_proof_rests_on_what_a_new_one_does(dfst, machines):
    """Only one of the two says what it accepts: --check did not tell that acceptance was not compared."""
    says, file = machines / "says.yaml", machines / "proof.json"
    says.write_text(KEEPS_C.replace("done", "accept"))
    words = ["prove", says, "--against", machines / "two.yaml", "--language", "a*b*"]
    made, checked = dfst(*words, "--out", file), dfst(*words, "--check", file)
    assumed = [[line for line in done.out.splitlines() if "assumed:" in line] for done in (made, checked)]
    assert assumed[0] == assumed[1]
    assert "which inputs are accepted is compared only as far as it shows in actions" in assumed[0][-1]


def test_a_counterexample_matches(dfst, machines):
    done = dfst("prove", machines / "two.yaml", "--against", machines / "three.yaml", "--language", "a*c?b*")
    assert done.status == 1
    assert "the shortest counterexample is c " in done.out


@pytest.mark.parametrize(
    ("pattern", "says"),
    [("a**", "a repetition of a repetition"), ("x", "unknown symbol 'x'"), ("(", "a ( that is not closed")],
)
def test_a_pattern_that_is_none(dfst, machines, pattern, says):
    done = dfst("prove", machines / "two.yaml", "--against", machines / "two.yaml", "--language", pattern)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_other_alphabets_are_refused(dfst, machines):
    done = dfst("prove", machines / "one.yaml", "--against", machines / "two.yaml", "--language", "a*")
    assert done.status == 2
    assert "alphabets" in done.err
