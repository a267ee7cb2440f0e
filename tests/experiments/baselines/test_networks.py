"""Every network: causal, the same in one piece and in many, as large as the DFST, trained on its loss."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
import torch
from evidence import slow
from torch.nn.functional import normalize

from dfst.experiments.baselines.network import (
    GRU,
    LSTM,
    Actions,
    Network,
    NetworkReader,
    Training,
    action_loss,
    nearest_width,
    padded,
)
from dfst.experiments.baselines.reading import ReadingUnit
from dfst.experiments.baselines.transformer import Transformer
from dfst.experts import expert
from dfst.model.dfst import DFST
from dfst.model.weights import Shape
from dfst.traces.reweighting import step_weights
from dfst.traces.sample import record_all
from dfst.train.settings import configure
from dfst.world.check import check_unit
from dfst.world.grid import MOTIONS, Limits
from dfst.world.trace import UNKNOWN

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "state_space.py"))
COLUMN_NORM, REFLECTIONS, VALUES = (EXAMPLE[name] for name in ("COLUMN_NORM", "REFLECTIONS", "VALUES"))
SelectiveDense, DeltaProduct = EXAMPLE["SelectiveDense"], EXAMPLE["DeltaProduct"]
NETWORKS = pytest.mark.parametrize(
    "kind",
    [LSTM, GRU, Transformer, SelectiveDense, DeltaProduct],
)
ACTIONS = Actions(4, MOTIONS)


@NETWORKS
def test_later_symbols_change_no_earlier_score(kind: type[Network]) -> None:
    torch.manual_seed(0)
    network = kind(ACTIONS, 2 * kind.width_step)
    x = torch.randint(0, 4, (3, 21))
    other = x.clone()
    other[:, 13:] = (other[:, 13:] + 1) % 4
    with torch.no_grad():
        scores, changed = network(x)[0], network(other)[0]
    assert scores.shape == (3, 21, 9)
    assert torch.allclose(scores[:, :13], changed[:, :13], atol=1e-6)
    assert not torch.allclose(scores[:, 13:], changed[:, 13:], atol=1e-3)


@NETWORKS
@pytest.mark.parametrize("pieces", [(1,) * 17, (16, 1), (3, 7, 7), (17,)])
def test_reading_in_pieces_is_reading_at_once(kind: type[Network], pieces: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    network = kind(ACTIONS, 3 * kind.width_step).double()
    x = torch.randint(0, 4, (2, 17))
    with torch.no_grad():
        whole, state, found = network(x)[0], None, []
        for piece in x.split(pieces, dim=1):
            scores, state = network(piece, state)
            found.append(scores)
    assert torch.allclose(torch.cat(found, dim=1), whole, atol=1e-6)


@NETWORKS
@pytest.mark.parametrize("task", ["add2", "add10", "mult2"])
def test_sizes_are_near_the_dfsts(kind: type[Network], task: str) -> None:
    plan = configure(expert(task))
    shape = Shape(len(plan.problem.alphabet), len(MOTIONS), plan.problem.hidden_size(None))
    actions = Actions(shape.symbols, MOTIONS)
    step = kind.width_step
    width = nearest_width(kind, actions, shape.size)
    sizes = {w: kind(actions, w).parameter_count for w in (width - step, width, width + step) if w > 0}
    assert min(sizes, key=lambda w: abs(sizes[w] - shape.size)) == width
    assert sizes[width] == pytest.approx(shape.size, rel=0.35)


def test_householder_steps_at_once_are_one_after_the_other() -> None:
    torch.manual_seed(4)
    network = DeltaProduct(ACTIONS, 5).double()
    z, H = torch.randn(3, 5, dtype=torch.float64), torch.randn(3, 5, VALUES, dtype=torch.float64)
    with torch.no_grad():
        multiplied, added = network.steps(z)
        keys, values = network.keys(z).view(3, REFLECTIONS, 5), network.values(z).view(3, REFLECTIONS, VALUES)
        betas, stepped = 2 * torch.sigmoid(network.strength(z)), H
        for j in range(REFLECTIONS):
            k, v, beta = normalize(keys[:, j], dim=1)[:, :, None], values[:, j, None], betas[:, j, None, None]
            stepped = stepped - beta * k @ (k.transpose(1, 2) @ stepped) + beta * k @ v
    assert torch.allclose(multiplied @ H + added, stepped, atol=1e-12)


@pytest.mark.parametrize("kind", [SelectiveDense, DeltaProduct])
def test_a_state_space_model_is_its_recurrence(kind: type[Network]) -> None:
    torch.manual_seed(6)
    network, x = kind(ACTIONS, 5).double(), torch.randint(0, 4, (2, 9))
    with torch.no_grad():
        z = network.norm(network.embed.weight)
        multiplied, added = network.steps(z)
        state, states = torch.zeros(2, 5, network.vectors, dtype=torch.float64), []
        for t in range(9):
            state = multiplied[x[:, t]] @ state + added[x[:, t]]
            states.append(state.transpose(1, 2))
        seen = network.read(network.look(z, x, torch.stack(states, 2)))
        expected = network.embed(x) + network.narrow(torch.nn.functional.gelu(network.widen(seen)))
        assert torch.allclose(network(x)[0], network.scores(network.last(expected)), atol=1e-12)


def test_columns_of_the_mixture_have_norm_one() -> None:
    torch.manual_seed(5)
    with torch.no_grad():
        normed = SelectiveDense(ACTIONS, 6).steps(torch.randn(3, 6))[0].abs()
    assert torch.allclose(normed.pow(COLUMN_NORM).sum(1), torch.ones(3, 6), atol=1e-5)


@NETWORKS
def test_hidden_states_are_those_of_reading(kind: type[Network]) -> None:
    """Stepping from state to state, as merging does, is reading the symbols in a row."""
    torch.manual_seed(7)
    network = kind(ACTIONS, 2 * kind.width_step)
    hidden = NetworkReader(network.eval()).hidden_states()
    if kind.context is not None:
        assert hidden is None
        return
    assert hidden is not None
    h = hidden.start
    assert not h.any()
    x = torch.randint(0, 4, (1, 9))
    for symbol in x[0].tolist():
        h = hidden.step(h, symbol)
    with torch.no_grad():
        state = network.double()(x)[1]
    flat = torch.cat([part.ravel() for part in (state if isinstance(state, tuple) else [state])])
    np.testing.assert_allclose(h, flat.numpy(), atol=1e-12)


def test_the_loss_is_the_dfsts() -> None:
    traces = configure(expert("add2")).problem.training_set().traces
    data = padded(traces, "cpu")
    x, s, m, lengths = data.batch(np.array([0, 3, 19]))
    assert x.shape[1] == traces.lengths[[0, 3, 19]].max()
    torch.manual_seed(2)
    model = DFST(Shape(4, 5, 12))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        ours = action_loss(torch.cat(model(x), dim=2), s, m, lengths, 4)
        assert float(ours) == pytest.approx(float(model.loss(x, s, m, lengths)), rel=1e-6)


def test_rare_steps_count_for_as_much_as_in_our_training() -> None:
    traces = configure(expert("add2")).problem.training_set().traces
    data = padded(traces, "cpu", reweighting=0.25)
    weights = np.concatenate([row[:n] for row, n in zip(data.weights.numpy(), data.lengths, strict=True)])
    np.testing.assert_allclose(weights, step_weights(traces, 0.25), rtol=1e-6)
    torch.manual_seed(0)
    training = Training(GRU(ACTIONS, 4), data, seed=0, batch=20, rate=0.0)
    every = np.arange(len(traces))
    x, s, m, lengths = data.batch(every)
    with torch.no_grad():
        away = training.network(x)[0] - torch.cat(
            [torch.nn.functional.one_hot(s, 4), torch.nn.functional.one_hot(m, len(traces.motions))], dim=2
        )
        each = (away.square().sum(2) * data.weights[:, : x.shape[1]]).sum(1) / (2 * lengths)
        assert float(training._loss(every)) == pytest.approx(float(each.mean()), rel=1e-5)
        assert training.whole_loss() != pytest.approx(float(each.mean()), rel=1e-3)


def test_unknown_actions_count_for_nothing() -> None:
    traces = record_all(expert("add2"), ["1+1", "0+1"])
    hidden = np.arange(traces.tokens) % 3 == 0
    x, s, m, lengths = padded(traces.without(hidden), "cpu").batch(np.array([0, 1]))
    torch.manual_seed(0)
    one = torch.randn(*x.shape, 4 + len(traces.motions))
    other = torch.where((m == UNKNOWN)[..., None], torch.randn_like(one), one)
    assert not torch.equal(one, other)
    assert float(action_loss(one, s, m, lengths, 4)) == float(action_loss(other, s, m, lengths, 4)) > 0


@pytest.mark.parametrize("kind", [GRU, *slow(LSTM, Transformer, SelectiveDense, DeltaProduct)])
def test_a_network_that_knows_one_run_acts_it_out_in_the_closed_loop(kind: type[Network]) -> None:
    """A few steps on one trace; then the closed loop and the reading of the trace agree on every input."""
    agent = expert("add2")
    x, s, m, lengths = padded(record_all(agent, ["1+1", "0+1"]), "cpu").batch(np.array([0, 1]))
    torch.manual_seed(3)
    network = kind(ACTIONS, 4 * kind.width_step)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(40):
        optimiser.zero_grad()
        action_loss(network(x)[0], s, m, lengths, 4).backward()
        optimiser.step()
    subject = ReadingUnit(NetworkReader(network.eval()), agent, kind.__name__)
    texts = ["1+1", "0+1", "10+1", "1+111"]
    check_unit(subject, texts, steps=40)
    for text, run in zip(texts, subject.run_each(texts, Limits(), agent), strict=True):
        alone = next(subject.run_each([text], Limits(steps=run.steps + 1)))
        assert alone.steps >= run.steps
        wanted = agent.trace(text)
        subject.reset()
        actions = [subject.step(int(symbol)) for symbol in wanted.x[: run.steps + 1]]
        expected = list(zip(wanted.s.tolist(), wanted.m.tolist(), strict=True))[: run.steps + 1]
        assert actions[: run.steps] == expected[: run.steps]
        assert (actions != expected) == (run.difference is not None)
