"""Models on the plane are held against their expert by its last rule, and what boards show after it."""

import json
from dataclasses import replace
from functools import cache
from importlib import resources

import numpy as np
import pytest
from evidence import slow

from dfst.experts import expert
from dfst.machines import MISSING
from dfst.machines.compiled import run
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof import prove, verify
from dfst.proof.boards import START, boards_of, by_last_rule, readings
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check, sentence
from dfst.proof.inputs import TaskInputs
from dfst.proof.language import task_language
from dfst.proof.match import pair_up
from dfst.proof.reading import PATIENT, Rejected, Work, read_table
from dfst.tasks.plane_tasks import PLANE_TASKS
from dfst.traces.replay import replayed_states
from dfst.traces.sample import PLANE_SAMPLING, sample_traces
from dfst.world.grid import Limits

LACKED = {
    "life": set(),
    "hanoi": {"down 1 λ", "down 2 λ", "take 1 .", "take 3 .", "give right o", "take right ."},
    "flood": set(),
    "longmult2": {"corner 0", "seek × λ", "(add,0) λ", "(add,1) λ", "(add,2) λ", "carry 1", "carry λ",
                  "zero 0", "zero 1", "rise -"},
    "maze": set(),
}  # fmt: skip
"""Rules that an expert lacks and that are not excluded: whether a row has a disk, and how long a number is,
are no matters of neighbours."""


def names(agent, rules):
    return {f"{agent.states[q]} {agent.alphabet[x]}" for q, x in rules}


@cache
def own_verdict(name):
    """The expert's own model held against it."""
    return prove(compile_agent(expert(name)), expert(name))


@pytest.mark.parametrize("name", ["life", "hanoi", *slow("longmult2", "flood", "maze", "sudoku")])
def test_a_model_with_its_experts_states_does_what_it_does(name):
    weights, agent = compile_agent(expert(name)), expert(name)
    verdict = own_verdict(name)
    proved = name in ("life", "flood", "maze")
    assert verdict.strength == ("proved" if proved else "conditional")
    assert verdict.equivalent is (True if proved else None)
    files = to_bytes(verdict.proof), weights_to_bytes(weights)
    assert "as long as that has a rule" in sentence(check(*files))
    shown = verify(files[0], agent, task_language(agent.task), files[1])
    assert (shown["reference"], shown["stops"]) == (f"expert:{name}", verdict.shown["stops"])
    if name in LACKED:
        assert names(agent, shown["stops"]) == LACKED[name]


@pytest.mark.parametrize("name", ["life", "hanoi", *slow("longmult2", "flood", "maze", "sudoku")])
def test_whatever_is_read_after_a_rule_was_foreseen(name):
    agent, task = expert(name), PLANE_TASKS[name]
    foreseen = readings(agent, boards_of(task))
    traces = sample_traces(agent, PLANE_SAMPLING[name])
    states = replayed_states(agent, traces)
    for text, begin, end in zip(traces.inputs, traces.start[:-1], traces.start[1:], strict=True):
        last, half_worked = START, not {*text} <= {*task.letters, "\n"}  # which is where no run starts
        if half_worked and name == "sudoku":  # some have letters in an order that no run comes to
            continue
        for q, x in zip(states[begin:end].tolist(), traces.x[begin:end].tolist(), strict=True):
            assert x in foreseen[last] or (half_worked and last == START)
            last = (q, x)


def test_of_life_the_symbols_foreseen_are_nearly_those_that_are_met():
    agent = expert("life")
    assert by_last_rule(agent).symbols == 898
    rng, task = np.random.default_rng(0), PLANE_TASKS["life"]
    met = set()
    for _ in range(300):
        trace = agent.trace(task.sampled_operand(rng, 8))
        q, last = 0, START
        for x in trace.x.tolist():
            met.add((last, x))
            last, q = (q, x), int(agent.next[q, x])
    assert 700 < len(met) <= 898


