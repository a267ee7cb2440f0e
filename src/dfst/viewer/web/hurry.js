// Many steps at once of a table, or of a model where it remembers what it does: the fast twin of `Cursor.advance`,
// which takes the last one.
//
// As long as the head stays in a tile, nothing is looked up but its cell and the rule.

import { BITS, DX, DY, SIDE } from "./grid.js";

const LOCAL = SIDE - 1;
export const MOST_VISITS = 0xffff;

/** Up to `most` steps, fewer where a halt, a gap or a rule that is not known yet comes next. */
export function hurry(cursor, most) {
  const { unit, grid, visits } = cursor;
  if (most <= 0 || cursor.over || unit.rules === null) return;
  const { next, writes, moves, symbols } = unit.rules;
  const { met = null, fresh } = unit;
  const { box } = grid;
  let { x, y } = cursor;
  let [state, left] = [unit.state, most];
  let none = null;
  while (left > 0) {
    const [tx, ty] = [x >> BITS, y >> BITS];
    let tile = grid.tileAt(tx, ty);
    if (tile === null) none ??= new Uint8Array(SIDE * SIDE).fill(grid.blank);
    let cells = tile === null ? none : tile.cells;
    const counts = visits === null ? null : visits.owned(tx, ty);
    let ended = false;
    while (left > 0 && x >> BITS === tx && y >> BITS === ty) {
      const at = ((y & LOCAL) << BITS) | (x & LOCAL);
      const read = cells[at];
      const rule = state * symbols + read;
      if (next[rule] < 0) {
        ended = true;
        break;
      }
      if (writes[rule] !== read) {
        tile = grid.owned(tx, ty);
        cells = tile.cells;
        cells[at] = writes[rule];
        tile.version += 1;
      }
      const move = moves[rule];
      x += DX[move];
      y += DY[move];
      state = next[rule];
      left -= 1;
      if (met !== null && met[state] === 0) {
        met[state] = 1;
        fresh.push(state);
      }
      if (x < box.left) box.left = x;
      else if (x > box.right) box.right = x;
      if (y < box.bottom) box.bottom = y;
      else if (y > box.top) box.top = y;
      if (counts === null) continue;
      if (x >> BITS === tx && y >> BITS === ty) {
        const to = ((y & LOCAL) << BITS) | (x & LOCAL);
        if (counts.cells[to] < MOST_VISITS) counts.cells[to] += 1;
      } else cursor.count.call({ visits, x, y }, 1);
    }
    if (counts !== null) counts.version += 1;
    if (ended) break;
  }
  Object.assign(cursor, { x, y, step: cursor.step + most - left });
  unit.state = state;
}
