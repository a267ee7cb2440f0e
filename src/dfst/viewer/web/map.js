// A small map in a corner of the board: how far the run has been, what is in sight of it, where the head is.

import { SIDE } from "./grid.js";

const [WIDEST, HIGHEST, MARGIN] = [132, 84, 12];
/** Pixels of a board that has room for a map. */
const LEAST = 260;

export function drawMap(board) {
  const { pen, timeline, width, height } = board;
  const { left, right, bottom, top } = timeline.view.grid.box;
  const seen = board.window();
  const hidden = seen.left > left + 1 || seen.right < right - 1 || seen.bottom > bottom + 1 || seen.top < top - 1;
  if (!hidden || width < LEAST || height < LEAST / 2) return;
  const [columns, rows] = [right - left + 1, top - bottom + 1];
  const scale = Math.min(WIDEST / columns, HIGHEST / rows);
  const [w, h] = [Math.max(4, columns * scale), Math.max(4, rows * scale)];
  const [x, y] = [MARGIN, height - MARGIN - h];
  const atX = (column) => x + Math.min(w, Math.max(0, (column - left) * scale));
  const atY = (row) => y + Math.min(h, Math.max(0, (top + 1 - row) * scale));
  pen.save();
  pen.fillStyle = "rgba(0, 0, 0, 0.45)";
  pen.fillRect(x - 4, y - 4, w + 8, h + 8);
  // A board is seen in it, a pixel or less a cell.
  for (const tile of board.visits === null ? [] : timeline.view.grid.tiles.values()) {
    const [side, above] = [SIDE * scale, (top + 1 - (tile.ty + 1) * SIDE) * scale];
    pen.drawImage(board.tileImage(tile), x + (tile.tx * SIDE - left) * scale, y + above, side, side);
  }
  pen.strokeStyle = "rgba(243, 241, 231, 0.4)";
  pen.lineWidth = 1;
  pen.strokeRect(x, y, w, h);
  pen.strokeStyle = "#f3f1e7";
  const [from, to] = [atX(seen.left), atX(seen.right + 1)];
  const [above, below] = [atY(seen.top + 1), atY(seen.bottom)];
  pen.strokeRect(from, above, Math.max(2, to - from), Math.max(2, below - above));
  pen.fillStyle = "#ffd45e";
  pen.beginPath();
  pen.arc(atX(timeline.view.x + 0.5), atY(timeline.view.y + 0.5), 3.5, 0, 2 * Math.PI);
  pen.fill();
  pen.restore();
}
