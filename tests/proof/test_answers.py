"""What the experts compute is proved: for all a and b. And the checker of it is attacked."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from evidence import slow

import dfst
from dfst.errors import DfstError
from dfst.experts.registry import expert
from dfst.machines.agent import HALT, MISSING
from dfst.model.compile import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, Unreadable, prove
from dfst.proof.answer_checker import Claim, check_answer
from dfst.proof.answers import explained_answer
from dfst.proof.certificate import sealed, to_bytes
from dfst.proof.checker import check
from dfst.proof.reading import PATIENT, Work
from dfst.tasks.numbers import DIGITS
from dfst.world.grid import Limits

ANSWERS = {"add": "a+b", "mult": "a×b", "sub": "a-b", "compare": "the sign of a-b", "increment": "a+1"}


def table(agent):
    return [part.astype(np.int32) for part in (agent.write, agent.motion, agent.next)]


def accepts(claim, agent, rules=None):
    try:
        check_answer(claim, rules or table(agent), list(agent.alphabet), agent.blank, Work(1 << 24))
    except Rejected:
        return False
    return True


def proved_answer(name):
    """What an expert computes, once the checker has accepted why."""
    agent = expert(name)
    claim = explained_answer(agent)
    check_answer(claim, table(agent), list(agent.alphabet), agent.blank, Work(PATIENT))
    return claim["computes"]


def with_rules(agent, rules):
    parts = zip(("write", "motion", "next"), rules, strict=True)
    return replace(agent, **{name: part.astype(getattr(agent, name).dtype) for name, part in parts})


def operands(agent, rng, longest=6):
    lengths = rng.integers(1, longest, size=1 if agent.task.operator is None else 2)
    return tuple("".join(DIGITS[d] for d in rng.integers(0, agent.task.radix, size=n)) for n in lengths)


def is_right(agent, rng, count):
    """Whether the agent answers as Python's integers do, leading zeros among the inputs."""
    for _ in range(count):
        given = operands(agent, rng)
        try:
            run = agent.run(agent.task.write(given), Limits(steps=20_000))
        except DfstError:
            return False
        if run.answer != agent.task.solve(given):
            return False
    return True


def mutations(agent, rng, count):
    """Tables with one rule that writes, moves or goes on otherwise."""
    rules = np.argwhere(agent.next != MISSING)
    for q, x in rules[rng.permutation(len(rules))[:count]].tolist():
        part = int(rng.integers(3))
        if part == 1 and agent.next[q, x] == HALT:
            part = 0
        others = [range(len(agent.alphabet)), range(4), [HALT, *range(len(agent.states))]][part]
        changed = table(agent)
        changed[part][q, x] = rng.choice([other for other in others if other != changed[part][q, x]])
        yield changed


@pytest.mark.parametrize("radix", [2, 3, 10])
@pytest.mark.parametrize("family", ["add", "sub", "compare", "increment"])
def test_every_expert_ends_with_its_answer(family, radix):
    assert proved_answer(f"{family}{radix}") == ANSWERS[family]


@pytest.mark.parametrize("name", ["mult2", "mult3"])
def test_multiplication(name):
    assert proved_answer(name) == "a×b"


@pytest.mark.slow
@pytest.mark.parametrize("radix", range(2, 37))
@pytest.mark.parametrize("family", ANSWERS)
def test_every_radix(family, radix):
    assert proved_answer(f"{family}{radix}") == ANSWERS[family]


def test_a_model_inherits_the_answer_of_its_expert():
    weights = compile_agent(expert("add3"))
    verdict = prove(weights, expert("add3"))
    assert (verdict.strength, verdict.answer) == ("proved", "a+b")
    assert verdict.claim().endswith("for all a and b (leading zeros allowed): it ends, and writes a+b")
    shown = check(to_bytes(verdict.proof), weights_bytes(weights))
    assert (shown["answer"], shown["ends"]) == ("a+b", True)
    assert prove(expert("sort2"), expert("sort2")).answer is None


