"""Proving that a unit solves a problem: on every input that the problem speaks about."""

from dataclasses import replace

import numpy as np

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.problems.problem import Problem
from dfst.proof import Verdict, prove
from dfst.proof.prove import MAX_CONFIGURATIONS

PROOF_SEED = 2  # draws the runs on which the prover looks for learnt states


def prove_problem(unit: Agent | Weights, problem: Problem) -> Verdict:
    """The strongest statement about the unit acting as the problem's reference does."""
    problem = problem.for_unit(unit)
    if problem.inputs is None:
        raise InputError(f"{problem.name} names no set of inputs, so there is nothing to prove")
    rng, most = np.random.default_rng(PROOF_SEED), problem.most_configurations or MAX_CONFIGURATIONS
    verdict = prove(unit, problem.agent, inputs=problem.inputs, rng=rng, most=most)
    if problem.called == Problem.called:
        return replace(verdict, by_expert=True)
    return replace(verdict, against=problem.called)
