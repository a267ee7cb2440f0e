"""What the training sets of division leave open (docs/results/board.md)."""

from collections import defaultdict

import pytest

from dfst.experts import expert
from dfst.traces.replay import replayed_states
from dfst.train.settings import configure


@pytest.mark.parametrize("name", ["div10", "mod10"])
def test_one_comparison_is_never_followed_by_another_digit(name):
    """8 with 7: the way back meets the sign at once, so 7/08 is what a model may get wrong."""
    agent = expert(name)
    traces = configure(agent).problem.training_set().traces
    states, symbols = agent.states, agent.alphabet
    state = replayed_states(agent, traces)
    followed = defaultdict(set)
    for start, end in zip(traces.start, traces.start[1:], strict=False):
        for t in range(start, end - 2):
            if states[state[t]].startswith("(compare,") and states[state[t + 1]] == "less":
                followed[states[state[t]], symbols[traces.x[t]]].add(symbols[traces.x[t + 2]])
    assert len(followed) == 45
    assert [pair for pair, then in followed.items() if len(then) == 1] == [("(compare,8)", "7")]
