"""What grows when the same symbols are read again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.experts import expert
from dfst.model.compile import compile_agent
from dfst.model.growth import fastest_growth
from dfst.subjects import shipped
from dfst.traces.reweighting import repeated_words
from dfst.traces.sample import PAPER_SAMPLING, sample_traces

TASKS = ["add2", "add10", "mult2"]


def rounds_of(task: str) -> list[tuple[int, ...]]:
    return repeated_words(sample_traces(expert(task), PAPER_SAMPLING[task]))


@pytest.mark.parametrize("task", TASKS)
def test_nothing_grows_in_an_expert_or_in_a_shipped_model(task: str) -> None:
    for weights in (compile_agent(expert(task)), shipped(task), shipped(f"{task}.descent")):
        growth = fastest_growth(weights, rounds_of(task))
        assert growth is not None
        assert not growth.harmful


def test_what_grows_in_turn_is_found_and_named() -> None:
    weights = compile_agent(expert("add2"))
    A = np.zeros_like(weights.A)
    A[0, 1, 0], A[1, 0, 1] = 1.3, 0.8
    growth = fastest_growth(replace(weights, A=A), [(0,), (1,), (0, 1), (0, 0, 1)])
    assert growth is not None
    assert growth.symbols == "".join(weights.alphabet[x] for x in (0, 1))
    assert growth.rate == pytest.approx(0.04)
    assert growth.harmful
    assert growth.sentence() == f"an error grows by 4.0% whenever it reads {growth.symbols} once more"


def test_without_rounds_there_is_nothing_to_say() -> None:
    assert fastest_growth(shipped("add2"), []) is None
