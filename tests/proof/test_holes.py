"""Forged proofs and bad models that were once accepted, one by one, and what becomes of them now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evidence import slow
from forging import at, check_weights, forged, put
from machine_zoo import rebased

from dfst.cli import execute
from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import HALT
from dfst.machines.formats import write_machine
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import from_bytes
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, prove, save_proof
from dfst.proof.answer_checker import check_answer
from dfst.proof.answers import explained_answer
from dfst.proof.certificate import certificate, packed_table, recheck, to_bytes
from dfst.proof.checker import check
from dfst.proof.floats import Model, to_the_bit
from dfst.proof.language import task_language
from dfst.proof.levels import closures
from dfst.proof.match import pair_up
from dfst.proof.reading import Work
from dfst.proof.refute import differs
from dfst.proof.sides import packed
from dfst.states.explore import random_inputs
from dfst.world.grid import Limits


@pytest.fixture(scope="module")
def add2():
    agent = expert("add2")
    weights = compile_agent(agent, dtype=np.float64)
    return agent, weights, prove(weights, agent).proof


def with_measure(d):
    """A forgery: errors are to be counted, in plain coordinates."""

    def forge(proof):
        proof["weights"]["measure"] = {
            "to": packed(np.eye(d)), "back": packed(np.eye(d)), "blocks": packed(np.zeros((d, 1), np.int32))
        }  # fmt: skip

    return forge


def first_failure(weights, agent, text, steps=10**7):
    """The step at which a run differs from the expert's; None if it does not."""
    difference = Rollout(weights).run(text, Limits(steps=steps), against=agent).difference
    return None if difference is None else difference.step


def right_for(weights, agent, steps, inputs=40):
    """Whether the first `steps` steps are the expert's on random inputs."""
    texts = random_inputs(agent.task, np.random.default_rng(0), inputs, 12)
    return all(first_failure(weights, agent, text, max(steps, 1)) in (None, steps) for text in texts)


def test_p1_a_model_that_forgets_everything_with_an_enormous_radius(add2):
    """A = 0, and a radius of 10⁹ in the file: accepted once, "on every input, of any length"."""
    agent, weights, proof = add2
    nothing = replace(weights, A=np.zeros_like(weights.A))
    with pytest.raises(Rejected, match="next hidden state is another"):
        check_weights(proof, nothing)

    def forge(p):
        with_measure(12)(p)
        p["weights"].update(radius=10**9, margin=1, steps={"float64": 10**12})

    shown = check(forged(proof, forge, nothing), weights_bytes(nothing))
    assert shown["radius"] >= 1
    assert shown["steps"] == 1  # the first decision is right, and that is all
    assert right_for(nothing, agent, 1)


@pytest.mark.parametrize("forgeries", [12, *slow(150)])
def test_p2_two_states_in_one_hidden_state(forgeries):
    """Two pairs that shared a hidden state could each have a successor of its own: 11×11 = 101, accepted."""
    agent = expert("mult2")
    weights = compile_agent(agent, dtype=np.float64)
    proof = prove(weights, agent).proof
    states, wrong = len(agent.states), 0
    table = at(proof, "subject", "table", "next")
    rng = np.random.default_rng(0)
    pairs = [(a, b) for a in range(1, states) for b in range(1, states) if a != b]
    for one, two in rng.permutation(pairs)[:forgeries]:
        A = weights.A.copy()
        A[:, two] = 0
        A[:, one] += weights.A[:, two]  # whatever led to `two` leads to `one`
        merged = replace(weights, A=A)
        for measure in (None, with_measure(len(weights.h0))):

            def forge(p, one=one, two=two, measure=measure):
                hidden = at(p, "weights", "hidden")
                hidden[two] = hidden[one]
                put(p, ("weights", "hidden"), hidden)
                if measure:
                    measure(p)

            try:
                shown = check(forged(proof, forge, merged), weights_bytes(merged))
            except Rejected:
                wrong += 1
                continue
            assert right_for(merged, agent, shown["steps"] or 10**6)
    assert wrong > 4 * forgeries / 3
    assert table.shape == (len(at(proof, "weights", "hidden")), 4)  # one successor a state and symbol


def growing(agent):
    """Exact, but for one free direction that grows by 0.6 % a step and is read as a score in the end."""
    weights = compile_agent(agent, d=len(agent.states) + 1, dtype=np.float64)
    A, B, h0 = weights.A.copy(), weights.B.copy(), weights.h0.copy()
    A[:, -1, -1] = 1.006
    B[:, 0, -1] = 1.0
    h0[-1] = 1e-12
    return rebased(replace(weights, A=A, B=B, h0=h0), np.random.default_rng(1))


