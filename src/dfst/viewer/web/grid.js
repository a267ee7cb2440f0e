// The world in the browser: the plane in 32×32 tiles that appear where something is written.
//
// The twin of dfst/tiles.py, with one thing more: tiles are copied on write, so a snapshot for a
// key frame costs only the tiles that change after it. Cells are (x, y); y grows upwards.

export const BITS = 5;
export const SIDE = 1 << BITS;
const LOCAL = SIDE - 1;
const HALF = 2 ** 25;

/** Motions U D L R S N, as in dfst/grid.py. S halts, N stays. */
export const MOTION_NAMES = ["U", "D", "L", "R", "S", "N"];
export const DX = [0, 0, -1, 1, 0, 0];
export const DY = [1, -1, 0, 0, 0, 0];
export const HALTING = 4;

function tileKey(tx, ty) {
  return (tx + HALF) * 2 * HALF + (ty + HALF);
}

export class TiledGrid {
  /** `Cells`: the kind of array that a tile is, for numbers beyond 255. */
  constructor(blank, Cells = Uint8Array) {
    this.blank = blank;
    this.Cells = Cells;
    this.tiles = new Map();
    this.owner = {};
    this.forget();
    /** The box of cells ever visited or laid: what a fitting view must show. */
    this.box = { left: 0, right: 0, bottom: 0, top: 0 };
  }

  read(x, y) {
    const tile = this.tileAt(x >> BITS, y >> BITS);
    return tile === null ? this.blank : tile.cells[((y & LOCAL) << BITS) | (x & LOCAL)];
  }

  write(x, y, symbol) {
    const at = ((y & LOCAL) << BITS) | (x & LOCAL);
    if (this.read(x, y) === symbol) return;
    const tile = this.owned(x >> BITS, y >> BITS);
    tile.cells[at] = symbol;
    tile.version += 1;
  }

  /** A tile that may be changed: made, or copied, where it has to be. */
  owned(tx, ty) {
    const tile = this.tileAt(tx, ty);
    if (tile === null) return this.adopt(tx, ty, new this.Cells(SIDE * SIDE).fill(this.blank));
    return tile.owner === this.owner ? tile : this.adopt(tx, ty, tile.cells.slice());
  }

  /** Widen the visited box to hold a cell. */
  visit(x, y) {
    const box = this.box;
    if (x < box.left) box.left = x;
    else if (x > box.right) box.right = x;
    if (y < box.bottom) box.bottom = y;
    else if (y > box.top) box.top = y;
  }

  /** Write an input in rows of so many columns, its symbol number `start` at the origin. */
  lay(symbols, start, columns = Math.max(1, symbols.length)) {
    symbols.forEach((symbol, i) => {
      const x = (i % columns) - (start % columns);
      const y = Math.floor(start / columns) - Math.floor(i / columns);
      this.write(x, y, symbol);
      this.visit(x, y);
    });
  }

  /** The grid as it stands; from now on this grid copies a tile before it changes it. */
  snapshot() {
    this.owner = {};
    return { tiles: new Map(this.tiles), box: { ...this.box } };
  }

  restore(snapshot) {
    this.tiles = new Map(snapshot.tiles);
    this.box = { ...snapshot.box };
    this.owner = {};
    this.forget();
  }

  /** The tile of the last access is at hand, as most steps stay inside one. */
  forget() {
    this.lastX = NaN;
    this.lastY = NaN;
    this.lastTile = null;
  }

  /** Calls back with (x, y, symbol) for every cell that is not blank, in no special order. */
  forEachNonblank(callback) {
    for (const tile of this.tiles.values()) {
      for (let i = 0; i < tile.cells.length; i++) {
        if (tile.cells[i] !== this.blank) {
          callback(tile.tx * SIDE + (i & LOCAL), tile.ty * SIDE + (i >> BITS), tile.cells[i]);
        }
      }
    }
  }

  tileAt(tx, ty) {
    if (tx !== this.lastX || ty !== this.lastY) {
      this.lastX = tx;
      this.lastY = ty;
      this.lastTile = this.tiles.get(tileKey(tx, ty)) ?? null;
    }
    return this.lastTile;
  }

  adopt(tx, ty, cells) {
    const tile = { tx, ty, cells, owner: this.owner, version: 0 };
    this.tiles.set(tileKey(tx, ty), tile);
    this.lastX = tx;
    this.lastY = ty;
    this.lastTile = tile;
    return tile;
  }
}

/** What stands on the grid: its symbols left to right, gaps as `_`, rows parted by newlines.
 *
 * Null where there is nothing, or more than one row and not a `board`. */
export function readAnswer(grid, alphabet, board = false) {
  const cells = [];
  grid.forEachNonblank((x, y, symbol) => cells.push([x, y, symbol]));
  if (cells.length === 0 || (!board && cells.some((cell) => cell[1] !== cells[0][1]))) return null;
  const bounds = (i) => cells.reduce(([low, high], c) => [Math.min(low, c[i]), Math.max(high, c[i])], [1e9, -1e9]);
  const [[left, right], [bottom, top]] = [bounds(0), bounds(1)];
  const rows = Array.from({ length: top - bottom + 1 }, () => Array(right - left + 1).fill("_"));
  for (const [x, y, symbol] of cells) rows[top - y][x - left] = alphabet[symbol];
  return rows.map((row) => row.join("")).join("\n");
}
