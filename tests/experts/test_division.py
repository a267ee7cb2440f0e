"""What the training sets of division show: a draw that left one comparison open used to fail on 7/08."""

from collections import defaultdict

import pytest
from evidence import slow

from dfst.experts import expert
from dfst.traces.replay import replayed_states
from dfst.train.settings import configure


@pytest.mark.parametrize("name", ["div2", *slow("div10", "mod10")])
def test_every_comparison_is_followed_by_more_than_the_sign(name):
    agent = expert(name)
    traces = configure(agent).problem.training_set().traces
    states, symbols = agent.states, agent.alphabet
    state = replayed_states(agent, traces)
    followed = defaultdict(set)
    for start, end in zip(traces.start, traces.start[1:], strict=False):
        for t in range(start, end - 2):
            if states[state[t]].startswith("(compare,") and states[state[t + 1]] == "less":
                followed[states[state[t]], symbols[traces.x[t]]].add(symbols[traces.x[t + 2]])
    assert len(followed) == agent.task.radix * (agent.task.radix - 1) // 2
    assert all(len(then) > 1 for then in followed.values())
