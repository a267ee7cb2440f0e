"""What tests of proofs share; the machines that tests of extraction share with them live with those."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import prove

sys.path.insert(0, str(Path(__file__).parent.parent / "states"))


@pytest.fixture(scope="session")
def subjects():
    """name → (proof, weights): a machine, a model exact to the bit, a model with bounded errors."""
    from machine_zoo import rebased

    agent = expert("add2")
    # With a rule for whatever the expert has none, so that pairs of states alone do not show it.
    total = replace(agent, next=np.where(agent.next == MISSING, HALT, agent.next).astype(np.int32))
    one_hot = compile_agent(agent)
    turned = rebased(one_hot, np.random.default_rng(0))
    return {
        "machine": (prove(total, agent).proof, None),
        "bits": (prove(one_hot, agent).proof, weights_bytes(one_hot)),
        "bounded": (prove(turned, agent).proof, weights_bytes(turned)),
    }
