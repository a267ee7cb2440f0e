"""The tiled plane against the readable one."""

import numpy as np
import pytest

from dfst.errors import OutOfCells
from dfst.world.grid import Grid, moved
from dfst.world.tiles import AREA, EDGE_AT, EDGE_MASK, FULL, SIDE, STRIDE, TiledGrid, cross


def move(cells, links, corner, slots, count, position, motion):
    """The position after `motion`, as the compiled loops find it; FULL when the tile it needs has no room."""
    if (position & EDGE_MASK[motion]) == EDGE_AT[motion]:
        return cross(cells, links, corner, slots, count, position, motion)
    return position + STRIDE[motion]


def walk_both(rng, steps, blank, pull):
    """Walk a head over both worlds at random, writing as it goes; `pull` weighs U D L R S."""
    plain, tiled = Grid(blank), TiledGrid(blank, tiles=1)
    cell, position = (0, 0), tiled.position((0, 0))
    for motion, symbol in zip(rng.choice(5, steps, p=pull), rng.integers(0, 4, steps), strict=True):
        assert tiled.cells[position] == plain.read(cell)
        plain.write(cell, int(symbol))
        tiled.cells[position] = symbol
        while (target := move(*tiled.arrays, position, motion)) == FULL:
            tiled.grow(0)
        position, cell = int(target), moved(cell, int(motion))
        assert tiled.cell(position) == cell
    return plain, tiled


@pytest.mark.parametrize("pull", [(0.2,) * 5, (0.4, 0.1, 0.1, 0.4, 0.0), (0.0, 0.3, 0.7, 0.0, 0.0)])
@pytest.mark.parametrize("blank", [0, 3])
def test_a_random_walk_sees_the_same_plane(pull, blank):
    plain, tiled = walk_both(np.random.default_rng(blank), 3000, blank, pull)
    assert tiled.nonblank() == list(plain.nonblank())


@pytest.mark.parametrize("cell", [(0, 0), (-1, -1), (SIDE, -SIDE), (-(10**9), 10**9 + 7)])
def test_a_position_leads_back_to_its_cell(cell):
    grid = TiledGrid(0)
    assert grid.cell(grid.position(cell)) == cell


@pytest.mark.parametrize("length", [0, 1, SIDE - 1, SIDE, SIDE + 1, 20 * SIDE + 5])
@pytest.mark.parametrize("x", [0, -1, 17, -SIDE])
def test_a_row_is_laid_across_tiles(length, x):
    plain, tiled = Grid(0), TiledGrid(0)
    row = np.arange(length) % 3
    plain.lay(row.tolist(), (x, -2))
    tiled.lay(row.tolist(), (x, -2))
    assert tiled.nonblank() == list(plain.nonblank())


def test_memory_follows_the_tiles_visited():
    grid = TiledGrid(0)
    for i in range(100):
        grid.position((i * 10**6, i * 10**6))
    assert grid.count[0] == 100
    assert grid.cells.size <= 4 * 128 * AREA


@pytest.mark.parametrize(("max_cells", "tiles"), [(1, 1), (AREA, 1), (3 * AREA, 3), (20 * AREA + 5, 20)])
def test_the_pool_never_exceeds_the_limit(max_cells, tiles):
    grid = TiledGrid(0, max_cells)
    assert grid.cells.size <= max(AREA, max_cells)
    for i in range(tiles):
        grid.position((i * SIDE, 0))
    assert grid.cells.size <= max(AREA, max_cells)
    with pytest.raises(OutOfCells):
        grid.position((tiles * SIDE, 0))


def test_growing_keeps_what_was_written():
    grid = TiledGrid(1, tiles=1)
    cells = [(i * SIDE, -i * SIDE) for i in range(50)]
    for i, cell in enumerate(cells):
        position = grid.position(cell)
        grid.cells[position] = 2 + i % 3
    assert dict(grid.nonblank()) == {cell: 2 + i % 3 for i, cell in enumerate(cells)}
