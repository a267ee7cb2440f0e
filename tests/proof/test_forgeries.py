"""Whatever is forged in a proof, its digest made to fit: the checker refuses it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from forging import at, drop_row, forged, put, set_cell
from machine_zoo import rebased

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, Unreadable, verify
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check
from dfst.proof.language import task_language


def used_rule(proof):
    """A (state, symbol) of the subject that goes on."""
    return tuple(int(v[-1]) for v in np.nonzero(at(proof, "subject", "table", "next") >= 0))


def missing_rule(proof):
    set_cell(("subject", "table", "next"), used_rule(proof), MISSING)(proof)


def wrong_write(proof):
    rule = used_rule(proof)
    written = at(proof, "subject", "table", "write")[rule]
    set_cell(("subject", "table", "write"), rule, (written + 1) % 3)(proof)


def wrong_write_in_both(proof):
    """Subject and reference altered alike: consistent, but then the invariant or the weights object."""
    wrong_write(proof)
    c, x = used_rule(proof)
    written = at(proof, "subject", "table", "write")[c, x]
    for mine, state in at(proof, "pairs").tolist():
        if mine == c:
            set_cell(("reference", "table", "write"), (state, x), written)(proof)


def halting_where_it_goes_on(proof):
    set_cell(("subject", "table", "next"), used_rule(proof), HALT)(proof)


def edges_turned(proof):
    edges = at(proof, "left", "edges")
    edges[:, 2] = np.roll(edges[:, 2], 1)
    put(proof, ("left", "edges"), edges)


def all_in_one_node(proof):
    """Every node is said to be inside node 0, which reads nothing but blanks."""
    nodes = np.unique(at(proof, "left", "edges")[:, 0])
    put(proof, ("left", "inside"), np.stack([nodes, np.zeros_like(nodes)], axis=1))


def inside_itself_the_other_way(proof):
    inside = at(proof, "right", "inside")
    put(proof, ("right", "inside"), np.concatenate([inside, [[3, 0], [0, 3]]]).astype(np.int32))


def columns_shrunk(proof):
    column = max(range(len(proof["columns"])), key=lambda i: sum(c.bit_count() for c in proof["columns"][i]))
    proof["columns"][column] = [cell & -cell for cell in proof["columns"][column]]


def empty_operands_too(proof):
    proof["inputs"]["head"].append([0, *proof["inputs"]["head"][0][1:]])


def other_heads_too(proof):
    proof["inputs"]["head"][0][1] |= 1


def operands_of_anything(proof):
    proof["inputs"]["before"][1][1] |= 1 << proof["blank"]


def operands_that_end_anywhere(proof):
    proof["inputs"]["accepting"].append(2)


def no_inputs(proof):
    proof["inputs"]["head"] = []


def fewer_rows(proof):
    proof["rows"] = [0, 0]


FORGERIES = {
    "first configuration dropped": drop_row("invariant", 0),
    "last configuration dropped": drop_row("invariant", -1),
    "a configuration in the middle dropped": drop_row("invariant", 600),
    "no configuration at all": drop_row("invariant", slice(None)),
    "an edge dropped": drop_row("left.edges", 3),
    "no edge at all": drop_row("right.edges", slice(None)),
    "edges turned": edges_turned,
    "all inside the blank": all_in_one_node,
    "a node inside the blank and round again": inside_itself_the_other_way,
    "inputs laid nowhere": drop_row("left.laid", slice(None)),
    "an input laid elsewhere": set_cell(("left", "laid"), (1, 1), 0),
    "an edge of no column": set_cell(("left", "edges"), (1, 1), 10**6),
    "an edge of a column counted from the end": set_cell(("left", "edges"), (1, 1), -1),
    "a pair stands for another state": set_cell(("pairs",), (-1, 1), 0),
    "the start stands for another state": set_cell(("pairs",), (0, 1), 1),
    "a pair stands for no state": set_cell(("pairs",), (-1, 1), 99),
    "a pair of no state of the subject": set_cell(("pairs",), (-1, 0), 99),
    "a negative state": set_cell(("pairs",), (-1, 1), -1),
    "a pair listed twice": lambda p: put(p, ["pairs"], at(p, "pairs")[[0, 0, *range(2, 12)]]),
    "no pairs": lambda p: put(p, ["pairs"], at(p, "pairs")[:0]),
    "a rule removed": missing_rule,
    "a rule altered": wrong_write,
    "a rule halts": halting_where_it_goes_on,
    "a column with fewer symbols": columns_shrunk,
    "more inputs than were looked at": empty_operands_too,
    "more starts than were looked at": other_heads_too,
    "inputs of other symbols": operands_of_anything,
    "inputs that end sooner": operands_that_end_anywhere,
    "no inputs at all": no_inputs,
    "rows left out": fewer_rows,
    "a negative index": set_cell(("invariant",), (0, 0), -1),
    "an index too large": set_cell(("invariant",), (0, 3), 10**6),
    "an array of another type": lambda p: put(p, ["invariant"], at(p, "invariant").astype(np.int64)),
    "an array of floats": lambda p: put(p, ["invariant"], at(p, "invariant").astype(np.float64)),
    "an array larger than its data": lambda p: p["invariant"].update(shape=[10**6, 5]),
    "an array smaller than its data": lambda p: p["invariant"].update(shape=[3, 5]),
    "an array of a huge size": lambda p: p["invariant"].update(shape=[2**62, 5]),
    "a negative size": lambda p: p["invariant"].update(shape=[-1, 5]),
    "a size that is a truth value": lambda p: p["invariant"].update(shape=[True, 5]),
    "big-endian numbers": lambda p: put(p, ["invariant"], at(p, "invariant").byteswap()),
    "another format": lambda p: p.update(format="dfst-proof/0"),
    "a truth value for a number": lambda p: p["inputs"]["head"][0].__setitem__(0, True),
    "a text for a number": lambda p: p.update(blank="2"),
    "a huge number": lambda p: p["inputs"]["head"][0].__setitem__(1, 1 << 5000),
    "no head": lambda p: p["inputs"]["head"][0].__setitem__(1, 0),
    "a set of no symbols": lambda p: p["columns"][0].__setitem__(0, 0),
    "a set of symbols beyond the alphabet": lambda p: p["columns"][0].__setitem__(0, 1 << 9),
    "a column listed twice": lambda p: p["columns"].append(p["columns"][0]),
    "a symbol named twice": lambda p: p["alphabet"].__setitem__(0, p["alphabet"][1]),
    "a symbol that is no text": lambda p: p["alphabet"].__setitem__(0, 0),
    "another blank": lambda p: p.update(blank=0),
    "a symbol less": lambda p: p["alphabet"].pop(),
    "the head starts elsewhere": lambda p: p.update(start="first"),
    "the head starts nowhere": lambda p: p.update(start="middle"),
    "an operator inside the operands": lambda p: p["inputs"]["before"][1].__setitem__(1, 15),
    "no columns": lambda p: p.update(columns=[]),
    "a field missing": lambda p: p.pop("left"),
    "a field of another kind": lambda p: p.update(subject=7),
}


@pytest.mark.parametrize("kind", ["machine", "bits"])
@pytest.mark.parametrize("forgery", FORGERIES)
def test_refuses_forgeries_with_a_fitting_digest(subjects, kind, forgery):
    proof, weights = subjects[kind]
    with pytest.raises(Rejected):
        check(forged(proof, FORGERIES[forgery]), weights)


def test_almost_every_configuration_is_needed(subjects):
    """A few are there for one way to cover a push, where another covers it as well."""
    proof, refused = subjects["bits"][0], 0
    for index in np.random.default_rng(0).choice(len(at(proof, "invariant")), 60, replace=False):
        try:
            check(forged(proof, drop_row("invariant", index)), subjects["bits"][1])
        except Rejected:
            refused += 1
    assert refused >= 55


def test_refuses_another_reference_and_other_inputs(subjects):
    agent = expert("add2")
    proof, weights = subjects["bits"]
    with pytest.raises(Rejected):
        check(forged(proof, wrong_write_in_both), weights)
    with pytest.raises(Unreadable, match="another machine"):
        verify(to_bytes(proof), expert("sub2"), task_language(agent.task), weights)
    narrow = replace(task_language(agent.task), head=((1, 1, 2),))
    with pytest.raises(Unreadable, match="other inputs"):
        verify(to_bytes(proof), agent, narrow, weights)


def hidden_scaled(by):
    return lambda p: put(p, ("weights", "hidden"), by * at(p, "weights", "hidden"))


WEIGHT_FORGERIES = {
    "another fingerprint": lambda p: p["weights"].update(sha256="0" * 64),
    "another hidden state": set_cell(("weights", "hidden"), (3, 0), 0.5),
    "another first hidden state": set_cell(("weights", "hidden"), (0, 0), 0.5),
    "a hidden state that is no number": set_cell(("weights", "hidden"), (3, 0), np.nan),
    "an infinite hidden state": set_cell(("weights", "hidden"), (3, 0), np.inf),
    "states at other hidden states": lambda p: put(
        p, ("weights", "hidden"), np.roll(at(p, "weights", "hidden"), 1, axis=0)
    ),
    "larger hidden states": hidden_scaled(2.0),
    "a hidden state too few": lambda p: put(p, ("weights", "hidden"), at(p, "weights", "hidden")[:-1]),
    "not about weights": lambda p: p.update(weights=None),
}


@pytest.mark.parametrize("kind", ["bits", "bounded"])
@pytest.mark.parametrize("forgery", WEIGHT_FORGERIES)
def test_refuses_forged_numbers(subjects, kind, forgery):
    proof, weights = subjects[kind]
    if (kind, forgery) == ("bounded", "another hidden state"):
        # Any point may be called a learnt state; one that is none is left at once, and the bound says so.
        assert check(forged(proof, WEIGHT_FORGERIES[forgery]), weights)["steps"] <= 2
        return
    with pytest.raises(Rejected):
        check(forged(proof, WEIGHT_FORGERIES[forgery]), weights)


MEASURE_FORGERIES = {
    "to the bit, they say": lambda p: p["weights"].update(measure=None),
    "no inverse": lambda p: p["weights"]["measure"].update(back=p["weights"]["measure"]["to"]),
    "a measure of zero": lambda p: put(p, ("weights", "measure", "to"), np.zeros((12, 12))),
    "a measure that is no number": set_cell(("weights", "measure", "to"), (0, 0), np.nan),
    "an infinite measure": set_cell(("weights", "measure", "to"), (0, 0), np.inf),
    "a measure of another shape": lambda p: put(p, ("weights", "measure", "to"), np.eye(13)),
    "an enormous measure": lambda p: (
        put(p, ("weights", "measure", "to"), 1e-300 * at(p, "weights", "measure", "to")),
        put(p, ("weights", "measure", "back"), 1e300 * at(p, "weights", "measure", "back")),
    ),
}


@pytest.mark.parametrize("forgery", MEASURE_FORGERIES)
def test_refuses_forged_measures(subjects, forgery):
    proof, weights = subjects["bounded"]
    with pytest.raises(Rejected):
        check(forged(proof, MEASURE_FORGERIES[forgery]), weights)


def test_figures_that_a_proof_adds_are_not_read(subjects):
    """Steps, margins and radii are computed; what a file says about them changes nothing."""
    proof, weights = subjects["bounded"]
    says = lambda p: p["weights"].update(steps=10**30, margin=9, radius=0, arithmetic="bits")  # noqa: E731
    assert check(forged(proof, says), weights) == check(to_bytes(proof), weights)


@pytest.mark.parametrize("tensor", ["A", "B", "C", "h0"])
@pytest.mark.parametrize("kind", ["bits", "bounded"])
def test_refuses_altered_weights_even_with_their_fingerprint(subjects, kind, tensor):
    weights = compile_agent(expert("add2"))
    weights = weights if kind == "bits" else rebased(weights, np.random.default_rng(0))
    changed = getattr(weights, tensor).copy()
    changed.flat[np.argmax(np.abs(changed))] *= -1
    weights = replace(weights, **{tensor: changed})
    proof = subjects[kind][0]
    with pytest.raises(Unreadable, match="not the weights"):
        check(to_bytes(proof), weights_bytes(weights))
    if (kind, tensor) == ("bounded", "A"):  # a model that goes astray is right until it does
        assert check(forged(proof, weights=weights), weights_bytes(weights))["steps"] <= 2
        return
    with pytest.raises(Rejected) as reason:
        check(forged(proof, weights=weights), weights_bytes(weights))
    assert not isinstance(reason.value, Unreadable)
