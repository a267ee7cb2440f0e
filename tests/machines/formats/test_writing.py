"""What is only written: DOT as AALpy reads it."""

import numpy as np
import pytest
from random_agent import PLANE_AND_STAY, random_agent

from dfst.experts import expert
from dfst.machines.agent import HALT, MISSING
from dfst.machines.formats import write_machine
from dfst.machines.formats.published import published
from dfst.world.grid import MOTION_NAMES, Limits

AGENTS = [
    expert("add2"),
    expert("mult10"),
    published("bb5"),
    published("langton"),
    random_agent(
        np.random.default_rng(1), 9, 5, PLANE_AND_STAY, 0.2, 0.1, alphabet=["λ", "×", "{", "->", "b"]
    ),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_aalpy_reads_the_same_machine(agent, tmp_path):
    aalpy = pytest.importorskip("aalpy.utils")
    write_machine(agent, tmp_path / "machine.dot")
    loaded = aalpy.load_automaton_from_file(str(tmp_path / "machine.dot"), automaton_type="mealy")
    states = {state.state_id: state for state in loaded.states}
    halts = bool((agent.next == HALT).any())
    assert len(states) == len(agent.states) + halts
    ordered = loaded.states
    assert loaded.initial_state is ordered[0]
    assert sum(len(state.transitions) for state in ordered) == agent.rule_count
    for q, k in np.argwhere(agent.next != MISSING):
        symbol = agent.alphabet[k]
        read = int(symbol) if symbol.isdigit() else symbol
        target = ordered[q].transitions[read]
        assert target is ordered[len(agent.states) if agent.next[q, k] == HALT else agent.next[q, k]]
        written, motion = ordered[q].output_fun[read].rsplit(",", 1)
        assert written == agent.alphabet[agent.write[q, k]]
        stays = agent.motion[q, k] == 4 and agent.next[q, k] >= 0
        assert motion == ("N" if stays else MOTION_NAMES[agent.motion[q, k]])


def test_a_mealy_machine_puts_out_what_an_onlooker_sees(tmp_path):
    aalpy = pytest.importorskip("aalpy.utils")
    agent = expert("add10")
    write_machine(agent, tmp_path / "machine.gv")
    loaded = aalpy.load_automaton_from_file(str(tmp_path / "machine.gv"), automaton_type="mealy")
    trace = agent.trace("907+86", Limits())
    loaded.reset_to_initial()
    for x, s, m in zip(trace.x, trace.s, trace.m, strict=True):
        symbol = agent.alphabet[x]
        seen = loaded.step(int(symbol) if symbol.isdigit() else symbol)
        assert seen == f"{agent.alphabet[s]},{MOTION_NAMES[m]}"
    assert loaded.current_state.state_id == "halt"
