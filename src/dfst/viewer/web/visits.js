// How often the head has been on each cell of a board: the more often, the lighter the cell.

import { BITS, SIDE } from "./grid.js";
import { MOST_VISITS } from "./hurry.js";

/** How light cells are that were visited least and most often, of 255; fewer visits than these are not many. */
const [DARKEST, LIGHTEST, FEW] = [8, 64, 6];
/** The colour of the head as the pixels of an image hold it, without its opacity. */
const HEAD = 0x5ed4ff;
const MOST_CELLS = 4_000_000;

/** Paints what a cursor has counted, a pixel a cell, and lays that over the cells. */
export class Visits {
  constructor() {
    this.canvas = document.createElement("canvas");
  }

  /** The shading that suits the visits so far; a new one once they have grown by a tenth or so. */
  shades(tiles) {
    const ends = extremes(tiles).map((times) => Math.round(8 * Math.log2(times)) / 8);
    if (this.ends?.join() !== ends.join()) [this.ends, this.shaded] = [ends, shading(...ends)];
    return this.shaded;
  }

  draw(board) {
    const { tiles } = board.timeline.view.visits;
    const { left, right, bottom, top } = board.timeline.view.grid.box;
    const [width, height] = [right - left + 1, top - bottom + 1];
    if (width * height > MOST_CELLS) return;
    const { canvas } = this;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(width, height);
    const [pixels, shades] = [new Uint32Array(image.data.buffer), this.shades(tiles)];
    for (const { tx, ty, cells } of tiles.values()) {
      for (let i = 0; i < cells.length; i++) {
        if (cells[i] === 0) continue;
        const [x, y] = [tx * SIDE + (i & (SIDE - 1)) - left, top - ty * SIDE - (i >> BITS)];
        pixels[y * width + x] = HEAD | (shades[cells[i]] << 24);
      }
    }
    pen.putImageData(image, 0, 0);
    board.pen.imageSmoothingEnabled = false;
    const { size } = board.camera;
    board.pen.drawImage(canvas, board.left(left), board.top(top), width * size, height * size);
    board.pen.imageSmoothingEnabled = true;
  }
}

/** [least, most] visits of a cell that was visited. */
function extremes(tiles) {
  let [least, most] = [Infinity, FEW];
  for (const { cells } of tiles.values()) {
    for (let i = 0; i < cells.length; i++) {
      if (cells[i] > most) most = cells[i];
      if (cells[i] > 0 && cells[i] < least) least = cells[i];
    }
  }
  return [Math.min(least, most / 2), most];
}

/** How light a cell is, by its number of visits: the least visited ones are the darkest. */
function shading(from, to) {
  const light = (times) => DARKEST + ((LIGHTEST - DARKEST) * (Math.log2(times) - from)) / (to - from);
  return Uint8ClampedArray.from({ length: MOST_VISITS + 1 }, (_, times) => light(Math.max(1, times)));
}
