"""The sweeps of the operator on a GPU: the kernels that train, asked for one model's states and gradients.

They write a state for each token that reads it. The operator gives the last state too, which no token reads:
`tokens` has one more symbol after each sequence, whose product nobody looks at. A program of `recur_kernel`
holds a whole matrix in registers; where that is too much, `wide_kernel` takes some rows at a time.
Legend: see `operator` and `gpu_kernels`.
"""

import torch
from torch import Tensor

from dfst.kernels.gpu.cluster import cluster_for, power, recur
from dfst.kernels.gpu.kernels import wide_kernel
from dfst.model.weights import Shape

HELD_BYTES = 1 << 16  # of the largest matrix that a program of `recur_kernel` holds
ROWS_BYTES = 1 << 15
"""Of the rows that `wide_kernel` takes at a time: enough to keep the memory busy, few enough to compile."""
SMALL_ALPHABET = 256  # symbols that fit into a byte, as `recur.cu` reads them


def forward(A: Tensor, tokens: Tensor, lengths: Tensor, h0: Tensor) -> Tensor:
    """h (b, T + 1, d)."""
    b, states = tokens.shape
    h = A.new_zeros(b, states, A.shape[2])
    if _is_wide(A):
        h[:, 0] = h0
        _sweep_wide(A, tokens, lengths, h, backward=False)
    else:
        _sweep(A, tokens, lengths, h0, h.flatten(0, 1), h.flatten(0, 1), backward=False)
    return h


def backward(A: Tensor, tokens: Tensor, lengths: Tensor, drive: Tensor) -> Tensor:
    """g (b, T + 1, d), the whole gradient of h."""
    b, states = tokens.shape
    turned = A.mT.contiguous()
    if _is_wide(A):
        inside = torch.arange(states, device=A.device) <= lengths[:, None]
        g = torch.where(inside[..., None], drive, 0)
        _sweep_wide(turned, tokens, lengths, g, backward=True)
        return g
    # At the row of token t a sweep writes the gradient of h_{t+1}: the rows are given one further on.
    rows = A.new_zeros(b * states + 1, A.shape[2])
    ends = _sweep(turned, tokens, lengths, rows[:1], rows[1:], drive.flatten(0, 1), backward=True)
    g = rows[:-1].view(b, states, -1)
    g[:, 0] = ends
    return g


def _is_wide(A: Tensor) -> bool:
    return power(A.shape[2]) ** 2 * A.itemsize > HELD_BYTES


def _sweep(
    matrices: Tensor, tokens: Tensor, lengths: Tensor, initial: Tensor, values: Tensor, drive: Tensor,
    backward: bool,
) -> Tensor:  # fmt: skip
    """Write values (b · (T + 1), d); the gradient of h0 (b, d), if this is the way back."""
    (b, states), (k, d), device = tokens.shape, matrices.shape[:2], matrices.device
    begins = torch.arange(b, device=device) * states
    # begin and end of each sequence in turns: they lie apart
    start = torch.stack([begins, begins + lengths + 1], 1).flatten()
    x = tokens.to(torch.uint8) if k <= SMALL_ALPHABET else tokens
    shape, seeds = Shape(k, 1, d), len(initial)  # 1, or one for each sequence where each has its own h0
    chosen, ends = 2 * torch.arange(b, device=device), matrices.new_zeros(b, d)
    alive = torch.ones(seeds, dtype=torch.uint8, device=device)
    with torch.cuda.device_of(matrices):
        small = k <= SMALL_ALPHABET
        cluster = cluster_for(shape, states, seeds, b // seeds, device, matrices.dtype) if small else None
        aligned = matrices if matrices.data_ptr() % 16 == 0 else matrices.clone()
        several = aligned[None].expand(seeds, -1, -1, -1)
        tensors = (several, initial, x, start, chosen, alive, values, drive, ends, chosen, values)
        recur(cluster, shape, seeds, states, tensors, backward)
    return ends


def _sweep_wide(matrices: Tensor, tokens: Tensor, lengths: Tensor, values: Tensor, backward: bool) -> None:
    """Complete values (b, T + 1, d), which hold the first state, or what drives each gradient."""
    side = power(matrices.shape[2])
    with torch.cuda.device_of(matrices):
        wide_kernel[(len(tokens),)](
            matrices, tokens, lengths, values, tokens.shape[1], d=matrices.shape[2], D=side,
            ROWS=max(1, ROWS_BYTES // (side * matrices.itemsize)), BACKWARD=backward, num_warps=16,
        )  # fmt: skip
