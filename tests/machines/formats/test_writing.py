"""What is only written: DOT as AALpy reads it, AT&T text as OpenFst defines it."""

import numpy as np
import pytest
from random_agent import PLANE_AND_STAY, random_agent

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.agent import HALT, MISSING
from dfst.machines.formats import format_machine, parse_machine, write_machine
from dfst.machines.formats.openfst import symbol_tables
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


@pytest.mark.parametrize("agent", AGENTS[:4], ids=lambda agent: agent.name)
def test_openfst_text_holds_every_rule(agent):
    text, (inputs, outputs) = format_machine(agent, "openfst"), symbol_tables(agent)
    known = [{line.split("\t")[0] for line in table.splitlines()} for table in (inputs, outputs)]
    arcs = [line.split("\t") for line in text.splitlines()]
    finals = [int(arc[0]) for arc in arcs if len(arc) == 1]
    rules = {}
    for source, target, read, output in (arc for arc in arcs if len(arc) == 4):
        assert read in known[0]
        assert output in known[1]
        rules[int(source), read] = (int(target), output)
    assert arcs[0][0] == "0"
    assert len(rules) == agent.rule_count
    halting = bool((agent.next == HALT).any())
    assert finals == ([len(agent.states)] if halting else list(range(len(agent.states))))
    for rule in agent.rules:
        target, output = rules[agent.states.index(rule.state), rule.symbol]
        assert output.split(",")[0] == rule.write
        assert target == (len(agent.states) if rule.next is None else agent.states.index(rule.next))


def test_a_state_without_rules_does_not_fit_openfst():
    with pytest.raises(InputError, match="'B' has none"):
        format_machine(parse_machine("1RB1LB_------"), "openfst")
