"""Two machines that say what they accept are the same only if they accept the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dfst
from dfst.machines.formats import parse_machine
from dfst.proof import ends
from dfst.proof.certificate import recheck, save_proof
from dfst.proof.ends import ONLY_ACTIONS, comparable, ends_as_actions

EVEN = """
blank: ' '
start state: even
table:
  even: {a: {R: odd}, ' ': {N: accept}}
  odd: {a: {R: even}, ' ': {N: reject}}
  accept:
  reject:
"""
ODD = EVEN.replace("N: accept", "N: x").replace("N: reject", "N: accept").replace("N: x", "N: reject")
SILENT = EVEN.replace("accept", "done").replace("reject", "over")


def read(text, name):
    return parse_machine(text, name=name)


@pytest.mark.parametrize("language", [None, "a*"])
def test_machines_that_accept_otherwise_are_told_apart(language):
    even, odd = read(EVEN, "even"), read(ODD, "odd")
    assert even.same_table(odd), "they act alike"
    verdict = dfst.prove(even, odd, language)
    assert verdict.strength == "refuted"
    assert verdict.counterexample.input == ""
    assert "accepted in state accept by even, rejected in state reject by odd" in verdict.sentence()
    assert dfst.prove(even, read(EVEN, "again"), language).strength == "proved"


def test_who_says_nothing_of_acceptance_is_held_to_actions():
    even, silent = read(EVEN, "even"), read(SILENT, "silent")
    verdict = dfst.prove(silent, even, "a*")
    assert verdict.strength == "proved"
    assert ONLY_ACTIONS in verdict.assumptions
    again = dfst.prove(even, silent)
    assert again.strength == "proved"
    assert ONLY_ACTIONS in again.assumptions
    model = dfst.prove(dfst.compile(even), even, "a*")
    assert model.strength == "proved"
    assert ONLY_ACTIONS in model.assumptions
    assert ONLY_ACTIONS not in dfst.prove(even, even, "a*").assumptions


def test_an_end_that_says_neither_is_named():
    even, partly = read(EVEN, "even"), read(EVEN.replace("accept", "done"), "partly")
    verdict = dfst.prove(even, partly)
    assert verdict.strength == "proved"
    assert ends.SILENT in verdict.assumptions
    assert ends.SILENT not in dfst.prove(even, even).assumptions


def test_a_rejection_takes_one_more_step():
    even = read(EVEN, "even")
    shown = ends_as_actions(even)
    for text in ("", "a", "aa", "aaa"):
        run, more = even.run(text), shown.run(text)
        assert more.steps == run.steps + (run.accepted is False)
        assert (more.answer, more.accepted) == (run.answer, None)
    assert comparable(even, read(SILENT, "silent"))[0].same_table(even)


def test_a_stored_proof_is_about_acceptance_too(tmp_path):
    even, odd = read(EVEN, "even"), read(ODD, "odd")
    verdict = dfst.prove(even, read(EVEN, "again"), "a*")
    save_proof(verdict.proof, tmp_path / "proof.json")
    assert recheck(tmp_path / "proof.json", even, read(EVEN, "again"), "a*")["steps"] is None
    with pytest.raises(dfst.InputError, match="another machine"):
        recheck(tmp_path / "proof.json", even, odd, "a*")


BY_STATE = """
blank: ' '
start state: none
table:
  none: {a: {R: one}, b: {R: dead}, ' ': {N: reject}}
  one: {a: {R: dead}, b: {R: both}, ' ': {N: reject}}
  both: {a: {R: dead}, b: {R: dead}, ' ': {N: accept}}
  dead: {[a, b]: R, ' ': {N: reject}}
  accept:
  reject:
"""
BY_LACK = """
blank: ' '
start state: none
table:
  none: {a: {R: one}}
  one: {b: {R: both}}
  both: {' ': {N: accept}}
  accept:
"""


def lacking(text, name):
    return replace(read(text, name), stuck_rejects=True)


def test_automata_are_compared_by_their_languages(tmp_path):
    """One rejects by a state, the other by a rule that is missing."""
    by_state, by_lack = read(BY_STATE, "state"), lacking(BY_LACK, "lack")
    verdict = dfst.prove(by_state, by_lack)
    assert verdict.strength == "proved"
    assert ends.LANGUAGES in verdict.assumptions
    save_proof(verdict.proof, tmp_path / "proof.json")
    assert recheck(tmp_path / "proof.json", by_state, by_lack)["steps"] is None
    more = BY_LACK.replace("both: {", "both: {b: {R: both}, ")
    verdict = dfst.prove(by_state, lacking(more, "more"))
    assert (verdict.strength, verdict.counterexample.input) == ("refuted", "abb")
