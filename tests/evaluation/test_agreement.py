"""Agreement with traces is the same as making the same run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import dfst
from dfst.evaluation.agreement import agreement
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


def test_an_exact_model_agrees_with_every_trace():
    expert = dfst.expert("add2")
    traces = sample_traces(expert, PAPER_SAMPLING["add2"])
    found = agreement(dfst.compile(expert), traces)
    assert found.complete
    assert (found.agreed, found.traces, found.steps) == (len(traces), len(traces), traces.tokens)


def test_the_first_other_action_is_told():
    expert = dfst.expert("add2")
    traces = sample_traces(expert, PAPER_SAMPLING["add2"])
    motion = expert.motion.copy()
    carry = expert.states.index("carry")
    motion[carry, expert.blank] = 0
    wrong = replace(expert, motion=motion)
    found = agreement(wrong, traces)
    ran = [run.difference for run in wrong.run_many(traces.inputs, dfst.Limits(), expert)]
    assert [parting.step for parting in found.partings] == [other.step for other in ran if other]
    assert "reading λ, expected 0 R, found 0 U" in str(found.partings[0])
    assert found.agreed == sum(other is None for other in ran)


def test_a_hidden_state_that_overflows_is_no_agreement():
    expert = dfst.expert("add2")
    traces = sample_traces(expert, PAPER_SAMPLING["add2"])
    model = dfst.compile(expert).astype(np.float32)
    found = agreement(replace(model, A=model.A * np.float32(1e30)), traces)
    assert not found.agreed
    assert "overflowed" in found.partings[0].said
