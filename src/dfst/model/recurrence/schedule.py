"""In which order the tokens of a batch are computed, so that equal symbols meet in one matrix product.

While training all symbols are known beforehand, so traces need not march in step: always take the symbol
for which most traces are waiting, and let all of them make one step. The steps taken together form a *group*.
Backwards, the same groups in reverse order respect every dependence.

Tokens are stored by symbol, and within a symbol in the order of the schedule. So a group is a run of
neighbouring rows, and so are all tokens of a symbol, which makes read-out and gradients plain matrix products.

Legend: T tokens of c traces; row p < T is a token, row T + i belongs to trace i (what comes before its first
token and after its last).
"""

from __future__ import annotations

from numba import njit

SHARDS = 4
"""Pieces of a batch that may run at once. A constant: sums are taken piece by piece, so results depend on it."""


@njit(cache=True, nogil=True)
def deal(lengths, chosen, shard, mine):
    """Write this shard's share of the chosen traces into `mine`, longest first; say how many.

    Traces are dealt out by length, to and fro, so that all shards get about as many tokens.
    """
    b = chosen.shape[0]
    share = 0
    order = mine[mine.shape[0] - b :]
    for slot in range(b):
        trace, at = chosen[slot], slot
        while at > 0 and lengths[order[at - 1]] < lengths[trace]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = trace
    for rank in range(b):
        turn, seat = rank // SHARDS, rank % SHARDS
        if (seat if turn % 2 == 0 else SHARDS - 1 - seat) == shard:
            mine[share] = order[rank]
            share += 1
    return share


@njit(cache=True, nogil=True)
def plan(x, start, mine, symbols, block, after, before, token, groups, waiting, queue, last, done):
    """Order the tokens of the traces `mine` (c,); say how many groups there are.

    Written: block (Σ+1,) first row of each symbol, then T; after, before (≥ T+c,) the row of the next and the
    previous token of the same trace; token (≥ T,) its place in x; groups (≥ T, 3) first row, rows, symbol.
    Scratch: waiting (Σ,) counts; queue (Σ, ≥ c) traces; last, done (≥ c,) row and number of tokens of a trace.
    """
    traces = mine.shape[0]
    for k in range(symbols + 1):
        block[k] = 0
    for i in range(traces):
        for t in range(start[mine[i]], start[mine[i] + 1]):
            block[x[t] + 1] += 1
    for k in range(symbols):
        block[k + 1] += block[k]
        waiting[k] = 0
    total = block[symbols]
    for i in range(traces):
        last[i], done[i] = total + i, start[mine[i]]
        after[total + i] = before[total + i] = total + i
        if done[i] < start[mine[i] + 1]:
            first = x[done[i]]
            queue[first, waiting[first]] = i
            waiting[first] += 1
    placed, count = 0, 0
    while placed < total:
        symbol, rows = 0, 0
        for k in range(symbols):
            if waiting[k] > rows:
                symbol, rows = k, waiting[k]
        waiting[symbol] = 0
        row = block[symbol]
        groups[count, 0], groups[count, 1], groups[count, 2] = row, rows, symbol
        count += 1
        for slot in range(rows):
            # A trace may join the queue it has just left: it lands on a slot that is already read.
            i = queue[symbol, slot]
            token[row] = done[i]
            before[row] = last[i]
            after[last[i]] = row
            last[i] = row
            done[i] += 1
            if done[i] < start[mine[i] + 1]:
                following = x[done[i]]
                queue[following, waiting[following]] = i
                waiting[following] += 1
            else:
                after[row] = total + i
                before[total + i] = row
            row += 1
        block[symbol] = row
        placed += rows
    for k in range(symbols, 0, -1):
        block[k] = block[k - 1]
    block[0] = 0
    return count