def test_a_machine_of_the_task_that_is_not_the_expert_has_no_answer():
    agent = expert("add2")
    changed = with_rules(agent, next(mutations(agent, np.random.default_rng(0), 1)))
    assert explained_answer(changed) is None


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("increment3", 60),
        ("add3", 40),
        ("sub2", 40),
        *slow(("add3", 400), ("sub2", 400), ("compare3", 60), ("mult2", 100)),
    ],
)
def test_whatever_machine_is_accepted_is_right(name, count):
    agent, rng = expert(name), np.random.default_rng(1)
    claim = explained_answer(agent)
    accepted = [rules for rules in mutations(agent, rng, count) if accepts(claim, agent, rules)]
    assert len(accepted) < count / 4
    assert all(is_right(with_rules(agent, rules), rng, 100) for rules in accepted)


def _mutated(claim, rng):
    """A claim with one shape that says something else."""
    claim = copy.deepcopy(claim)
    shape = claim["shapes"][rng.integers(len(claim["shapes"]))]
    kind = int(rng.integers(6))
    if kind == 0:
        polynomial = shape["kept"][0]
        key = rng.choice([*polynomial, ""])
        polynomial[key] = polynomial.get(key, 0) + int(rng.choice([-1, 1]))
    elif kind == 1:
        shape["rank"] = [{"": int(rng.integers(20))} for _ in shape["rank"]]
    elif kind == 2:
        claim["shapes"].remove(shape)
    elif kind == 3:
        shape["bound"] = {"": int(rng.choice([-1, 1]))}
    else:
        pieces = shape[("left", "right")[rng.integers(2)]]
        if pieces:
            piece = pieces[rng.integers(len(pieces))]
            if kind == 4:
                piece[2] = not piece[2]
            else:
                piece[1][rng.integers(len(piece[1]))] = str(rng.choice(list("01λ")))
    return claim


@pytest.mark.parametrize(
    ("name", "count"), [("add2", 12), ("increment10", 30), *slow(("add2", 60), ("sub2", 60))]
)
def test_no_claim_makes_a_wrong_machine_right(name, count):
    agent, rng = expert(name), np.random.default_rng(2)
    claim, tried = explained_answer(agent), 0
    for rules in mutations(agent, rng, count):
        if not is_right(with_rules(agent, rules), rng, 30):
            tried += 1
            assert not any(accepts(_mutated(claim, rng), agent, rules) for _ in range(4))
    assert tried > count / 6


def _all_shapes(change):
    def forge(claim):
        for shape in claim["shapes"]:
            change(shape)

    return forge


