"""`dfst.recurrence` against the loop: states, scores and every gradient, at awkward sizes, on CPU and GPU."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from functools import cache
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="it is an operator of torch")
GPU = torch.cuda.is_available()
if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"

import dfst  # noqa: E402
from dfst.errors import InputError  # noqa: E402
from dfst.kernels import operator  # noqa: E402
from dfst.kernels.cpu import sweep as sweep_cpu  # noqa: E402
from dfst.kernels.reference import recurrence as reference  # noqa: E402
from dfst.kernels.reference import recurrence as sweep_plain  # noqa: E402

Tensor = torch.Tensor
# symbols, d, lengths, read-outs
CASES = [
    (2, 1, [1], (1,)),
    (1, 3, [2, 0, 1], (2, 3)),
    (4, 12, [63, 64, 65, 0, 1], (4, 5)),
    (12, 20, [65, 2, 40], ()),
    (13, 33, [64, 64], (7,)),
    (300, 5, [40, 63], (2,)),
    (12, 108, [63, 1, 30], (12, 5)),
    (3, 256, [65, 2], (4,)),
    (2, 4, [0, 0], (3,)),
]
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5}
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def draw(
    case: Any, dtype: Any, shared: bool = True, device: str = "cpu"
) -> tuple[list[Tensor], Tensor, Tensor]:
    """Leaves A, h0, O…, then x and lengths; what lies beyond a length is no symbol at all."""
    k, d, lengths, readouts = case
    make = torch.Generator().manual_seed(k * 1000 + d)
    size = (len(lengths), max(lengths))

    def normal(*sizes: int) -> Tensor:
        return torch.randn(*sizes, generator=make, dtype=torch.float64)

    # Orthogonal matrices keep h at its length over any number of steps.
    A = torch.linalg.qr(normal(k, d, d))[0]
    h0 = normal(d) if shared else normal(len(lengths), d)
    leaves = [A, h0, *(normal(k, o, d) / d**0.5 for o in readouts)]
    n = torch.tensor(lengths)
    x = torch.randint(0, k, size, generator=make).masked_fill(torch.arange(size[1]) >= n[:, None], -7)
    # numbers that float32 holds too, so that both precisions have one truth
    return [leaf.float().to(device, dtype).requires_grad_() for leaf in leaves], x.to(device), n.to(device)


def all_of(recurrence: Any, leaves: list[Tensor], x: Tensor, lengths: Tensor) -> list[Tensor]:
    """States, scores, and the gradients of a weighted sum of them all."""
    A, h0, *readouts = leaves
    found = recurrence(A, x, h0, *readouts, lengths=lengths)
    found = found if readouts else (found,)
    make = torch.Generator().manual_seed(0)
    total = 0
    for each in found:
        weight = torch.randn(each.shape, generator=make, dtype=torch.float64)
        total = total + (each * weight.to(each)).sum()
    return [each.detach() for each in found] + list(
        torch.autograd.grad(total, leaves, materialize_grads=True)
    )


@cache
def truth(case: str, shared: bool) -> list[Tensor]:
    """The loop's answer, once for all precisions and devices."""
    return all_of(reference.recurrence, *draw(literal_eval(case), torch.float64, shared))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_everything_is_as_in_the_loop(case: Any, dtype: Any, device: str) -> None:
    shared = len(case[3]) != 1
    expected = truth(str(case), shared)
    found = all_of(dfst.recurrence, *draw(case, dtype, shared, device))
    for right, value in zip(expected, found, strict=True):
        assert (value.dtype, value.shape, value.device.type) == (dtype, right.shape, device)
        scale = max(1e-6, float(right.abs().max())) if right.numel() else 1.0
        torch.testing.assert_close(value.cpu().double(), right, rtol=0, atol=TOLERANCE[dtype] * scale)


SWEPT = [(2, 1, [3, 1], ()), (3, 5, [7, 0, 4], ()), (3, 17, [5, 6], ()), (260, 3, [9], ())]
WIDE = (2, 130, [3, 0, 2], ())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("case", [*SWEPT, WIDE], ids=str)
def test_every_sweep_is_the_plain_one(case: Any, shared: bool, dtype: Any) -> None:
    """The GPU's too: in Triton's interpreter where there is no GPU."""
    pytest.importorskip(
        "triton", reason="no Triton for this platform: its kernels cannot even be interpreted"
    )
    from dfst.kernels.gpu import sweep as sweep_gpu

    (A, h0), x, lengths = draw(case, dtype, shared)
    A, h0 = A.detach().contiguous(), h0.detach()
    tokens = operator._tokens(x, lengths, len(A))
    drive = torch.randn(*tokens.shape, A.shape[2], dtype=dtype)
    assert sweep_gpu._is_wide(A) == (case == WIDE)
    for forward, given in ((True, h0 if h0.dim() == 2 else h0[None]), (False, drive)):
        plain, *others = (
            (sweeps.forward if forward else sweeps.backward)(
                *(
                    tensor.to("cuda" if GPU and sweeps is sweep_gpu else "cpu")
                    for tensor in (A, tokens, lengths, given)
                )
            ).cpu()
            for sweeps in (sweep_plain, sweep_cpu, sweep_gpu)
        )
        for found in others:
            torch.testing.assert_close(found, plain, rtol=0, atol=10 * TOLERANCE[dtype])


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
def test_torch_finds_nothing_wrong_with_it(device: str) -> None:
    (A, h0, O), x, lengths = draw((3, 4, [5, 0, 2], (2,)), torch.float64, device=device)
    inputs = (A, O, x.clamp(min=0), h0[None].detach().requires_grad_(), lengths)
    torch.library.opcheck(operator._recurrence, inputs)
    h, scores = operator._recurrence(*inputs)
    slopes = (torch.randn_like(h).detach(), torch.randn_like(scores).detach())
    back = (A.detach(), O.detach(), x, lengths, h.detach(), *slopes)
    torch.library.opcheck(operator._recurrence_backward, back)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shared", [True, False])
