"""Fifteen machines of others, learnt from the file alone: most become exact, none is called so wrongly."""

from __future__ import annotations

import time

import numpy as np
import pytest
from fifteen import MACHINES

import dfst
from dfst.evaluation.evaluate import evaluate
from dfst.machines.formats import parse_machine
from dfst.machines.rejections import with_rejections
from dfst.model.rollout.compiled import Rollout
from dfst.traces.inputs import language_of_machine

pytest.importorskip("torch")
OTHER_SEED = 77
"""Draws inputs that nobody has seen."""
DEEP = {
    "three equal lengths": ["a" * n + "b" * n + "c" * n for n in range(30)],
    "equal strings": [f"{n:b}#{n:b}" for n in range(0, 3000, 37)],
    "palindromes": ["ab" * n + "ba" * n for n in range(30)],
    "product of lengths": ["a" * m + "b" * n + "c" * (m * n) for m in range(7) for n in range(7)],
    "add in binary": [f"{n:b}+{n * 7:b}" for n in range(0, 3000, 37)],
    "multiply in binary": [f"{n:b}*{n + 5:b}" for n in range(0, 300, 17)],
}
"""Inputs that lead deep into a machine; few of those drawn at random do."""


@pytest.mark.parametrize("name", MACHINES)
def test_they_are_read_and_end_as_they_should(name):
    machine = with_rejections(parse_machine(MACHINES[name], name="mine"))
    for text in DEEP.get(name, language_of_machine(machine).shortest(20)):
        run = machine.run(text, dfst.Limits(steps=100_000))
        assert run.halted or name == "zero, one, for ever"


def test_they_compute_what_they_are_for():
    def run(name: str, text: str):
        return with_rejections(parse_machine(MACHINES[name])).run(text)

    assert run("add in binary", "1011+110").answer == "10001"
    assert run("multiply in binary", "101*110").answer == "11110"
    assert run("increment", "1011").answer == "1100"
    assert run("copy ones", "111").answer == "111_111"
    assert run("multiply in unary", "111*11").answer == "111*11_111111"
    assert run("busy beaver of three states", "").steps == 21
    assert run("busy beaver of four states", "").steps == 107
    rejected = {"palindromes": "abb", "powers of two": "000000", "product of lengths": "aabbccc"}
    for name, text in rejected.items():
        assert run(name, text).accepted is False
    accepted = {"palindromes": "abbba", "powers of two": "0" * 16, "product of lengths": "aabbbcccccc"}
    for name, text in accepted.items():
        assert run(name, text).accepted is True


@pytest.mark.slow
def test_most_are_learnt_and_none_is_called_right_that_is_wrong(tmp_path):
    exact, seconds = {}, {}
    for name, text in MACHINES.items():
        machine = parse_machine(text, name="mine")
        began = time.perf_counter()
        learnt = dfst.learn(machine, out=tmp_path / name.replace(" ", "-"), device="cpu")
        seconds[name] = time.perf_counter() - began
        exact[name] = learnt.exact
        if learnt.exact:
            rollout = Rollout(learnt.weights.astype(np.float32))
            report = evaluate(rollout, learnt.problem, seed=OTHER_SEED)
            assert report.right, (name, report.sentence())
            deep = list(
                rollout.run_each(DEEP.get(name, ()), dfst.Limits(steps=1_000_000), learnt.problem.agent)
            )
            assert [run.input for run in deep if run.difference] == [], name
    assert sum(exact.values()) >= 12, exact
    print({name: (exact[name], round(seconds[name])) for name in MACHINES})
