"""The gradient of `stability_penalty` compiled for the CPU, each product by `tile`."""

import numpy as np
from numba import njit

from dfst.compiling import inner
from dfst.kernels.cpu.noise import mix, noise_key
from dfst.kernels.cpu.recurrence import address
from dfst.kernels.reference.noise import MASK
from dfst.kernels.reference.stability import EIGHTH, FOURTH, SQUARINGS
from dfst.model.rollout.tile import multiply
from dfst.traces.reweighting import NO_SYMBOL

SPARE = 8  # matrices of scratch besides the products of a word and the powers of the last of them


@njit(cache=True)
def fill_words(seed, step, shown, words):
    """`stability.words_of` into words (symbols, length)."""
    symbols, length = words.shape
    drawn = step % 2 == 1 and len(shown) > 0
    key = noise_key(seed, step)
    for i in range(symbols):
        at = mix((key + i + 1) & MASK) % len(shown) if drawn else 0
        for l in range(length):
            words[i, l] = shown[at, l] if drawn else i if l == 0 else NO_SYMBOL


@inner
def _scale(far, near, d):
    """What far − near is multiplied by for its slope, less where it is larger; 0 where it overflows."""
    real = far.dtype.type
    size = real(0)
    for i in range(d):
        for j in range(d):
            change = far[i, j] - near[i, j]
            size += change * change
    return real(1) / (real(1) + size) if np.isfinite(size) else real(0)


@inner
def _put_change(into, d, scale, far, near):
    """into = scale · (far − near)."""
    for i in range(d):
        for j in range(d):
            into[i, j] = scale * (far[i, j] - near[i, j])


@inner
def _times(scratch, straight, d, left, turned, right, into, fresh):
    """Matrix number `into` of the scratch (+)= left · right, or where it is turned leftᵀ · right."""
    size, columns, at, to = scratch.itemsize, scratch.shape[2], address(scratch), address(straight)
    row, one = columns * size, d * columns * size
    a_row, a_step = (size, row) if turned else (row, size)
    multiply(
        scratch.dtype.type(0), size, at + left * one, a_row, a_step, to, at + right * one, row,
        at + into * one, row, to, d, d, columns, fresh,
    )  # fmt: skip


@inner
def _put(into, d, factor, matrix, turned, fresh):
    """into (+)= factor · matrix, or its transpose. Slices would take longer to compile than all the rest."""
    for i in range(d):
        for j in range(d):
            more = factor * (matrix[j, i] if turned else matrix[i, j])
            into[i, j] = more if fresh else into[i, j] + more


@inner
def add_stability(theta, words, d, weight, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    words (symbols, length), each of a symbol at least; scratch (length − 1 + SQUARINGS + SPARE, d, D), D
    being d padded to whole vectors; straight (≥ d,): 0, 1, 2, …
    """
    longest, real = words.shape[1], theta.dtype.type
    end = len(words) * d * d  # a word for each symbol
    A, dA = theta[:end].reshape(-1, d, d), gradient[:end].reshape(-1, d, d)
    onto, fresh, no, yes = np.int64(0), np.int64(1), np.int64(0), np.int64(1)
    one, weight = real(1), real(weight)
    near = longest + SQUARINGS  # after the products of a word and the squares of the last of them
    further, turned, slope, other, part, factor = near + 1, near + 2, near + 3, near + 4, near + 5, near + 6
    scratch[:] = 0
    for word in range(len(words)):
        _put(scratch[0], d, one, A[words[word, 0]], no, fresh)
        chain = 0
        while chain + 1 < longest and words[word, chain + 1] != NO_SYMBOL:
            chain += 1
            _put(scratch[factor], d, one, A[words[word, chain]], no, fresh)
            _times(scratch, straight, d, factor, no, chain - 1, chain, fresh)
        eighth, far = chain + EIGHTH, chain + SQUARINGS
        for n in range(chain, far):
            _times(scratch, straight, d, n, no, n, n + 1, fresh)
        _times(scratch, straight, d, far - 2, no, chain + FOURTH, part, fresh)
        _times(scratch, straight, d, far - 1, no, part, near, fresh)
        _times(scratch, straight, d, far, no, eighth, further, fresh)
        scale = _scale(scratch[far], scratch[near], d)
        scale_further = _scale(scratch[further], scratch[near], d)
        if scale == 0:
            continue
        twenty = scale_further > scale  # twenty rounds change less than twelve
        if twenty:
            _put_change(scratch[other], d, scale_further, scratch[further], scratch[near])
            _put(scratch[turned], d, one, scratch[eighth], yes, fresh)
            _times(scratch, straight, d, far, yes, other, further, fresh)
            _times(scratch, straight, d, other, no, turned, slope, fresh)
        else:
            _put_change(scratch[slope], d, scale, scratch[far], scratch[near])
        for n in range(far - 1, chain - 1, -1):
            # the way back: slope · (right factor)ᵀ and (left factor)ᵀ · slope, which are one matrix here
            _put(scratch[turned], d, one, scratch[n], yes, fresh)
            _times(scratch, straight, d, slope, no, turned, other, fresh)
            _times(scratch, straight, d, n, yes, slope, other, onto)
            _put(scratch[slope], d, one, scratch[other], no, fresh)
            if n == eighth and twenty:
                _put(scratch[slope], d, one, scratch[further], no, onto)
        for l in range(chain, 0, -1):
            _put(scratch[turned], d, one, scratch[l - 1], yes, fresh)
            _put(scratch[factor], d, one, A[words[word, l]], no, fresh)
            _times(scratch, straight, d, slope, no, turned, part, fresh)
            _times(scratch, straight, d, factor, yes, slope, other, fresh)
            _put(dA[words[word, l]], d, weight, scratch[part], no, onto)
            _put(scratch[slope], d, one, scratch[other], no, fresh)
        _put(dA[words[word, 0]], d, weight, scratch[slope], no, onto)
