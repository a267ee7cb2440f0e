"""In which order the tokens of a batch are computed, so that equal symbols meet in one matrix product.

Traces need not march in step: always take the symbol for which most traces are waiting, and let all of them
make one step, a *group*. Backwards, the same groups in reverse order respect every dependence. `plan` does so
for the traces of one shard and stores their tokens by symbol, and within a symbol in the order of the
schedule: read-out and gradients become plain matrix products.

Legend: T tokens of c traces; rows 0, …, T − 1 are tokens, row T + i belongs to trace i (what comes before its
first token and after its last).
"""

from dfst.compiling import inner

SHARDS = 4  # Pieces of a batch that may run at once. A constant, because sums are taken piece by piece.


@inner
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


@inner
def plan(x, start, mine, symbols, after, before, token, owner, groups, blocks, queue, small):
    """Order the tokens of the traces `mine` (c,); say how many groups there are.

    Written: after, before (≥ T+c,) the rows of the next and the last token of a trace; token, owner (≥ T,)
    its place in x and its trace; groups (≥ T, 3) first row, rows, symbol; blocks (Σ+1, 3) the same for all
    tokens of a symbol, then T.
    Scratch: queue (Σ, ≥ c) traces that wait for a symbol; small (4, ≥ c and Σ), of which row 0 is kept.
    """
    traces, waiting, last, place = len(mine), small[1], small[2], small[3]
    for k in range(symbols + 1):
        blocks[k, 1] = 0
    for i in range(traces):
        for t in range(start[mine[i]], start[mine[i] + 1]):
            blocks[x[t], 1] += 1
    total = 0
    for k in range(symbols + 1):
        blocks[k, 0], blocks[k, 2] = total, k
        total += blocks[k, 1]
        waiting[k], blocks[k, 1] = 0, 0
    for i in range(traces):
        place[i], last[i] = start[mine[i]], total + i
        after[total + i] = before[total + i] = total + i
        if place[i] < start[mine[i] + 1]:
            first = x[place[i]]
            queue[first, waiting[first]] = i
            waiting[first] += 1
    count, placed = 0, 0
    while placed < total:
        symbol, rows = 0, 0
        for k in range(symbols):
            if waiting[k] > rows:
                symbol, rows = k, waiting[k]
        waiting[symbol] = 0
        row = blocks[symbol, 0] + blocks[symbol, 1]
        groups[count, 0], groups[count, 1], groups[count, 2] = row, rows, symbol
        blocks[symbol, 1] += rows
        count += 1
        placed += rows
        for slot in range(rows):
            # A trace may join the very queue that it leaves: it lands on a slot that was read already.
            i = queue[symbol, slot]
            token[row], owner[row] = place[i], i
            before[row], after[row] = last[i], total + i
            after[last[i]] = row
            before[total + i] = row
            last[i] = row
            place[i] += 1
            if place[i] < start[mine[i] + 1]:
                following = x[place[i]]
                queue[following, waiting[following]] = i
                waiting[following] += 1
            row += 1
    return count


@inner
def share(seed, thread, threads, seeds, apart):
    """The shards of a seed, from the first to before the last, that are a thread's to do.

    If `apart`, a thread has all shards of its own seeds; else all shards of all seeds are dealt out in
    stretches, so that a thread has as many of one seed as can be.
    """
    if apart:
        return 0, SHARDS if seed % threads == thread else 0
    tasks = seeds * SHARDS
    first, last = thread * tasks // threads, (thread + 1) * tasks // threads
    return max(first - seed * SHARDS, 0), min(last - seed * SHARDS, SHARDS)