@pytest.mark.parametrize("name", ["hanoi", *slow("life")])
def test_a_rule_that_is_left_out_is_missed(name):
    """Whatever rule that some run uses: without it, it is one that the expert may lack."""
    agent, rng = expert(name), np.random.default_rng(4)
    used = sorted(rule for rule in readings(agent, boards_of(agent.task)) if rule != START)
    shown = sample_traces(agent, PLANE_SAMPLING[name])
    states = replayed_states(agent, shown)
    met = set(zip(states.tolist(), shown.x.tolist(), strict=True))
    for k in rng.choice(len(used), 5, replace=False):
        rule, following = used[k], agent.next.copy()
        following[rule] = MISSING
        assert rule not in met or rule in by_last_rule(replace(agent, next=following)).lacks


def test_one_rule_that_differs_is_found():
    agent = expert("flood")
    write = agent.write.copy()
    q, x = agent.states.index("clean"), agent.alphabet.index("@")
    write[q, x] = agent.alphabet.index(".")
    wrong = compile_agent(replace(agent, write=write))
    verdict = prove(wrong, agent)
    assert verdict.strength == "refuted"
    with pytest.raises(Rejected):
        check(to_bytes(own_verdict("flood").proof), weights_to_bytes(wrong))


def test_a_proof_about_other_transitions_is_refused():
    """A machine that lacks rules which boards ask for is easily acted like."""
    agent = expert("life")
    following = agent.next.copy()
    following[agent.states.index("left 1"), agent.alphabet.index("a")] = MISSING
    fewer = replace(agent, next=following)
    weights = compile_agent(agent)
    proof = prove(weights, fewer, inputs=Short(agent.task)).proof
    files = to_bytes(proof), weights_to_bytes(weights)
    assert verify(files[0], fewer, task_language(agent.task), files[1])["stops"]
    with pytest.raises(Rejected, match="another machine"):
        verify(files[0], agent, task_language(agent.task), files[1])


class Short(TaskInputs):
    """One cell, on which nothing is amiss."""

    def shortest(self, count):
        return iter(["."])

    def random(self, rng, count, longest):
        return ["."] * count


def test_a_rule_that_no_board_needs_is_not_asked_for():
    agent = expert("life")
    more, way = agent.next.copy(), agent.motion.copy()
    at = agent.states.index("enter"), agent.alphabet.index("K")
    more[at], way[at] = 0, 0
    assert prove(compile_agent(agent), replace(agent, next=more, motion=way)).strength == "proved"


def stored(name, part):
    """A machine of a stored proof: what was learnt, or the expert by its last rule."""
    proof = json.loads((resources.files("dfst") / "weights" / f"{name}.proof.json").read_text("utf-8"))
    agent = expert(name)
    write, motion, following = read_table(proof[part]["table"], len(agent.alphabet), Work(PATIENT))
    states = tuple(map(str, range(len(write))))
    return replace(agent, states=states, write=write, motion=motion, next=following)


def test_by_its_last_rule_sudokus_expert_solves_what_it_is_given():
    """Whole runs, back and forth, in the machine that the stored proof is about: no rule is missed."""
    held, task, rng = stored("sudoku", "reference"), PLANE_TASKS["sudoku"], np.random.default_rng(6)
    for length in (3, 7, 7, 7, 11):
        text = task.random_operand(rng, length)
        assert run(held, text, Limits(steps=10**9)).answer == task.solve(task.parse(text))


@pytest.mark.parametrize("what", ["write", "motion", "next"])
def test_no_rule_that_sudoku_learnt_may_be_another(what):
    """Lines are where it hangs by a hair: at a crossing the model swaps what it means by its states."""
    agent, learnt, held = expert("sudoku"), stored("sudoku", "subject"), stored("sudoku", "reference")
    assert pair_up(learnt, held, is_model=True).alike
    rng, values = (
        np.random.default_rng(5),
        {"write": len(agent.alphabet), "motion": 4, "next": len(learnt.states)},
    )
    rules = np.argwhere(learnt.next != MISSING)
    crossings = rules[rules[:, 1] == agent.alphabet.index("+")]
    for q, x in [*rng.choice(rules, 2), *rng.choice(crossings, 2)]:
        other = getattr(learnt, what).copy()
        other[q, x] = (other[q, x] + rng.integers(1, values[what])) % values[what]
        assert not pair_up(replace(learnt, **{what: other}), held, is_model=True).alike
