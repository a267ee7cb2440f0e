"""`check_unit` finds what is wrong with a control unit, and nothing wrong with any of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dfst
from dfst.errors import InputError
from dfst.experts import expert, expert_names
from dfst.machines import Agent
from dfst.machines.formats.published import PUBLISHED, published
from dfst.states import extract
from dfst.subjects import SHIPPED, shipped
from dfst.world.check import check_unit
from dfst.world.grid import L, Limits, R, S
from dfst.world.run import Run
from dfst.world.unit import ControlUnit, allowance


@pytest.fixture(
    params=[
        pytest.param(11, id="readably at first"),
        pytest.param(10**9, id="readably", marks=pytest.mark.slow),
        pytest.param(0, id="compiled", marks=pytest.mark.slow),
    ]
)
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways in which a process may run agents and models."""
    monkeypatch.setattr(allowance, "steps", request.param)


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("name", expert_names())
def test_experts_and_the_models_made_of_them(name: str) -> None:
    agent = expert(name)
    assert agent.task is not None
    rng = np.random.default_rng(0)
    operands = [agent.task.random_operands(rng, (n,) * agent.task.operand_count) for n in (1, 3)]
    inputs = [agent.task.example, *map(agent.task.write, operands)]
    check_unit(agent, inputs)
    check_unit(dfst.compile(agent), inputs, steps=100)


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_machines(name: str) -> None:
    check_unit(published(name), [""])


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_models(name: str) -> None:
    weights = shipped(name)
    assert weights.task is not None
    check_unit(weights, [weights.task.example], steps=200)


def test_an_extracted_machine() -> None:
    check_unit(extract(shipped("add2")).machine, ["1+1", "1011+111"])


@pytest.mark.usefixtures("start")
def test_machines_and_models_that_get_stuck() -> None:
    agent = expert("add2")
    following = agent.next.copy()
    following[2:, :] = -2
    check_unit(replace(agent, next=following), ["1+1", "101+11"])
    model = dfst.compile(agent)
    check_unit(replace(model, A=model.A * np.float32(1e9)), ["1" * 40 + "+1"])


class Walker(ControlUnit):
    """Goes right over its input and halts on the first blank."""

    name, alphabet, blank = "walker", ("λ", "1"), 0

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        return np.ones(len(text), dtype=np.uint8), 0

    def reset(self) -> None:
        self.count = 0

    def step(self, symbol: int) -> tuple[int, int]:
        self.count += 1
        return symbol, R if symbol else S


def test_a_unit_of_ones_own() -> None:
    check_unit(Walker(), ["", "1", "111"])
    assert Walker().run("111").answer == "111"
    assert len(Walker().trace("111")) == 4


def forgetful(self: Any) -> None:
    """No reset at all."""


def restless(self: Any, symbol: int) -> tuple[int, int]:
    self.count = getattr(self, "count", 0) + 1
    return symbol, L if self.count > 3 else R


def boastful(self: Any, text: str = "", limits: Limits = Limits()) -> Run:
    return replace(ControlUnit.run(self, text, limits), steps=1)


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"alphabet": ["λ", "1"]}, r"the alphabet must be a tuple of names, found \['λ', '1'\]"),
    ({"alphabet": ("λ", "λ")}, "1 to 255 different symbols, found 2, 1 of them different"),
    ({"blank": 2}, "the blank must be an index into the 2 symbols, found 2"),
    ({"encode": lambda self, text: ([1], 0)}, "encode must give a uint8 array"),
    ({"encode": lambda self, text: (np.array([7], dtype=np.uint8), 0)}, "symbol number 7 of 2"),
    ({"encode": lambda self, text: (np.ones(2, dtype=np.uint8), 5)}, "start on one of 2 cells, found 5"),
    ({"step": lambda self, symbol: (2, S)}, "return a symbol from 0 to 1, found 2 at step 0"),
    ({"step": lambda self, symbol: (0, 6)}, "return a motion from 0 to 5, found 6 at step 0"),
    ({"step": lambda self, symbol: (0.0, S)}, "return a symbol from 0 to 1, found 0.0"),
    ({"reset": forgetful, "step": restless}, "must be the same run again; step 0 was not"),
    ({"run": boastful}, "run must end as stepping does, in 3 steps at .*, halted; it ends in 1 step "),
    ({"trace": lambda self, text, limits: Walker().trace("")}, "trace must show the actions"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_every_fault_is_told_in_one_line(change: dict[str, Any], message: str) -> None:
    unit = type("Faulty", (Walker,), change)()
    with pytest.raises(InputError, match=message) as raised:
        check_unit(unit, ["11"], steps=50)
    assert "\n" not in str(raised.value)


def test_what_is_no_unit_at_all() -> None:
    check: Callable[..., None] = check_unit
    with pytest.raises(InputError, match=r"int has no name: subclass dfst\.ControlUnit"):
        check(3, [""])


def test_stepping_by_hand_is_left_alone_by_runs() -> None:
    agent: Agent = expert("add2")
    agent.reset()
    first = agent.step(agent.alphabet.index("+"))
    before = agent.at
    agent.run("1+1")
    agent.trace("1+1")
    assert agent.at == before
    agent.reset()
    assert agent.step(agent.alphabet.index("+")) == first
