"""Extraction: the machine comes back out, in any coordinates, and drift is refused with a reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evidence import slow
from machine_zoo import model_with_memory, rebased

from dfst.counted import counted
from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import MISSING
from dfst.model import compile_agent
from dfst.model.rollout.transducer import in_order
from dfst.proof import prove
from dfst.proof.match import pair_up
from dfst.states import Refused, extract, extract_bits
from dfst.states.explore import Explorer, TooManyStates, by_length, exploration_inputs, random_inputs
from dfst.states.extract import leaves


@pytest.mark.parametrize("name", ["add2", "sort3", "increment10", *slow("add3", "mult2")])
def test_the_expert_comes_back_out_of_other_coordinates(name):
    agent = expert(name)
    extraction = extract(rebased(compile_agent(agent), np.random.default_rng(0)))
    assert len(extraction.graph) == len(agent.states)
    assert extraction.graph.edges == agent.rule_count
    assert extraction.gap > 1e9
    long = random_inputs(agent.task, np.random.default_rng(1), 4, 40)
    assert not leaves(extraction.graph, long, bound=1e-10, max_steps=5_000)
    assert not pair_up(extraction.graph.machine(), agent).disagreements
    assert 0 < extraction.last_new_edge[0] <= extraction.runs
    assert extraction.sentence().startswith(f"{counted(len(agent.states), 'learnt state')} with ")


def test_the_machine_runs_and_compiles_back_exactly():
    agent = expert("add2")
    machine = extract(rebased(compile_agent(agent), np.random.default_rng(0))).machine
    for dtype in (np.float32, np.float64):
        again = compile_agent(machine, dtype=dtype)
        for text in random_inputs(agent.task, np.random.default_rng(1), 20, 12):
            assert machine.run(text).answer == again.run(text).answer == agent.run(text).answer


def test_more_learnt_states_than_the_agent_has_are_merged_again():
    agent = expert("sort2")
    inputs = exploration_inputs(agent.task, np.random.default_rng(0), short=300, random=200)
    extraction = extract(model_with_memory(agent, inputs, 1, np.random.default_rng(1)))
    assert len(extraction.graph) > len(agent.states)
    assert len(extraction.machine.states) <= len(agent.states)
    assert prove(extraction.machine, agent).strength == "proved"


def test_bits_need_no_tolerance():
    extraction = extract_bits(compile_agent(expert("add2")))
    assert extraction.graph.tolerance == extraction.graph.radius == 0
    assert len(extraction.graph) == 12
    with pytest.raises(Refused, match="bit patterns"):
        extract_bits(rebased(compile_agent(expert("add2")), np.random.default_rng(0)), max_states=200)


@pytest.mark.parametrize("noise", [1e-1, 1e-2, 1e-3])
def test_drift_is_refused_with_a_reason(noise):
    weights = rebased(compile_agent(expert("add2")), np.random.default_rng(0))
    shaken = replace(weights, A=weights.A + noise * np.random.default_rng(1).normal(size=weights.A.shape))
    with pytest.raises(Refused, match="drift instead of repeating"):
        extract(shaken, max_states=300)


def test_a_model_that_grows_is_caught_by_unsnapped_runs():
    """One learnt state maps onto itself up to 1e-12 but stretches errors by a tenth at each step."""
    weights = rebased(compile_agent(expert("add2")), np.random.default_rng(0))
    h = weights.h0 / np.linalg.norm(weights.h0)
    away = np.linalg.qr(np.column_stack([h, np.random.default_rng(3).normal(size=(12, 11))]))[0][:, 1]
    stretched = weights.A + 0.6 * np.outer(away, away)
    graph = extract(weights).graph
    moved = replace(graph, weights=replace(weights, A=stretched))
    assert "left its learnt states" in leaves(moved, ["1010101010+1110101"], bound=0.1, max_steps=5_000)


def test_the_sum_in_order_is_the_rollouts_to_the_bit():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for d in (1, 3, 12, 63, 108):
            matrix, h = rng.normal(size=(d + 9, d)).astype(dtype), rng.normal(size=d).astype(dtype)
            fast = np.add.reduce(np.ascontiguousarray(matrix.T) * h[:, None], axis=0, initial=0)
            assert fast.tobytes() == in_order(matrix, h).tobytes()


def test_evidence_is_measured_on_every_edge():
    """How far hidden states are from their learnt states, all edges at once, against one product an edge."""
    weights = rebased(compile_agent(expert("add2")), np.random.default_rng(2))
    d = len(weights.h0)
    for found in (extract(weights), extract_bits(compile_agent(expert("add2")))):
        graph, farthest = found.graph, 0.0
        for c, x in graph.known:
            h, model = graph.hidden[c], graph.weights
            result = in_order(np.concatenate([model.A[x], model.B[x], model.C[x]]), h)
            if graph.next[c, x] >= 0:
                farthest = max(farthest, np.abs(result[:d] - graph.hidden[graph.next[c, x]]).max())
        assert graph.radius == pytest.approx(farthest, abs=1e-12)
        assert graph.radius <= graph.tolerance


def test_explorer_finds_what_a_full_search_finds():
    rng = np.random.default_rng(4)
    weights = rebased(compile_agent(expert("add2")), rng)
    explorer = Explorer(weights, tolerance=0.3, max_states=400)
    kept: list[np.ndarray] = [weights.h0]
    for _ in range(300):
        h = rng.normal(size=12) * 0.2
        distances = [np.abs(h - other).max() for other in kept]
        nearest = int(np.argmin(distances))
        found = explorer._state_at(h)
        if distances[nearest] <= 0.3:
            assert found == nearest
        else:
            assert found == len(kept)
            kept.append(h)
    assert 20 < len(kept) < 300
    with pytest.raises(TooManyStates):
        explorer._state_at(np.full(12, np.nan))


def test_inputs_come_by_length_and_none_is_left_out():
    task = expert("add2").task
    first = [text for text, _ in zip(by_length(task), range(4 + 16), strict=False)]
    assert first[:4] == ["0+0", "0+1", "1+0", "1+1"]
    assert len(set(first)) == 20
    assert [len(t) for t in first] == sorted(len(t) for t in first)


def test_a_model_without_a_task_needs_inputs():
    weights = replace(compile_agent(expert("add2")), task=None)
    with pytest.raises(InputError, match="give the inputs"):
        extract(weights)
    assert (extract_bits(compile_agent(expert("add2")), inputs=["1+1"]).graph.next != MISSING).sum() < 37