def test_gradients_are_slopes(shared: bool, device: str) -> None:
    (A, h0, O), x, lengths = draw((3, 4, [5, 0, 2], (2,)), torch.float64, shared, device)
    assert torch.autograd.gradcheck(
        lambda A, h0, O: dfst.recurrence(A, x, h0, O, lengths=lengths), (A, h0, O)
    )
    assert torch.autograd.gradcheck(lambda A, h0: dfst.recurrence(A, x, h0, lengths=lengths), (A, h0))


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
def test_it_compiles_into_one_graph(device: str) -> None:
    (A, h0, O), x, lengths = draw((3, 4, [5, 0, 2], (2,)), torch.float64, device=device)

    def loss(A: Tensor, h0: Tensor, O: Tensor) -> Tensor:
        _, scores = dfst.recurrence(A, x, h0, O, lengths=lengths)
        return scores.square().sum()

    slopes = [
        torch.autograd.grad(each(A, h0, O), (A, h0, O))
        for each in (loss, torch.compile(loss, backend="aot_eager", fullgraph=True))
    ]
    for plain, compiled in zip(*slopes, strict=True):
        assert torch.equal(plain, compiled)


def test_bits_depend_neither_on_threads_nor_on_the_sequences_beside() -> None:
    """Those of the states: a gradient of A sums over sequences."""
    (A, h0), x, lengths = draw((5, 70, [300] * 7 + [11], ()), torch.float32, shared=False)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        h = dfst.recurrence(A, x, h0, lengths=lengths)
        torch.set_num_threads(3)
        assert torch.equal(dfst.recurrence(A, x, h0, lengths=lengths), h)
    finally:
        torch.set_num_threads(before)
    alone = dfst.recurrence(A, x[7:, :11], h0[7])
    assert torch.equal(alone[0], h[7, :12])


def test_integers_of_any_kind_and_no_lengths_at_all() -> None:
    (A, h0), x, _ = draw((3, 4, [6, 6], ()), torch.float64)
    expected = dfst.recurrence(A, x, h0, lengths=torch.tensor([6, 6], dtype=torch.uint8))
    for kind in (torch.uint8, torch.int8, torch.int16, torch.int32):
        assert torch.equal(dfst.recurrence(A, x.to(kind), h0), expected)
    assert torch.equal(dfst.recurrence(A, x[:, :0], h0), h0.expand(2, 1, 4))


def f(*sizes: int, dtype: Any = torch.float32) -> Tensor:
    return torch.zeros(*sizes, dtype=dtype)


def i(*sizes: int) -> Tensor:
    return torch.zeros(*sizes, dtype=torch.int64)


@pytest.mark.parametrize(
    ("arguments", "lengths", "message"),
    [
        ((f(2, 3), i(1, 1), f(3)), None, r"A must be \(k, d, d\) in float32 or float64, found \(2, 3\)"),
        ((f(2, 3, 3).half(), i(1, 1), f(3)), None, "found .* in torch.float16"),
        ((f(2, 257, 257), i(1, 1), f(257)), None, "the hidden size must be 1 to 256, found 257; use a loop"),
        ((f(2, 3, 3), f(1, 1), f(3)), None, r"x must be \(b, T\) of integers"),
        ((f(2, 3, 3), i(0, 4), f(3)), None, "x must hold at least one sequence, found none"),
        ((f(2, 3, 3), i(4, 5), f(3, 3)), None, r"h0 must be \(3,\) or \(4, 3\), found \(3, 3\)"),
        ((f(2, 3, 3), i(4, 5), f(3), f(2, 3)), None, r"each read-out must be \(2, o, 3\), found \(2, 3\)"),
        ((f(2, 3, 3), i(4, 5), f(3)), i(3), r"lengths must be \(4,\) of integers, found \(3,\)"),
        ((f(2, 3, 3), i(4, 5), f(3, dtype=torch.float64)), None, "h0 must be torch.float32 like A"),
        ((f(2, 3, 3), i(4, 5), f(3).to("meta")), None, "h0 must be on cpu like A, found meta"),
        ((f(2, 3, 3), i(1, 2) + 2, f(3)), None, "symbols within a sequence must be 0 to 1, found others"),
        ((f(2, 3, 3), i(1, 2) - 1, f(3)), None, "symbols within a sequence must be 0 to 1, found others"),
        ((f(2, 3, 3), i(1, 2), f(3)), i(1) + 3, "lengths must be 0 to 2, found others"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(arguments: Any, lengths: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        dfst.recurrence(*arguments, lengths=lengths)


def test_the_page_runs_as_written() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "recurrence.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert blocks
    exec("\n".join(blocks), {})
