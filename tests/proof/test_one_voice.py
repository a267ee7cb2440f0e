"""Every "proved" is what the checker said of a written proof, and two that differ are never called alike.

Each pair here was called proved once, by code beside the checker.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from forging import check_weights

import dfst
from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.machines.formats import parse_machine
from dfst.machines.rulebook import RuleBook
from dfst.model import compile_agent
from dfst.model.weights import Provenance
from dfst.proof import Rejected, save_proof
from dfst.proof.certificate import recheck, to_bytes
from dfst.proof.checker import check, sentence, strength
from dfst.proof.ends import ONLY_ACTIONS
from dfst.world.grid import R

ACCEPTS = """
blank: ' '
start state: read
table:
  read: {a: {R: read}, b: {R: read}, ' ': {N: accept}}
  accept:
"""
REJECTS_B = """
blank: ' '
start state: read
table:
  read: {a: {R: read}, b: {R: seen}, ' ': {N: accept}}
  seen: {a: {R: seen}, b: {R: seen}}
  accept:
"""


def read(text, name):
    return parse_machine(text, "turingmachine.io", name)


def walker(name="walker", last="1", layout="first", blank="0"):
    """Walks over ones and halts on the blank."""
    rules = RuleBook(("0", "1"), blank=blank)
    rules.on("walk", "1", R)
    rules.halt("walk", "0", write=last)
    return rules.agent(name, layout=layout)


def test_one_accepts_what_the_other_rejects_for_lack_of_a_rule():
    one, two = read(ACCEPTS, "accepts"), read(REJECTS_B, "rejects b")
    verdict = dfst.prove(one, two)
    assert (verdict.strength, verdict.equivalent) == ("refuted", False)
    assert verdict.counterexample.input == "b"
    assert (one.run("b").accepted, two.run("b").accepted) == (True, False)


def test_a_deleted_rule_is_a_difference_with_and_without_a_language():
    machine = read(ACCEPTS, "whole")
    following = machine.next.copy()
    following[0, machine.alphabet.index("b")] = MISSING
    less = replace(machine, name="less", next=following)
    for language in (None, "[ab]*"):
        for one, two in ((machine, less), (less, machine)):
            assert dfst.prove(one, two, language).strength == "refuted"


def test_a_rule_missing_beyond_the_inputs_tried_is_no_agreement():
    """Twenty-six symbols deep the one stops and the other goes on: the refuter does not get there."""
    rules = RuleBook(("a", "b", "_"), blank="_")
    for place in range(26):
        rules.on(f"q{place}", "a", R, to=f"q{place + 1}")
        rules.halt(f"q{place}", ("b", "_"))
    for symbol in "ab_":
        rules.halt("q26", symbol)
    whole = rules.agent("whole")
    following = whole.next.copy()
    following[26, 1] = MISSING
    less = replace(whole, name="less", next=following)
    for language in (None, "[ab]*"):
        assert dfst.prove(whole, less, language).strength != "proved"
    # A model goes on where its reference stops: said as a condition, by both commands.
    verdict = dfst.prove(compile_agent(whole), less, "[ab]*")
    assert (verdict.strength, verdict.equivalent) == ("conditional", None)
    assert verdict.condition == "it is not excluded that the reference lacks (q26, b)"
    assert "as long as that has a rule" in verdict.claim()
    assert verdict.as_json()["condition"] == verdict.condition


def test_other_blanks_are_other_machines():
    with pytest.raises(InputError, match=r"blank '0'.*blank '1'"):
        dfst.prove(walker(), walker("other", blank="1"))


def test_other_starts_are_other_questions():
    with pytest.raises(InputError, match=r"starts on the first cell .* on the last"):
        dfst.prove(walker(), walker("last", layout="last"))


def test_a_machine_without_rules_does_not_do_what_bb5_does():
    bb5 = dfst.load("bb5")
    empty = replace(bb5, name="empty", next=np.full_like(bb5.next, MISSING))
    assert dfst.prove(empty, bb5).strength == "refuted"
    assert dfst.prove(bb5, empty).strength == "refuted"
    assert dfst.prove(bb5, bb5).strength == "proved"


def test_the_references_start_counts_for_models_too(tmp_path):
    agent = expert("add2")
    weights, elsewhere = compile_agent(agent), replace(agent, name="elsewhere", task=None, layout="first")
    with pytest.raises(InputError, match="starts on the operator cell"):
        dfst.prove(weights, elsewhere)
    save_proof(dfst.prove(weights, agent).proof, tmp_path / "proof.json")
    with pytest.raises(InputError, match="starts on the operator cell"):
        recheck(tmp_path / "proof.json", weights, elsewhere)


def test_to_reject_for_lack_of_a_rule_is_not_to_fail_for_lack_of_it():
    rejects = read(REJECTS_B, "rejects")
    fails = replace(rejects, name="fails", stuck_rejects=False)
    verdict = dfst.prove(rejects, fails)
    assert (verdict.strength, verdict.counterexample.input) == ("refuted", "b")
    assert dfst.prove(rejects, replace(rejects, name="again")).strength == "proved"
    silent = replace(fails, ends=(), end=None)
    assert ONLY_ACTIONS in dfst.prove(rejects, silent).assumptions


def test_a_name_that_could_be_several_symbols_is_not_read_as_either():
    def machine(name, written):
        rules = RuleBook(("a", "b", "ab", "_"), blank="_")
        rules.on("read", ("a", "b"), R)
        rules.on("read", "ab", R, write=written)
        rules.halt("read", "_")
        return rules.agent(name)

    one, two = machine("one", "a"), machine("two", "b")
    verdict = dfst.prove(one, two, "a+b+")
    assert "on every input that matches a+b+, its symbols parted by spaces" in verdict.sentence()
    assert one.run("a b").answer == two.run("a b").answer
    with pytest.raises(InputError, match="as one symbol or as 2; give ' ab' or 'a b'"):
        one.run("ab")
    refuted = dfst.prove(one, two)
    assert refuted.counterexample.input == " ab"
    assert one.run(" ab").answer != two.run(" ab").answer


def test_how_a_model_was_learnt_is_no_part_of_the_claim():
    agent = expert("parity")
    weights = replace(compile_agent(agent), name="parity", provenance=Provenance(samples=2))
    verdict = dfst.prove(weights, agent)
    assert "examples" not in verdict.claim()
    assert verdict.sentence().endswith("; learnt from 2 examples)")
    assert verdict.as_json()["examples"] == 2


@pytest.mark.parametrize("name", ["add2", "sort3", "sum2"])
def test_what_is_said_is_what_the_checker_says(name):
    agent = expert(name)
    total = replace(
        agent, name="total", next=np.where(agent.next == MISSING, HALT, agent.next).astype(np.int32)
    )
    for subject in (agent, total):
        verdict = dfst.prove(subject, agent)
        shown = check(to_bytes(verdict.proof))
        assert (verdict.shown, verdict.strength) == (shown, strength(shown))
        said = sentence(shown | {"subject": subject.name, "reference": agent.name})
        assert verdict.claim() == said


@pytest.mark.parametrize(
    "nothing",
    [{"accepting": []}, {"accepting": [7]}, {"head": [[5, 1, 1]]}, {"head": [[0, 1, 9]]}],
)
def test_a_proof_about_no_input_is_refused(nothing):
    """With the true hash of a model that does nothing right, and an empty set of inputs, it was accepted."""
    weights = compile_agent(expert("parity"))
    proof = dfst.prove(weights, expert("parity")).proof
    assert check_weights(proof, weights)
    empty = copy.deepcopy(proof)
    empty["inputs"].update(nothing)
    with pytest.raises(Rejected, match="there is no input"):
        check_weights(empty, weights)
