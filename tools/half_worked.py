"""Boards of sudoku that are half worked: examples that begin where the agent is back in its first state.

    python tools/half_worked.py [--boards 24000] [--steps 250] [--times 1] > src/dfst/tasks/sudoku.txt

A whole run has thousands of steps, and a learner goes astray long before its end. So runs on random boards
of at most four boxes are cut into pieces: each begins at the letter above the board, and ends after
`--steps`. Of these a cover is printed, a board a line, that tells apart what all pieces can, `--times` times.

Two boards of three have boxes of other widths and heights, which are no inputs: the agent goes by the lines,
but where all boxes are alike a learner may count instead. As many boards again begin half worked as no run
does, with any digits and letters side by side: what the agent would do there is what it does elsewhere, but a
learner may have read it off neighbours that come alone. Those on which the agent has no rule are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dfst.errors import MissingRule
from dfst.experts import expert
from dfst.machines.agent import Agent
from dfst.machines.compiled import record
from dfst.tasks.sudoku import BACK, DIGITS, OWN, SUDOKU
from dfst.traces.cover import cover
from dfst.traces.replay import replayed_states
from dfst.traces.sample import record_all
from dfst.traces.telling_apart import telling_apart
from dfst.traces.traceset import gather
from dfst.world.grid import BLANK, OFFSETS, Limits, S, lines_of
from dfst.world.trace import Trace

SIDE = 7  # rows and columns of the largest board
BATCH = 200
LATE = 0.2  # share of the beginnings that are taken; those near the end of a run are taken all


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=24_000)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--seed", type=int, default=100)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    agent = replace(expert("sudoku"), task=replace(SUDOKU, pattern="", letters="".join(SUDOKU.alphabet)))
    pool: dict[str, Trace] = {}
    for first in range(0, given.boards, BATCH):
        boards = [
            SUDOKU.sampled_operand(rng, SIDE) if i % 3 == 0 else otherwise_ruled(rng) for i in range(BATCH)
        ]
        runs = record_all(agent, boards if first else [*BACK.replace("/", "\n").split(" "), *boards])
        states = replayed_states(agent, runs)
        for i in range(len(runs)):
            for piece in pieces(agent, runs[i], states[runs.start[i] : runs.start[i + 1]], given.steps, rng):
                pool.setdefault(piece.input, piece)
        for text in (scrambled(board, rng) for board in boards):
            with suppress(MissingRule):
                pool.setdefault(text, record(agent, text, Limits(steps=given.steps)))
    traces = gather(list(pool.values()), agent.name, agent.alphabet)
    wanted = np.minimum(telling_apart(agent, traces).counts, given.times)
    wanted[:, len(agent.states) + 1 :] = np.minimum(wanted[:, len(agent.states) + 1 :], 1)
    chosen = traces.subset(cover(agent, traces, wanted))
    for text in sorted(chosen.inputs):
        print(text.replace("\n", "/"))
    print(f"{len(chosen):,} boards, {chosen.tokens:,} steps", file=sys.stderr)


def otherwise_ruled(rng: np.random.Generator) -> str:
    """Boxes of one or three rows and one to four columns, up to three down and four across: some kinds of
    digits, and gaps."""
    down, across = rng.integers(1, 4), rng.integers(1, 5)
    heights = [1] * 3 if down == 3 else rng.choice([1, 3], size=down).tolist()
    widths = rng.integers(1, 5 if across < 3 else 3, size=across).tolist()
    row = "|".join("x" * width for width in widths)
    line = row.replace("x", "-").replace("|", "+")
    cells = [*f"\n{line}\n".join("\n".join([row] * height) for height in heights)]
    gaps, digits = rng.integers(0, 4) / cells.count("x"), rng.choice([*DIGITS], size=rng.integers(2, 8))
    for i, cell in enumerate(cells):
        if cell == "x":
            cells[i] = "." if rng.random() < gaps else str(rng.choice(digits))
    return "".join(cells)


def scrambled(board: str, rng: np.random.Generator) -> str:
    """Letters for some of the digits, gaps, at times a mark or two, and the agent's letter above it all."""
    letters, gaps = rng.choice([0, 0.3, 0.7]), rng.choice([0, 0, 0.2])
    cells = [*board]
    for i, cell in enumerate(cells):
        if cell in DIGITS and rng.random() < letters:
            cells[i] = OWN[DIGITS.index(cell)]
        elif cell in DIGITS and rng.random() < gaps:
            cells[i] = "."
    if rng.random() < 0.7:
        places = [i for i, cell in enumerate(cells) if cell not in "|-+\n"]
        marked = rng.permutation(places)[: rng.integers(1, 3)].tolist()
        for place, mark in zip(marked, rng.permutation([*"*%!"]).tolist(), strict=False):
            cells[place] = mark
    rows = "".join(cells).split("\n")
    return "\n".join([str(rng.choice([*OWN])) + BLANK * len(rows[0]), *(BLANK + row for row in rows)])


def pieces(
    agent: Agent, run: Trace, states: NDArray[np.int32], most: int, rng: np.random.Generator
) -> Iterator[Trace]:
    """What follows some of the moments at which the agent is in its first state, above and left of all."""
    cells = {(r, c): x for r, row in enumerate(lines_of(run.input)) for c, x in enumerate(row)}
    r = c = 0
    for t, (state, s, m) in enumerate(zip(states.tolist(), run.s.tolist(), run.m.tolist(), strict=True)):
        if t and state == 0 and (len(run) - t <= most or rng.random() < LATE):
            written = [at for at, symbol in cells.items() if symbol != BLANK]
            rows, columns = range(r, max(y for y, _ in written) + 1), range(c, max(x for _, x in written) + 1)
            text = "\n".join("".join(cells.get((y, x), BLANK) for x in columns) for y in rows)
            yield Trace(run.subject, text, run.alphabet, *(a[t : t + most] for a in (run.x, run.s, run.m)))
        cells[r, c] = agent.alphabet[s]
        if m != S:
            r, c = r - OFFSETS[m][1], c + OFFSETS[m][0]


if __name__ == "__main__":
    main()
