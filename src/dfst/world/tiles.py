"""The world again, for compiled code: the plane in square tiles that appear when a head enters them.

The twin of `grid.Grid`. Memory follows the tiles visited, not a bounding box. Kernels keep one number,
`position`, the head's index into `cells`; inside a tile a move is one addition, and a move over an edge
follows a link to the neighbouring tile, made on first use.

Layout, for T tiles:
    cells   (T · SIDE²,) uint8   symbols, tile after tile, row-major, y growing upwards
    links   (T, 4)       int32   neighbouring tile in direction U D L R, -1 if not linked yet
    corner  (T, 2)       int64   tile coordinates (x, y) in units of SIDE
    slots   (H,)         int32   open-addressing hash of corner → tile, -1 empty
    count   (2,)         int64   tiles in use; the blank, which a new tile is filled with

A kernel never allocates. When the pool is full it returns to Python, which grows the arrays (or raises
`OutOfCells`) and calls it again: runs are resumable at every step.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.errors import OutOfCells
from dfst.world.grid import Cell, Limits

BITS = 5
SIDE = 1 << BITS
AREA_BITS = 2 * BITS
AREA = 1 << AREA_BITS
LOCAL = AREA - 1

# A move m from local index p crosses an edge when p & EDGE_MASK[m] == EDGE_AT[m].
EDGE_MASK = np.array([LOCAL ^ (SIDE - 1), LOCAL ^ (SIDE - 1), SIDE - 1, SIDE - 1, 0, 0], dtype=np.int64)
EDGE_AT = np.array([LOCAL ^ (SIDE - 1), 0, 0, SIDE - 1, 1, 1], dtype=np.int64)
STRIDE = np.array([SIDE, -SIDE, -1, 1, 0, 0], dtype=np.int64)
# The step to the same edge's opposite side, used when a move does cross.
WRAP = np.array([SIDE - AREA, AREA - SIDE, SIDE - 1, 1 - SIDE, 0, 0], dtype=np.int64)
TILE_DX = np.array([0, 0, -1, 1], dtype=np.int64)
TILE_DY = np.array([1, -1, 0, 0], dtype=np.int64)

FULL = -1  # returned in place of a position when the pool has no room for the tile a move needs


@njit(cache=True)
def _slot(slots, corner, tx, ty):
    """The hash slot that holds tile (tx, ty), or the empty one where it belongs."""
    mask = slots.shape[0] - 1
    h = (tx * np.int64(0x1E3779B97F4A7C15) + ty * np.int64(0x42B2AE3D27D4EB4F)) & np.int64(0x7FFFFFFFFFFFFFFF)
    h = (h ^ (h >> 29)) & mask
    while True:
        tile = slots[h]
        if tile < 0 or (corner[tile, 0] == tx and corner[tile, 1] == ty):
            return h
        h = (h + 1) & mask


@njit(cache=True)
def tile_at(cells, links, corner, slots, count, tx, ty):
    """The tile at (tx, ty), made blank if new; FULL when there is no room."""
    h = _slot(slots, corner, tx, ty)
    if slots[h] >= 0:
        return slots[h]
    tile = count[0]
    if tile >= corner.shape[0]:
        return FULL
    corner[tile, 0] = tx
    corner[tile, 1] = ty
    slots[h] = tile
    count[0] = tile + 1
    cells[tile << AREA_BITS : (tile + 1) << AREA_BITS] = count[1]
    return tile


@njit(cache=True)
def _rehash(slots, corner, tiles):
    for tile in range(tiles):
        slots[_slot(slots, corner, corner[tile, 0], corner[tile, 1])] = tile


@njit(cache=True)
def cross(cells, links, corner, slots, count, position, motion):
    """The position after a move over a tile's edge; FULL when there is no room."""
    tile = position >> AREA_BITS
    neighbour = links[tile, motion]
    if neighbour < 0:
        neighbour = tile_at(
            cells, links, corner, slots, count, corner[tile, 0] + TILE_DX[motion],
            corner[tile, 1] + TILE_DY[motion],
        )  # fmt: skip
        if neighbour == FULL:
            return FULL
        links[tile, motion] = neighbour
        links[neighbour, motion ^ 1] = tile
    return (np.int64(neighbour) << AREA_BITS) + (position & LOCAL) + WRAP[motion]


