"""Triton kernels of a training step around the recurrence: the traces it sees, and Adam.

They do what `order.fill_batch` and `engine_cpu.adam` do, the same arithmetic in the same order.
"""

import triton
import triton.language as tl

from dfst.kernels.gpu.kernels import mix
from dfst.kernels.reference.noise import MASK
from dfst.train.engine_cpu import NORM_PACE
from dfst.train.order import ROUNDS

_MASK = tl.constexpr(MASK)
_ROUNDS = tl.constexpr(ROUNDS)
_NORM_PACE = tl.constexpr(NORM_PACE)


@triton.jit
def shuffle(i, key, BITS: tl.constexpr):
    """One walk through the Feistel network of `order.pick`."""
    low: tl.constexpr = (1 << BITS) - 1
    left = i >> BITS
    right = i & low
    for r in tl.static_range(_ROUNDS):
        turned = left ^ (mix((right + key + r * 0x9E3779B9) & _MASK) & low)
        left = right
        right = turned
    return (left << BITS) | right


@triton.jit
def sample_kernel(seeds, now, start, chosen, count, b, n, BITS: tl.constexpr, B: tl.constexpr,
                  SORT: tl.constexpr):  # fmt: skip
    """chosen (batches, s, b): the traces of the iterations from now[0] on. count: s.

    With SORT the longest come first, so that the sweeps work on traces of about the same length side by side
    and have only short ones left at the end.
    """
    program = tl.program_id(0).to(tl.int64)
    slots = tl.arange(0, B).to(tl.int64)
    real = slots < b
    i = slots
    if b < n:
        position = (tl.load(now) + program // count) * b + slots
        seed = tl.load(seeds + program % count) + slots * 0
        key = mix((mix(seed & _MASK) + position // n) & _MASK)
        i = shuffle(position % n, key, BITS)
        while tl.sum((i >= n).to(tl.int32), 0) > 0:
            i = tl.where(i >= n, shuffle(i, key, BITS), i)
    place = slots
    if SORT:
        steps = tl.load(start + i + 1, mask=real, other=0) - tl.load(start + i, mask=real, other=0)
        key = tl.where(real, slots - steps * B, slots)
        place = tl.sum((key[None, :] < key[:, None]).to(tl.int64), 1)
    tl.store(chosen + program * b + place, i, mask=real)


@triton.jit(do_not_specialize=["which"])
def adam_kernel(theta, first, second, norms, slowdown, gradients, squares, loss, alive, schedule, now, begin,
                which, total, latest, constants, parts, count, P: tl.constexpr, SQUARES: tl.constexpr,
                BLOCK: tl.constexpr):  # fmt: skip
    """One Adam step of BLOCK parameters of a seed; nothing happens to a seed that has diverged.

    schedule (…, 3): decay, pace and root of `engine_cpu.adam` for the steps from begin[0] on; this one
    is now[0] + which. norms (2, s): the running norm before even and before odd steps. constants: clip, β1,
    β2, 1 − β1, 1 − β2, ε, in float64. count: s. The program of the seed's first parameters keeps its books:
    alive, the norm for the next step, total += loss, latest = loss.
    """
    block = tl.program_id(0)
    seed = tl.program_id(1).to(tl.int64)
    real = theta.dtype.element_ty
    pieces = tl.arange(0, SQUARES)
    sum_squares = tl.sum(tl.load(squares + seed * parts + pieces, mask=pieces < parts, other=0.0), 0)
    value = tl.load(loss + seed)
    step = tl.load(now) + which
    usual = tl.load(norms + (step % 2) * count + seed)
    limit = tl.load(constants) * usual
    norm = tl.sqrt(sum_squares)
    clipped = (limit > 0) & (limit < norm)
    held = tl.where(clipped, sum_squares, sum_squares.to(real).to(tl.float64))
    # NaN and infinity are what a difference with itself is not 0 for
    well = (value - value == 0) & (held - held == 0)
    was_alive = tl.load(alive + seed) != 0
    scale = tl.where(clipped, limit / norm, 1.0).to(real)
    row = schedule + (step - tl.load(begin)) * 3
    slower = tl.load(slowdown + seed)
    keep = (1 - tl.load(row) * slower).to(real)
    pace = (tl.load(row + 1) * slower).to(real)
    root = tl.load(row + 2).to(real)
    place = block * BLOCK + tl.arange(0, BLOCK)
    inside = place < tl.where(well & was_alive, P, 0)
    at = seed * P + place
    beta1 = tl.load(constants + 1).to(real)
    beta2 = tl.load(constants + 2).to(real)
    rest1 = tl.load(constants + 3).to(real)
    rest2 = tl.load(constants + 4).to(real)
    epsilon = tl.load(constants + 5).to(real)
    slope = tl.load(gradients + at, mask=inside, other=0.0) * scale
    mean = beta1 * tl.load(first + at, mask=inside, other=0.0) + rest1 * slope
    spread = beta2 * tl.load(second + at, mask=inside, other=0.0) + rest2 * slope * slope
    old = tl.load(theta + at, mask=inside, other=0.0)
    tl.store(first + at, mean, mask=inside)
    tl.store(second + at, spread, mask=inside)
    tl.store(theta + at, keep * old - pace * mean / (tl.sqrt(spread) * root + epsilon), mask=inside)
    if block == 0:
        # other programs of this seed may read `alive` after this: they found `well` false themselves
        tl.store(alive + seed, (well & was_alive).to(tl.uint8))
        latest_norm = usual + _NORM_PACE * (tl.where(clipped, limit, norm) - usual)
        tl.store(norms + (1 - step % 2) * count + seed, tl.where(well & was_alive, latest_norm, usual))
        tl.store(latest + seed, value, mask=was_alive)
        tl.store(total + seed, tl.load(total + seed) + value, mask=was_alive)
