"""The learnt models that come with the package: right, proved, in both precisions, with a card."""

from importlib import resources

import numpy as np
import pytest

from dfst.agents import expert
from dfst.evaluation.length import evaluate
from dfst.paper import TASKS
from dfst.proof import Rejected, verify
from dfst.proof.language import task_language
from dfst.rollout.compiled import Rollout
from dfst.subjects import SHIPPED, resolve, shipped, shipped_models

FOLDER = resources.files("dfst") / "weights"


def test_all_four_are_there():
    assert shipped_models() == list(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_sizes_are_the_papers(name):
    weights = shipped(name)
    assert weights.shape.size == TASKS[name].parameters
    assert weights.training["samples"] == str(TASKS[name].samples)
    assert weights.dtype == np.float64
    assert resolve(f"{name}.float32").dtype == np.float32


@pytest.mark.parametrize("precision", ["", ".float32"])
@pytest.mark.parametrize(("name", "digits"), [("add2", 60), ("add10", 40), ("mult2", 24), ("mult10", 9)])
def test_right_beyond_what_training_showed(name, digits, precision):
    report = evaluate(Rollout(resolve(name + precision)), name, expert(name), digits, seed=11)
    assert report.failures == []
    assert report.margin > 0.9


@pytest.mark.parametrize("name", SHIPPED)
def test_the_stored_proof_holds(name):
    proof = (FOLDER / f"{name}.proof.json").read_bytes()
    weights = (FOLDER / f"{name}.safetensors").read_bytes()
    agent = expert(name)
    assert agent.task is not None
    assert verify(proof, agent, task_language(agent.task), weights)


def test_a_proof_of_one_model_is_none_of_another():
    proof = (FOLDER / "add2.proof.json").read_bytes()
    other = (FOLDER / "mult2.safetensors").read_bytes()
    agent = expert("add2")
    assert agent.task is not None
    with pytest.raises(Rejected):
        verify(proof, agent, task_language(agent.task), other)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_model_has_a_card_with_its_commands(name):
    card = (FOLDER / f"{name}.md").read_text("utf-8")
    assert f"dfst evaluate {name} --digits" in card
    assert "Spectral radius" in card