def drifting(agent, rate=2e-5):
    """Each step adds a little to one direction, which is read as a score; one unused entry is enormous."""
    weights = compile_agent(agent, d=len(agent.states) + 2, dtype=np.float64)
    A, B = weights.A.copy(), weights.B.copy()
    A[:, -2, :-1] = rate
    A[:, -2, -2] = 1
    B[:, 0, -2] = 1
    A[:, 0, -1] = 1e13
    return replace(weights, A=A, B=B)


@pytest.mark.parametrize("make", [growing, drifting])
def test_p3_a_model_that_goes_astray_is_covered_no_longer_than_it_is_right(make):
    """Called proved once: the bound on rounding was one for all edges, and free directions did not count."""
    agent = expert("add2")
    weights = make(agent)
    verdict = prove(weights, agent)
    assert verdict.strength == "bounded"
    fails = first_failure(weights, agent, "1" * 400 + "+" + "1" * 400)
    assert 0 < verdict.steps <= fails < 100_000


def test_p4_where_the_head_starts(add2):
    _, weights, proof = add2
    elsewhere = replace(weights, layout="first", task=None)
    with pytest.raises(Rejected, match="start elsewhere"):
        check_weights(proof, elsewhere)
    with pytest.raises(Rejected, match="does not start where"):
        check(forged(proof, lambda p: p.update(start="first"), elsewhere), weights_bytes(elsewhere))
    with pytest.raises(InputError, match="starts at 'operator', found 'first'"):
        from_bytes(weights_bytes(replace(weights, layout="first")), "forged")


@pytest.mark.parametrize("tensor", ["B", "C"])
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_p5_scores_that_are_no_numbers(add2, tensor, value):
    """The hidden states are finite and repeat, the winning score is infinite, or a losing one is NaN."""
    _, weights, proof = add2
    scaled = replace(weights, h0=16 * weights.h0)
    large = getattr(weights, tensor) * np.finfo(np.float64).max
    if np.isnan(value):  # infinity less infinity, in a row that should lose
        large = large.copy()
        large[:, -1] = 0
        large[:, -1, 0], large[:, -1, 1] = -np.finfo(np.float64).max, 0
    bad = replace(scaled, **{tensor: large})
    bigger = lambda p: put(p, ("weights", "hidden"), 16 * at(p, "weights", "hidden"))  # noqa: E731
    assert check(forged(proof, bigger, scaled), weights_bytes(scaled))["steps"] is None
    with pytest.raises(Rejected, match="a score is infinite or no number"):
        check(forged(proof, bigger, bad), weights_bytes(bad))
    with pytest.raises(Rejected):
        check(forged(proof, lambda p: (bigger(p), with_measure(12)(p)), bad), weights_bytes(bad))


def test_p5_a_tie_is_no_decision():
    """Two scores that are equal: the first would win here, another elsewhere."""
    stacked = np.array([[[1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0]]] * 2)
    table = (np.zeros((1, 2), int), np.zeros((1, 2), int), np.zeros((1, 2), int))
    model = Model(stacked, np.ones(1), ["0", "1"], ["U", "D", "L", "S"], "first", "")
    with pytest.raises(Rejected, match="decide otherwise"):
        to_the_bit(model, np.ones((1, 1)), table)


def test_p6_the_first_hidden_state_is_that_of_the_first_pair(add2):
    _, weights, proof = add2
    with pytest.raises(Rejected, match="first learnt state is not h0"):
        check_weights(proof, replace(weights, h0=np.roll(weights.h0, 1)))

    def forge(p):  # begin in the second state
        pairs = at(p, "pairs")
        put(p, ["pairs"], pairs[[1, 0, *range(2, len(pairs))]])

    with pytest.raises(Rejected, match="not the two starts"):
        check(forged(proof, forge), weights_bytes(weights))


def test_p8_a_scale_that_drifts_does_not_repeat_to_the_bit():
    """Off by the last bit in each step: proved once, of a model that was held in place."""
    agent = expert("add2")
    weights = compile_agent(agent)
    verdict = prove(replace(weights, A=np.nextafter(weights.A, 2 * weights.A)), agent)
    assert verdict.strength == "bounded"
    assert 0 < verdict.steps < 2**24


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_p9_weights_that_cannot_take_one_step_are_refuted(dtype):
    agent = expert("add2")
    weights = compile_agent(agent, dtype=dtype)
    top = np.finfo(dtype).max
    full = replace(weights, **{n: np.full_like(getattr(weights, n), top) for n in ("A", "B", "C", "h0")})
    verdict = prove(full, agent)
    assert verdict.strength == "refuted"
    assert verdict.counterexample.what == "its hidden state overflows at step 0"
    assert verdict.counterexample.shortest


