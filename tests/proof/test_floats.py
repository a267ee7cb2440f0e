"""The bounds on errors against exact rationals, and models against the floats they run in."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from evidence import slow
from forging import at, check_weights
from machine_zoo import rebased, with_room
from safetensors.numpy import save as save_tensors

from dfst.bench.rollouts import turned
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.transducer import in_order
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, floats, prove
from dfst.proof.drift import DOUBLINGS, Bounds, covered_steps, error_bounds
from dfst.proof.floats import Model, Unreadable, read_weights, to_the_bit
from dfst.proof.measure import states_as_basis
from dfst.proof.reading import HALT, MISSING

MOTIONS = ["U", "D", "L", "R", "S"]


def exact(array):
    """A matrix of rationals."""
    return [[Fraction(float(v)) for v in row] for row in np.atleast_2d(array)]


def times(a, b):
    return [
        [sum((u * v for u, v in zip(row, col, strict=True)), Fraction(0)) for col in zip(*b, strict=True)]
        for row in a
    ]


def inverse(matrix):
    """Gauss and Jordan, in rationals."""
    n = len(matrix)
    rows = [list(row) + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [v - rows[r][i] * w for v, w in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]


def norm(matrix):
    return max(sum(abs(v) for v in column) for column in zip(*matrix, strict=True))


def sizes(matrix):
    return [[abs(v) for v in row] for row in matrix]


def random_model(rng, d, symbols, states, dtype, spread):
    """A model and a table of what it decides, learnt states of very different directions and lengths."""
    stacked = (rng.normal(size=(symbols, d + symbols + 5, d)) * np.exp(rng.normal(size=d))).astype(dtype)
    hidden = rng.normal(size=(states, d)) @ np.diag(np.geomspace(1, 1 / spread, d))
    h0 = hidden[0].astype(dtype)
    hidden[0] = h0
    out = np.einsum("xij,cj->cxi", stacked.astype(np.float64), hidden)
    write = out[..., d : d + symbols].argmax(axis=2)
    rows = out[..., d + symbols :].argmax(axis=2)
    following = np.where(rows == 4, HALT, rng.integers(states, size=rows.shape))
    following[rng.random(rows.shape) < 0.2] = MISSING
    motion = np.where(rows == 4, 0, rows)
    model = Model(stacked, h0, [str(k) for k in range(symbols)], MOTIONS, "first", "")
    return model, hidden, (write, motion, following)


def part(matrix, rows, columns):
    return [[matrix[i][j] for j in columns] for i in rows]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [1.0, 1e4, 1e8])
def test_every_bound_is_on_the_safe_side_of_the_exact_rational(dtype, spread):
    rng = np.random.default_rng(int(spread) + np.dtype(dtype).itemsize)
    unit = Fraction(1, 2 ** (24 if dtype == np.float32 else 53))
    looked_at = 0
    for _ in range(60):
        d, symbols, states = (int(v) for v in rng.integers([1, 1, 1], [5, 4, 5]))
        model, hidden, table = random_model(rng, d, symbols, states, dtype, spread)
        Z, Y = states_as_basis(hidden) if rng.random() < 0.7 else (np.eye(d), np.eye(d))
        owners = np.unique(rng.integers(0, 3, size=d), return_inverse=True)[1]
        blocks = [np.flatnonzero(owners == block).tolist() for block in range(owners.max() + 1)]
        if rng.random() < 0.5:
            hidden[0] += 1e-6 * rng.normal(size=d)
        try:
            found = error_bounds(model, hidden, table, Z, Y, owners)
        except Rejected:
            continue
        looked_at += 1
        z, back = exact(Z), inverse(exact(Z))
        gamma = d * unit / (1 - d * unit)
        apart = [[Fraction(float(u)) - Fraction(float(v))] for u, v in zip(model.h0, hidden[0], strict=True)]
        write, motion, following = table
        row = 0  # the first keeps h from being rescaled
        for i, block in enumerate(blocks):
            assert found.first[i] >= sum(abs(times(z, apart)[k][0]) for k in block)
            assert found.slopes[0][i] >= norm(part(back, range(d), block))
        for c, x in np.argwhere(following != MISSING).tolist():
            W, h = exact(model.stacked[x]), [[v] for v in exact(hidden[c])[0]]
            out, size = times(W, h), times(sizes(W), sizes(h))
            if following[c, x] != HALT:
                A, target = W[:d], exact(hidden[following[c, x]])[0]
                moves, away = times(times(z, A), back), [[out[i][0] - target[i]] for i in range(d)]
                assert found.radius >= max(abs(v) for (v,) in away)
                off = times(sizes(z), [[gamma * size[i][0]] for i in range(d)])
                noise = [abs(u) + v for (u,), (v,) in zip(times(z, away), off, strict=True)]
                for i, block in enumerate(blocks):
                    assert found.noise[i] >= sum(noise[k] for k in block)
                    assert all(
                        found.growth[i, j] >= norm(part(moves, block, others))
                        for j, others in enumerate(blocks)
                    )
            won = d + symbols + (4 if following[c, x] == HALT else int(motion[c, x]))
            for wanted, rivals in (
                (d + write[c, x], range(d, d + symbols)),
                (won, range(d + symbols, d + symbols + 5)),
            ):
                for rival in rivals:
                    if rival == wanted:
                        continue
                    row += 1
                    lead = out[wanted][0] - out[rival][0] - gamma * (size[wanted][0] + size[rival][0])
                    assert found.leads[row] <= lead
                    ahead = times([[u - v for u, v in zip(W[wanted], W[rival], strict=True)]], back)
                    for i, block in enumerate(blocks):
                        assert found.slopes[row, i] >= max(abs(ahead[0][k]) for k in block)
        assert row + 1 == len(found.leads) == len(found.slopes)
    assert looked_at > 20


@pytest.mark.parametrize("seed", range(40))
def test_the_growth_is_never_below_the_exact_one(seed):
    """Where the slack of an earlier bound was too small: learnt states that are nearly dependent."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 6))
    A = rng.normal(size=(d, d))
    Y = rng.normal(size=(d, d)) @ np.diag(np.geomspace(1, 10.0 ** -rng.uniform(0, 7), d))
    Z = np.linalg.inv(Y)
    model = Model(np.concatenate([A, np.zeros((2, d))])[None], Y[:, 0], ["0"], ["U"], "first", "")
    table = tuple(np.zeros((d, 1), dtype=int) for _ in range(3))
    found = error_bounds(model, np.ascontiguousarray(Y.T), table, Z, Y, np.zeros(d, int))
    z = exact(Z)
    assert Fraction(float(found.growth[0, 0])) >= norm(times(times(z, exact(A)), inverse(z)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["add2", *slow("mult2"), "parity with room", "cycle with room"])
def test_floats_as_they_run_stay_within_the_bound(name, dtype):
    """Errors are measured in rationals, along runs in the model's own floats, step by step."""
    agent = expert(name.split()[0])
    weights = compile_agent(agent)
    weights = rebased(with_room(weights, 0) if "room" in name else weights, np.random.default_rng(3))
    weights = weights.astype(dtype)
    proof = prove(weights, agent).proof
    hidden = at(proof, "weights", "hidden")
    Z, Y, owners = (at(proof, "weights", "measure", part) for part in ("to", "back", "blocks"))
    owners = owners.ravel()
    assert (owners.max() > 0) == ("room" in name)
    table = tuple(at(proof, "subject", "table", part) for part in ("write", "motion", "next"))
    found = error_bounds(read_weights(weights_bytes(weights)), hidden, table, Z, Y, owners)
    rng, worst, blocks = np.random.default_rng(5), 0.0, range(len(found.noise))
    growth, noise = exact(found.growth), [[v] for v in exact(found.noise)[0]]
    for _ in range(4):
        h, c, bound = weights.h0, 0, [[v] for v in exact(found.first)[0]]
        for _ in range(40):
            edges = np.flatnonzero(table[2][c] >= 0)
            if not len(edges):
                break
            x = int(rng.choice(edges))
            h, c = in_order(weights.A[x], h), int(table[2][c, x])
            bound = [[u + v] for (u,), (v,) in zip(times(growth, bound), noise, strict=True)]
            away = [[u - v] for u, v in zip(exact(h)[0], exact(hidden[c])[0], strict=True)]
            measured = times(exact(Z), away)
            for block in blocks:
                of = sum(abs(measured[i][0]) for i in np.flatnonzero(owners == block).tolist())
                assert of <= bound[block][0]
                worst = max(worst, float(of / bound[block][0]))
    assert worst > 1e-4  # the bound says something


def bounds(growth, noise, allowed, first=0.0):
    """Of one block, and of a single decision."""
    growth, noise, first = np.array([[growth]]), np.array([noise]), np.array([first])
    return Bounds(growth, noise, first, np.ones((1, 1)), np.array([allowed]), 0.0, 1.0)


def test_steps_are_counted_as_the_exact_sum_has_them():
    rng = np.random.default_rng(0)
    far = 0
    for _ in range(200):
        growth = 1 + 10.0 ** rng.uniform(-16, 0)
        noise, allowed = 10.0 ** rng.uniform(-16, -3), 10.0 ** rng.uniform(-3, 0)
        n = covered_steps(bounds(growth, noise, allowed))
        assert n >= 1
        with localcontext() as context:
            context.prec = 80
            g, rate = Decimal(growth), Decimal(growth) - 1
            last = Decimal(noise) * ((g ** (n - 1) - 1) / rate if rate else Decimal(n - 1))
            assert last < Decimal(allowed)
            m = n + n // 50 + 1
            after = Decimal(noise) * ((g**m - 1) / rate if rate else Decimal(m))
            assert after > Decimal(allowed) or n > 10**9  # rounding up at each doubling adds up
        far += n > 10_000
    assert far > 50
    assert covered_steps(bounds(1.0, 0.0, 1.0)) == 2 ** (DOUBLINGS + 1)
    assert covered_steps(bounds(1.0, 1.0, 0.5)) == 1
    with pytest.raises(Rejected, match="first decision"):  # what fades may be too much at first
        covered_steps(bounds(0.5, 0.0, 1.0, first=1.5))
    assert covered_steps(bounds(0.5, 0.0, 1.0, first=0.9)) == 2 ** (DOUBLINGS + 1)


@pytest.mark.parametrize("seed", range(10))
def test_steps_of_several_blocks_are_no_more_than_stand_one_after_the_other(seed):
    """Doubling against step after step; errors at the start that fade never make a count too large."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 5))
    growth = 0.3 * rng.random((p, p)) / p
    growth[0] = rng.random(p) / 100
    growth[0, 0] = 1 + 1e-3 * rng.random()
    noise, first = (10.0 ** rng.uniform(-6, -3, size=p) for _ in range(2))
    slopes, leads = rng.random((5, p)), 10.0 ** rng.uniform(-2, 0, size=5)
    n = covered_steps(Bounds(growth, noise, first, slopes, leads, 0.0, 1.0))
    with localcontext() as context:
        context.prec = 60
        decimals = np.vectorize(Decimal, otypes=[object])
        G, each, u, S, most = map(decimals, (growth, noise, first, slopes, leads))
        stood = 0
        while stood < n and (S.dot(u) < most).all():
            stood, u = stood + 1, G.dot(u) + each
    assert 1 < n == stood


def test_a_model_that_grows_is_covered_no_longer_than_it_is_right():
    """A model that adds a hundredth of its hidden state at each step fails after about 70 of them."""
    stacked = np.array([[[1.01], [1.0], [0.5], [1.0]]])
    model = Model(stacked, np.ones(1), ["0", "1"], ["U"], "first", "")
    model = model._replace(stacked=np.concatenate([stacked, stacked]))
    table = tuple(np.zeros((1, 2), dtype=int) for _ in range(3))
    steps = covered_steps(error_bounds(model, np.ones((1, 1)), table, np.eye(1), np.eye(1), np.zeros(1, int)))
    h, taken = 1.0, 0
    while abs(h - 1.0) < 1.0:  # the lead of 0.5 over a slope of 0.5
        h, taken = 1.01 * h, taken + 1
    assert 10 < steps <= taken


def test_a_model_in_the_basis_of_its_learnt_states_is_covered_for_a_billion_steps():
    agent = expert("sort2")
    weights = turned(compile_agent(agent, dtype=np.float64), np.random.default_rng(7))
    assert prove(weights, agent).steps > 1e9
    assert prove(weights.astype(np.float32), agent).steps > 300


def test_whole_numbers_hold_in_every_format_and_order_until_they_are_too_large():
    agent = expert("add2")
    weights = compile_agent(agent)
    proof = prove(weights, agent).proof
    assert "float32 and float64" in check_weights(proof, weights)["arithmetic"]
    assert "float32 and float64" in check_weights(proof, weights.astype(np.float64))["arithmetic"]
    for factor, formats in (
        (2.0**23, "in float32 and float64"),
        (2.0**24, "in float32"),
        (0.5, "in float32"),
    ):
        shown = check_weights(proof, replace(weights, B=weights.B * np.float32(factor)))
        assert shown["arithmetic"] == f"{formats} as it runs, to the bit"


def test_a_whole_number_that_float32_cannot_hold_speaks_for_float64_only():
    """Where no hidden state ever has anything, yet 0 · ∞ is no number."""
    agent = expert("add2")
    weights = compile_agent(agent, d=13, dtype=np.float64)
    proof = prove(weights, agent).proof
    A, h0 = weights.A.copy(), weights.h0.copy()
    A[:, 0, 12] = 1e300
    assert check_weights(proof, replace(weights, A=A))["arithmetic"] == "in float64 as it runs, to the bit"
    h0[12] = 1e300
    bad = replace(weights, h0=h0)
    with pytest.raises(Rejected):
        check_weights(proof, bad)


def test_a_model_that_is_exact_in_one_format_only():
    """1 + 2⁻³⁰ is 1 in float32 and more in float64, from the same numbers."""
    stacked = np.array([[[1.0, 2.0**-30], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]])
    table = tuple(np.zeros((1, 1), dtype=int) for _ in range(3))
    for dtype in (np.float32, np.float64):
        model = Model(stacked.astype(dtype), np.ones(2, dtype), ["0"], ["U", "S"], "first", "")
        if dtype == np.float32:
            assert (
                to_the_bit(model, np.ones((1, 2)), table)["arithmetic"] == "in float32 as it runs, to the bit"
            )
        else:
            with pytest.raises(Rejected, match="next hidden state is another"):
                to_the_bit(model, np.ones((1, 2)), table)


def weights_file(changes=(), **tensors):
    """The bytes of compiled add2 with some tensors or metadata changed."""
    weights = compile_agent(expert("add2"))
    arrays = {name: getattr(weights, name) for name in ("A", "B", "C", "h0")} | tensors
    data = weights_bytes(weights)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return save_tensors(arrays, header["__metadata__"] | dict(changes))


def with_header(change):
    """The file with its header as text changed, its length fitting."""
    data = weights_file()
    size = 8 + int.from_bytes(data[:8], "little")
    header = change(data[8:size].decode()).encode()
    return len(header).to_bytes(8, "little") + header + data[size:]


BAD_FILES = {
    "a tensor more": lambda: weights_file(extra=np.zeros(3, np.float32)),
    "two formats": lambda: weights_file(h0=compile_agent(expert("add2")).h0.astype(np.float64)),
    "whole numbers": lambda: weights_file(h0=np.zeros(12, np.int32)),
    "half precision": lambda: weights_file(h0=np.zeros(12, np.float16)),
    "another shape": lambda: weights_file(A=np.zeros((4, 12, 11), np.float32)),
    "a symbol too many": lambda: weights_file({"alphabet": "0 1 λ + -"}),
    "the blank twice": lambda: weights_file({"alphabet": "λ 1 λ +"}),
    "a file of another kind": lambda: weights_file({"format": "dfst/0"}),
    "a motion twice": lambda: weights_file({"motions": "U U L R S"}),
    "a weight that is no number": lambda: weights_file(h0=np.full(12, np.nan, np.float32)),
    "an infinite weight": lambda: weights_file(h0=np.full(12, np.inf, np.float32)),
    "bytes at the end": lambda: weights_file() + b"\0" * 4,
    "bytes missing": lambda: weights_file()[:-4],
    "a key given twice": lambda: with_header(lambda t: t.rstrip()[:-1] + ',"A":1}'),
    "tensors that overlap": lambda: with_header(lambda t: t.replace("[2304,3072]", "[0,768]")),
    "no header": lambda: b"",
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_FILES)
def test_weights_files_that_could_be_read_in_two_ways_are_refused(kind):
    with pytest.raises((Rejected, ValueError, KeyError, TypeError, IndexError)):
        read_weights(BAD_FILES[kind]())


def test_a_model_too_wide_for_the_bounds_is_tested_and_no_more(monkeypatch):
    monkeypatch.setattr(floats, "MOST_UNITS", 11)
    agent = expert("add2")
    verdict = prove(compile_agent(agent), agent)
    assert verdict.strength == "tested"
    assert verdict.checked.endswith("no DFST of 1 to 11 hidden units")


def test_a_good_weights_file_is_read_and_named_by_its_numbers():
    weights = compile_agent(expert("add2"))
    names = {read_weights(weights_bytes(weights.astype(dtype))).sha256 for dtype in (np.float32, np.float64)}
    assert len(names) == 1
    other = replace(weights, h0=-weights.h0)
    assert read_weights(weights_bytes(other)).sha256 not in names
    with pytest.raises(Unreadable):
        read_weights(weights_file(extra=np.zeros(3, np.float32)))
