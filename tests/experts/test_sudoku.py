"""Sudoku on 9 × 9: puzzles with one solution that cannot be solved by looking for the only place or digit."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from dfst.experts import expert
from dfst.machines.compiled import run
from dfst.tasks.sudoku import Cells, cells_of, puzzle, ruled, solutions, solve_sudoku
from dfst.world.grid import Limits

PLACES = [(r, c) for r in range(9) for c in range(9)]
UNITS = [
    *([(i, j) for j in range(9)] for i in range(9)),
    *([(j, i) for j in range(9)] for i in range(9)),
    *([(3 * (i // 3) + j // 3, 3 * (i % 3) + j % 3) for j in range(9)] for i in range(9)),
]
GIVEN = 30
HARD = Path(__file__).parents[1] / "data" / "sudoku-hard.txt.gz"


def is_easy(cells: Cells) -> bool:
    """Whether it is enough to look for cells with one digit left, and digits with one place left."""
    left = {at: set(range(1, 10)) for at in PLACES}
    done: set[tuple[int, int]] = set()
    found = {at: cells[at[0]][at[1]] for at in PLACES if cells[at[0]][at[1]]}
    while found:
        for at, digit in found.items():
            done.add(at)
            for unit in UNITS:
                if at in unit:
                    for other in unit:
                        left[other].discard(digit)
            left[at] = {digit}
        found = {at: min(digits) for at, digits in left.items() if at not in done and len(digits) == 1}
        for unit in UNITS:
            for digit in range(1, 10):
                places = [at for at in unit if digit in left[at]]
                if len(places) == 1 and places[0] not in done:
                    found[places[0]] = digit
    return len(done) == 81


def hard_puzzles(seed: int, number: int) -> list[Cells]:
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        cells = puzzle(rng, GIVEN)
        if not is_easy(cells):
            found.append(cells)
    return found


def check(cells: Cells) -> int:
    """Steps that it took; one solution is found, with the cells taken in another order as well."""
    made = run(expert("sudoku"), "\n".join(ruled(cells)), Limits(steps=10**11))
    [solution] = solutions(cells, np.random.default_rng(0))
    assert made.answer == "\n".join(ruled(solution))
    return made.steps


def test_lines_are_drawn_and_read():
    [cells] = hard_puzzles(3, 1)
    assert cells_of(ruled(cells)) == cells
    assert solve_sudoku(ruled(cells)) == ruled(next(solutions(cells)))


def test_hard_puzzles():
    for cells in hard_puzzles(1, 1):
        check(cells)


def stored():
    """The thousand puzzles that `dfst evaluate` is asked, and their solutions."""
    lines = gzip.decompress(HARD.read_bytes()).decode().splitlines()
    return [[cells_of(part.split("/")) for part in line.split("\t")] for line in lines]


def test_the_stored_puzzles_are_our_own_and_hard():
    puzzles = stored()
    assert len({str(cells) for cells, _ in puzzles}) == 1_000
    assert [cells for cells, _ in puzzles[:2]] == hard_puzzles(2, 2)
    for cells, solution in puzzles[::100]:
        assert not is_easy(cells)
        assert list(solutions(cells, np.random.default_rng(1))) == [solution]


@pytest.mark.slow
def test_a_thousand_hard_puzzles():
    puzzles = [cells for cells, _ in stored()]
    assert not any(map(is_easy, puzzles))
    steps = [check(cells) for cells in puzzles]
    print(
        f"{np.mean(steps):,.0f} steps on average, {np.median(steps):,.0f} the median, {max(steps):,} at most"
    )