def one_rule_otherwise(agent, rng):
    """The agent with one rule that writes, moves or goes on otherwise."""
    q, x = rng.choice(np.argwhere(agent.next >= 0))
    part, most = [("write", len(agent.alphabet)), ("motion", 4), ("next", len(agent.states))][rng.integers(3)]
    table = getattr(agent, part).copy()
    table[q, x] = rng.integers(most)
    return replace(agent, **{part: table})


@pytest.mark.parametrize(("name", "count"), [("increment3", 60), *slow(("add2", 60))])
def test_a_sound_proof_of_a_wrong_machine_with_the_reference_exchanged(name, count):
    """All of the proof holds for the wrong machine; the right table is put in the reference's place."""
    agent, rng, outcomes = expert(name), np.random.default_rng(4), []
    language, texts = task_language(agent.task), random_inputs(agent.task, rng, 60, 5)
    for _ in range(count):
        wrong = one_rule_otherwise(agent, rng)
        pairing = pair_up(wrong, wrong)
        closure = next(closures(pairing.machine, language, 20_000))
        if isinstance(closure, str) or closure.open_pairs:
            continue
        proof = certificate(wrong, wrong, language, agent.task.layout, pairing, closure)
        check(to_bytes(proof))
        try:
            check(forged(proof, lambda p: p.update(reference={"name": name, "table": packed_table(agent)})))
        except Rejected:
            outcomes.append("refused")
            continue
        outcomes.append("accepted")
        fails = differs(wrong, agent, 10_000)
        assert all(fails(text) is None for text in texts)
    assert outcomes.count("refused") > 20


def test_p10_the_sign_of_the_difference_is_one_number():
    """compare was proved to write "the sign of a-b" by its sign alone: 7 would have done for above."""
    agent = expert("compare10")
    answer = explained_answer(agent)
    table = [part.astype(np.int32) for part in (agent.write, agent.motion, agent.next)]
    check_answer(answer, tuple(table), list(agent.alphabet), agent.blank, Work(1 << 24))
    table[0][agent.states.index("above"), agent.blank] = 7
    with pytest.raises(Rejected, match="may halt with another answer"):
        check_answer(answer, tuple(table), list(agent.alphabet), agent.blank, Work(1 << 24))


@pytest.mark.parametrize(
    ("dtype", "tensor"),
    [(np.float32, "C"), (np.float64, "B"), *slow((np.float32, "B"), (np.float64, "C"))],
)
def test_p11_scores_whose_difference_is_infinite(dtype, tensor):
    """Every score is finite, but the run compares them by their difference, and stops at its first step."""
    agent = expert("add2")
    weights = compile_agent(agent, dtype=dtype)
    proof, top = prove(weights, agent).proof, np.finfo(dtype).max
    far = replace(weights, **{tensor: np.where(getattr(weights, tensor) > 0, top, -top).astype(dtype)})
    assert prove(far, agent).strength == "refuted"
    with pytest.raises(Rejected, match="scores differ by more than is finite"):
        check_weights(proof, far)


def test_p12_a_machine_is_not_its_own_reference(tmp_path, capsys):
    """Always wrong about parity, and called by its expert's name: --check compared it with itself."""
    right = expert("parity")
    wrong = replace(right, name="parity", task=None, write=np.where(right.next == HALT, 1, right.write))
    file, machine = tmp_path / "proof.json", tmp_path / "wrong.json"
    save_proof(prove(wrong, replace(wrong, name="expert:parity")).proof, file)
    write_machine(wrong, machine)
    assert execute(["prove", str(machine), "--check", str(file)]) == 2
    assert "--against SUBJECT" in capsys.readouterr().err
    assert execute(["prove", str(machine), "--against", "expert:parity", "--check", str(file)]) != 0


def test_p13_an_operator_that_no_task_names(add2, tmp_path):
    """Without a task such a model ran from the first cell, and its proof was about the operator."""
    agent, weights, proof = add2
    nameless = replace(weights, task=None)
    with pytest.raises(InputError, match="starts on the operator but has no task"):
        nameless.run("1+1")
    with pytest.raises(InputError, match="starts on the operator but has no task"):
        from_bytes(weights_bytes(nameless), "forged")
    file = tmp_path / "proof.json"
    file.write_bytes(forged(proof, weights=nameless))
    assert recheck(file, weights, agent)["ends"]
    with pytest.raises(InputError, match="starts on the operator but has no task"):
        recheck(file, nameless, agent)