class TiledGrid:
    """The arrays above, with the few operations Python needs."""

    def __init__(self, blank: int, max_cells: int = Limits.cells, tiles: int = 8) -> None:
        self.blank = blank
        self.max_cells = max_cells
        tiles = min(tiles, self.most_tiles)
        self.cells: NDArray[np.uint8] = np.empty(tiles * AREA, dtype=np.uint8)
        self.links: NDArray[np.int32] = np.full((tiles, 4), -1, dtype=np.int32)
        self.corner: NDArray[np.int64] = np.zeros((tiles, 2), dtype=np.int64)
        self.slots: NDArray[np.int32] = np.full(2 * _power_of_two(tiles), -1, dtype=np.int32)
        self.count: NDArray[np.int64] = np.array([0, blank], dtype=np.int64)

    @property
    def most_tiles(self) -> int:
        """Tiles the limit allows; one at least, or there would be no place for the head."""
        return max(1, self.max_cells // AREA)

    @property
    def arrays(self) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """What kernels take, in the order they take it."""
        return self.cells, self.links, self.corner, self.slots, self.count

    def grow(self, step: int) -> None:
        """Make room for more tiles, within the limit."""
        tiles, used = self.corner.shape[0], int(self.count[0])
        if tiles >= self.most_tiles:
            raise OutOfCells(self.max_cells, step)
        more = min(4 * tiles, self.most_tiles)
        cells = np.empty(more * AREA, dtype=np.uint8)
        cells[: used * AREA] = self.cells[: used * AREA]
        links = np.full((more, 4), -1, dtype=np.int32)
        links[:tiles] = self.links
        corner = np.zeros((more, 2), dtype=np.int64)
        corner[:tiles] = self.corner
        self.cells, self.links, self.corner = cells, links, corner
        self.slots = np.full(2 * _power_of_two(more), -1, dtype=np.int32)
        _rehash(self.slots, self.corner, used)

    def position(self, cell: Cell) -> int:
        """The index of a cell, its tile made if need be."""
        x, y = cell
        while (tile := tile_at(*self.arrays, x >> BITS, y >> BITS)) == FULL:
            self.grow(0)
        return (int(tile) << AREA_BITS) + ((y & (SIDE - 1)) << BITS) + (x & (SIDE - 1))

    def cell(self, position: int) -> Cell:
        """The cell at an index."""
        tile, local = position >> AREA_BITS, position & LOCAL
        return (
            (int(self.corner[tile, 0]) << BITS) + (local & (SIDE - 1)),
            (int(self.corner[tile, 1]) << BITS) + (local >> BITS),
        )

    def lay(self, symbols: Sequence[int] | NDArray[np.uint8], origin: Cell = (0, 0)) -> None:
        """Write symbols rightwards from `origin`; of an array of several rows, each below the other."""
        x, y = origin
        for below, row in enumerate(np.atleast_2d(np.asarray(symbols, dtype=np.uint8))):
            i = 0
            while i < row.size:
                run = min(row.size - i, SIDE - ((x + i) & (SIDE - 1)))
                at = self.position((x + i, y - below))
                self.cells[at : at + run] = row[i : i + run]
                i += run

    def nonblank(self) -> list[tuple[Cell, int]]:
        """The cells that are not empty, top row first, left to right."""
        used = self.cells[: int(self.count[0]) * AREA]
        at = np.flatnonzero(used != self.blank)
        tile, local = at >> AREA_BITS, at & LOCAL
        x = (self.corner[tile, 0] << BITS) + (local & (SIDE - 1))
        y = (self.corner[tile, 1] << BITS) + (local >> BITS)
        order = np.lexsort((x, -y))
        rows = (x[order].tolist(), y[order].tolist(), used[at[order]].tolist())
        return [((x, y), symbol) for x, y, symbol in zip(*rows, strict=True)]


def _power_of_two(n: int) -> int:
    return 1 << max(0, (n - 1).bit_length())
