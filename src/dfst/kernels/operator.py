"""The recurrence as a PyTorch operator, for models of anybody's: h_{t+1} = A[x_t] h_t, read-outs O[x_t] h_t.

Two custom operators, the way there and the way back, which autograd, fake tensors and `torch.compile` see as
one node each. What depends on the step before is a sweep (`sweep_cpu`, `sweep_gpu`, or `sweep_plain` where
neither can run); the rest is one matrix product for each symbol. `reference.recurrence` is the slow twin.

Legend: k symbols, d hidden size, b sequences, T steps of the longest, o read-outs in all, n tokens.
    tokens (b, T + 1) int32: x, and beyond a sequence its first symbol once (see `sweep_gpu`), then 0
    h, drive, g (b, T + 1, d): states, what the read-outs and the loss add to their gradient, the gradient
"""

from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dfst.errors import InputError, MissingExtra
from dfst.kernels.cpu import sweep as sweep_cpu
from dfst.kernels.reference import recurrence as sweep_plain

WIDEST = 256  # largest hidden size that is tested
REALS = (torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def recurrence(
    A: Tensor, x: Tensor, h0: Tensor, *readouts: Tensor, lengths: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """See `dfst.recurrence`."""
    lengths = _checked(A, x, h0, readouts, lengths)
    stacked = torch.cat(readouts, 1) if readouts else A.new_empty(len(A), 0, A.shape[2])
    h, scores = _recurrence(A, stacked, x, h0 if h0.dim() == 2 else h0[None], lengths)
    return (h, *scores.split([each.shape[1] for each in readouts], 2)) if readouts else h


def _checked(
    A: Tensor, x: Tensor, h0: Tensor, readouts: tuple[Tensor, ...], lengths: Tensor | None
) -> Tensor:
    """The lengths, after everything that can be told from sizes and types was found to be right."""
    square = A.dim() == 3 and A.shape[1] == A.shape[2] and A.dtype in REALS
    _demand(square, "A", "(k, d, d) in float32 or float64", A)
    k, d = A.shape[:2]
    if not 1 <= d <= WIDEST:
        raise InputError(f"the hidden size must be 1 to {WIDEST}, found {d}; use a loop beyond that")
    _demand(x.dim() == 2 and x.dtype in INTEGERS, "x", "(b, T) of integers", x)
    b = x.shape[0]
    if b == 0:
        raise InputError("x must hold at least one sequence, found none; leave the call out")
    _demand(h0.shape in ((d,), (b, d)), "h0", f"({d},) or ({b}, {d})", h0)
    for O in readouts:
        fits = O.dim() == 3 and O.shape[0] == k and O.shape[2] == d
        _demand(fits, "each read-out", f"({k}, o, {d})", O)
    lengths = torch.full((b,), x.shape[1], device=x.device) if lengths is None else lengths
    counts = lengths.shape == (b,) and lengths.dtype in INTEGERS
    _demand(counts, "lengths", f"({b},) of integers", lengths)
    reals = [("h0", h0), *(("each read-out", O) for O in readouts)]
    for name, tensor in reals:
        if tensor.dtype != A.dtype:
            raise InputError(f"{name} must be {A.dtype} like A, found {tensor.dtype}; convert one of them")
    for name, tensor in (("x", x), ("lengths", lengths), *reals):
        if tensor.device != A.device:
            raise InputError(f"{name} must be on {A.device} like A, found {tensor.device}; move one of them")
    return lengths


def _demand(holds: bool, name: str, expected: str, found: Tensor) -> None:
    if not holds:
        raise InputError(f"{name} must be {expected}, found {tuple(found.shape)} in {found.dtype}")


@torch.library.custom_op("dfst::recurrence", mutates_args=(), device_types=("cpu", "cuda"))
def _recurrence(A: Tensor, O: Tensor, x: Tensor, h0: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """h (b, T + 1, d) and O[x_t] h_t (b, T, o), zeros beyond each sequence. h0: (1, d) or (b, d)"""
    A, lengths, tokens = A.contiguous(), lengths.long(), _tokens(x, lengths, len(A))
    h = _sweeps(A).forward(A, tokens, lengths, h0.contiguous())
    scores = h.new_zeros(*x.shape, O.shape[1])
    if O.shape[1]:
        rows, blocks = _by_symbol(tokens, lengths, len(A))
        states = h.flatten(0, 1).index_select(0, rows)
        found = states.new_empty(len(states), O.shape[1])
        for symbol, some in blocks:
            torch.mm(states[some], O[symbol].T, out=found[some])
        # a row of h belongs to a row of the scores that comes one earlier for each sequence before it
        scores.flatten(0, 1)[rows - rows // tokens.shape[1]] = found
    return h, scores


@torch.library.custom_op("dfst::recurrence_backward", mutates_args=(), device_types=("cpu", "cuda"))
def _recurrence_backward(
    A: Tensor, O: Tensor, x: Tensor, lengths: Tensor, h: Tensor, dh: Tensor, dscores: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of A, of O and of each sequence's h0 (b, d)."""
    A, lengths, tokens = A.contiguous(), lengths.long(), _tokens(x, lengths, len(A))
    rows, blocks = _by_symbol(tokens, lengths, len(A))
    states, drive = h.flatten(0, 1).index_select(0, rows), dh.clone(memory_format=torch.contiguous_format)
    dA, dO = torch.zeros_like(A), O.new_zeros(O.shape)
    if O.shape[1]:
        errors = dscores.flatten(0, 1)[rows - rows // tokens.shape[1]]
        back = torch.empty_like(states)
        for symbol, some in blocks:
            torch.mm(errors[some], O[symbol], out=back[some])
            torch.mm(errors[some].T, states[some], out=dO[symbol])
        drive.flatten(0, 1)[rows] += back
    g = _sweeps(A).backward(A, tokens, lengths, drive)
    following = g.flatten(0, 1).index_select(0, rows + 1)
    for symbol, some in blocks:
        torch.mm(following[some].T, states[some], out=dA[symbol])
    return dA, dO, g[:, 0].clone()


@_recurrence.register_fake
def _(A: Tensor, O: Tensor, x: Tensor, h0: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    b, T = x.shape
    return A.new_empty(b, T + 1, A.shape[2]), A.new_empty(b, T, O.shape[1])


@_recurrence_backward.register_fake
def _(
    A: Tensor, O: Tensor, x: Tensor, lengths: Tensor, h: Tensor, dh: Tensor, dscores: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return A.new_empty(A.shape), O.new_empty(O.shape), A.new_empty(x.shape[0], A.shape[2])


def _remember(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    A, O, x, h0, lengths = inputs
    ctx.save_for_backward(A, O, x, lengths, output[0])
    ctx.shared = h0.shape[0] == 1


def _backward(ctx: Any, dh: Tensor, dscores: Tensor) -> tuple[Tensor | None, ...]:
    dA, dO, dh0 = _recurrence_backward(*ctx.saved_tensors, dh, dscores)
    return dA, dO, None, dh0.sum(0, keepdim=True) if ctx.shared else dh0, None


_recurrence.register_autograd(_backward, setup_context=_remember)


def _sweeps(A: Tensor) -> ModuleType:
    """What sweeps on this device."""
    if A.device.type == "cpu":
        return sweep_cpu
    try:
        from dfst.kernels.gpu import sweep as sweep_gpu
    except MissingExtra:
        return sweep_plain
    return sweep_gpu


def _tokens(x: Tensor, lengths: Tensor, symbols: int) -> Tensor:
    """The sequences' symbols, known to be symbols: they become addresses."""
    b, T = x.shape
    ends = lengths.long()[:, None]
    tokens = torch.zeros(b, T + 1, dtype=torch.int32, device=x.device)
    tokens[:, :T] = x.masked_fill(torch.arange(T, device=x.device) >= ends, 0)
    _ensure((ends >= 0) & (ends <= T), f"lengths must be 0 to {T}")
    _ensure((tokens >= 0) & (tokens < symbols), f"symbols within a sequence must be 0 to {symbols - 1}")
    return tokens.scatter_(1, ends, tokens[:, :1].clone())


def _ensure(holds: Tensor, promise: str) -> None:
    """On a GPU as torch's own indexing does it: without waiting, by an assertion on the device."""
    if holds.is_cuda:
        torch._assert_async(holds.all(), promise)
    elif not holds.all():
        raise InputError(f"{promise}, found others; correct x or lengths")


def _by_symbol(tokens: Tensor, lengths: Tensor, symbols: int) -> tuple[Tensor, list[tuple[int, slice]]]:
    """(n,) rows of the tokens in h, a (b · (T + 1), d) matrix, equal symbols beside each other; and where in
    them each symbol that is read stands."""
    beyond = torch.arange(tokens.shape[1], device=tokens.device) >= lengths[:, None]
    keys = tokens.masked_fill(beyond, symbols).flatten()
    keys = keys.to(torch.uint8) if symbols <= 255 else keys
    if keys.is_cuda:
        rows = keys.argsort(stable=True)
    else:  # numpy counts where torch compares
        rows = torch.from_numpy(np.argsort(keys.numpy(), kind="stable"))
    bounds = [0, *torch.bincount(keys, minlength=symbols + 1)[:symbols].cumsum(0).tolist()]
    blocks = [slice(begin, end) for begin, end in pairwise(bounds)]
    return rows[: bounds[-1]], [(x, some) for x, some in enumerate(blocks) if some.start < some.stop]
