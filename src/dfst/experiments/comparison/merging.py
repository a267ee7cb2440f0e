"""The same merging and the same prover for every recurrent learner, linear or not.

Hidden states are followed along the training set and merged into an automaton, as the polish of a DFST does,
down to the same number of states. The automaton is proved, or refuted, against the expert.
"""

import numpy as np

from dfst.errors import DfstError
from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.machines.agent import Agent
from dfst.model.compile import compile_agent
from dfst.proof import prove
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.follow import followed_states
from dfst.states.merged import first_merged

PROOF_SEED = 2  # draws the inputs on which a counterexample is sought


def merged_machine(trained: Trained, assignment: Assignment) -> Agent | None:
    """The automaton that a learner's hidden states merge into; None where none is found, or it has none."""
    if trained.machine is not None or trained.hidden is None:
        return trained.machine
    fewest = fewest_states_of_traces(assignment.traces, assignment.agent)[1]
    most = fewest or assignment.plan.shape(assignment.traces).d
    graph = first_merged(followed_states(trained.hidden, assignment.traces), most, enough=most)
    return None if graph is None else graph.agent("merged", assignment.agent)


def merged_verdict(machine: Agent | None, agent: Agent) -> dict[str, object]:
    """What is known of the automaton, for the records: its states, and proved, refuted or why neither."""
    if machine is None:
        return {"states": None, "verdict": "none"}
    verdict: str
    try:
        verdict = prove(compile_agent(machine), agent, rng=np.random.default_rng(PROOF_SEED)).strength
    except DfstError as error:
        verdict = f"open: {error}"
    return {"states": len(machine.states), "verdict": verdict}