FORGERIES = {
    "another answer": lambda claim: claim.update(computes="a×b"),
    "another radix": lambda claim: claim.update(radix=3),
    "no shapes": lambda claim: claim["shapes"].clear(),
    "only the start": lambda claim: claim["shapes"].__delitem__(slice(1, None)),
    "no rank": _all_shapes(lambda shape: shape.update(rank=[])),
    "all of one rank": _all_shapes(lambda shape: shape.update(rank=[{}])),
    "a rank below zero": _all_shapes(lambda shape: shape.update(rank=[{"": -1}])),
    "a rank of values": _all_shapes(lambda shape: shape.update(rank=[{"h@0": 1}])),
    "nothing can be": _all_shapes(lambda shape: shape.update(bound={"": -1})),
    "nothing is kept": _all_shapes(lambda shape: shape.update(kept=[{}])),
    "kept without end": _all_shapes(lambda shape: shape.update(kept=[])),
    "no rows": lambda claim: claim.update(rows=[-1, -2]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("name", ["add2", "sub2"])
def test_forged_claims_are_rejected(name, forgery):
    agent = expert(name)
    claim = copy.deepcopy(explained_answer(agent))
    FORGERIES[forgery](claim)
    with pytest.raises(Rejected):
        check_answer(claim, table(agent), list(agent.alphabet), agent.blank, Work(1 << 24))


def test_almost_every_shape_is_needed():
    agent = expert("add2")
    claim = explained_answer(agent)
    shapes = claim["shapes"]
    spare = [s for s in shapes if accepts({**claim, "shapes": [t for t in shapes if t is not s]}, agent)]
    assert not spare


SIGN, DIGIT, STRING = ["s", ["-"], False], ["n", ["01"], False], ["q", ["01"], True]


def ends(left, head, right, kept):
    """Check the end of a run of sub2 that halts on a grid of this shape."""
    agent = expert("sub2")
    nothing = {"computes": "a-b", "radix": 2, "rows": [0, 0], "shapes": []}
    claim = Claim(nothing, table(agent), list(agent.alphabet), agent.blank, Work(1 << 24))
    listed = {"state": 0, "row": 0, "left": left, "head": head, "right": right, "kept": [kept]}
    shape = claim.read({**listed, "bound": {}, "rank": []})
    claim.check_end(shape, shape.head, {})


@pytest.mark.parametrize(
    ("left", "head", "right", "kept"),
    [
        ([SIGN], ["1"], [STRING], {"R^q": -1, "q@0": -1}),
        ([], ["1"], [STRING], {"R^q": 1, "q@0": 1}),
        ([["b", ["λ"], True]], ["01"], [], {"h@0": 1}),
    ],
)
def test_answers_that_stand_on_the_grid(left, head, right, kept):
    ends(left, head, right, kept)


@pytest.mark.parametrize(
    ("left", "head", "right", "kept"),
    [
        ([["s", ["-"], True]], ["1"], [], {"": -1}),  # any number of signs
        ([SIGN], ["01"], [], {"h@0": -1}),  # minus zero
        ([], ["01"], [DIGIT], {"h@0": 2, "n@0": 1}),  # a leading zero
        ([], ["1"], [["g", ["λ"], False], DIGIT], {"": 4, "n@0": 1}),  # a gap
        ([DIGIT], ["-"], [], {"n@0": 1}),  # a sign behind
        ([], ["λ"], [STRING], {"q@0": 1}),  # perhaps nothing
        ([], ["1"], [], {"": -1}),  # another number
        ([], ["λ"], [], {}),  # nothing
    ],
)
def test_an_end_with_anything_else_is_refused(left, head, right, kept):
    with pytest.raises(Rejected):
        ends(left, head, right, kept)


@pytest.mark.parametrize("name", ["digit n", "next", "h", "R^n", ""])
def test_names_that_mean_something_are_refused(name):
    agent = expert("increment3")
    claim = copy.deepcopy(explained_answer(agent))
    text = json.dumps(claim).replace('["z", ', f'["{name}", ').replace("R^z", f"R^{name}")
    with pytest.raises(Rejected):
        check_answer(
            json.loads(text.replace("len z", f"len {name}")),
            table(agent), list(agent.alphabet), agent.blank, Work(1 << 24),
        )  # fmt: skip


def test_an_answer_goes_with_its_own_inputs():
    """A proof on part of the inputs must not borrow what is proved on all of them."""
    proof = copy.deepcopy(prove(expert("add2"), expert("add2")).proof)
    assert check(to_bytes(proof))["answer"] == "a+b"
    narrow = dfst.prove(expert("add2"), expert("add2"), "[01]+\\+1").proof
    assert check(to_bytes(narrow))["answer"] is None
    with pytest.raises(Rejected, match="about other inputs"):
        check(to_bytes(sealed({**narrow, "answer": proof["answer"]})))
    proof["answer"]["shapes"][0]["state"] = "left"
    with pytest.raises(Rejected):
        check(to_bytes(sealed(proof)))
    with pytest.raises(Unreadable):
        check(to_bytes(proof)[:-9])
