"""The paper's sampler, its counts, and what the sets show."""

from dataclasses import replace

import numpy as np
import pytest
from teachers import add_at_first

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.rulebook import RuleBook
from dfst.tasks.registry import find_task
from dfst.traces.replay import rule_coverage
from dfst.traces.sample import (
    PAPER_SAMPLING,
    WORD_SAMPLING,
    Sampling,
    candidate_inputs,
    record_all,
    sample_inputs,
    sample_traces,
)
from dfst.traces.traceset import load_traces, save_traces
from dfst.world.grid import S


@pytest.mark.parametrize("name", PAPER_SAMPLING)
def test_counts_of_the_paper(name):
    task, sampling = find_task(name), PAPER_SAMPLING[name]
    inputs = sample_inputs(task, sampling)
    radix = task.radix
    assert len(inputs) == len(set(inputs)) == sampling.samples
    assert (
        task.count_up_to(sampling.p, sampling.samples)
        == radix**2 * (radix**sampling.p - 1) ** 2 // (radix - 1) ** 2
    )
    first, then = inputs[: radix**2], inputs[radix**2 : 2 * radix**2]
    assert all(len(a) == len(b) == 1 for a, b in first)
    assert all(len(a) == len(b) == sampling.max_digits and len(set(a)) == len(set(b)) == 1 for a, b in then)
    assert max(len(o) for pair in inputs for o in pair) == sampling.max_digits


@pytest.mark.parametrize("name", ["add2", "add10", "mult2"])
def test_the_data_seed_shows_every_rule(name):
    agent = expert(name)
    traces = sample_traces(agent, PAPER_SAMPLING[name])
    assert not rule_coverage(agent, traces).unseen
    assert (traces.m[traces.start[1:] - 1] == S).all()


def test_rules_that_are_never_shown_are_named():
    agent = add_at_first(find_task("add10"))
    coverage = rule_coverage(agent, sample_traces(agent, PAPER_SAMPLING["add10"]))
    assert [(r.state, r.symbol) for r in coverage.unseen] == [("left", "2"), ("left", "3"), ("left", "8")]
    assert "(left, 2), (left, 3), (left, 8)" in coverage.sentence()


def test_coverage_counts_every_step():
    agent = expert("mult2")
    traces = sample_traces(agent, Sampling(1, 3, 60))
    assert rule_coverage(agent, traces).uses.sum() == traces.tokens


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        ((0, 3, 20), "max-digits must be at least p=0, found 3"),
        ((3, 2, 20), "max-digits must be at least p=3, found 2"),
        ((1, 3, 0), "samples must be at least 1, found 0"),
        ((1, 3, 7), "at least that many"),
        ((1, 3, 1000), "different inputs"),
        ((1, 10**12, 20), "more than a training set can hold"),
        ((1, 3, 10**12), "more than a training set can hold"),
    ],
)
def test_impossible_sets_are_refused(sampling, words):
    with pytest.raises(InputError, match=words):
        sample_inputs(find_task("add2"), Sampling(*sampling))


def test_where_not_all_inputs_are_drawn_no_draw_goes_on_for_ever():
    task, usual = find_task("missing_duplicate"), WORD_SAMPLING["missing_duplicate"]
    with pytest.raises(InputError, match=r"only .* different inputs of missing_duplicate could be drawn"):
        sample_inputs(task, replace(usual, samples=4_000))
    assert 300 < len(set(candidate_inputs(task, usual, 4_000))) < 4_000


def test_one_rule_is_no_plural():
    rules = RuleBook(("1", "λ"))
    rules.halt("q", "1")
    agent = rules.agent("halting", layout="first")
    shown, nothing = (rule_coverage(agent, record_all(agent, inputs)) for inputs in (["1"], []))
    assert shown.sentence() == "the traces show the only rule of halting"
    assert "show 0 of 1 rule of halting" in nothing.sentence()


def test_save_and_load(tmp_path):
    traces = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    save_traces(traces, tmp_path / "t.safetensors")
    again = load_traces(tmp_path / "t.safetensors")
    assert again.fingerprint == traces.fingerprint
    assert again.inputs == traces.inputs
    assert all(again[i].same_as(traces[i]) for i in range(len(traces)))


@pytest.mark.parametrize("symbols", [("a b", "one", "λ"), (" ", "", "1")])
def test_symbols_may_be_long_or_hold_spaces(tmp_path, symbols):
    traces = replace(record_all(expert("parity"), ["01"]), alphabet=symbols)
    save_traces(traces, tmp_path / "t.safetensors")
    again = load_traces(tmp_path / "t.safetensors")
    assert (again.alphabet, again.fingerprint) == (symbols, traces.fingerprint)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "t.safetensors"
    save_traces(sample_traces(expert("add2"), PAPER_SAMPLING["add2"]), path)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="its checksum does not fit; record the traces again"):
        load_traces(path)
    path.write_bytes(data[:100])
    with pytest.raises(InputError, match=r"is cut off: expected .* bytes, found 100"):
        load_traces(path)


def test_the_hash_follows_the_content():
    a = sample_traces(expert("add2"), PAPER_SAMPLING["add2"])
    b = sample_traces(expert("add2"), replace(PAPER_SAMPLING["add2"], data_seed=3))
    assert a.fingerprint != b.fingerprint
    assert a.subset(range(len(a))).fingerprint == a.fingerprint
    assert np.array_equal(a.subset([3])[0].x, a[3].x)
