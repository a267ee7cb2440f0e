// Where one looks at the plane from: a centre, a cell size, and the wish to keep everything in sight.
//
// `auto` fits what the run has visited; where that would make symbols too small to read and the run is
// a thin strip (long arithmetic, a tape), it follows the head at reading size. Zooming or panning by
// hand ends auto until Fit is asked for again.

export const LARGEST = 88;
/** Pixels left free around a run that is framed whole. */
const EDGE = 14;
/** Cells may be far smaller than a pixel: a run of millions of steps is still framed whole. */
const SMALLEST = 1e-5;
const READABLE = 13;
const FOLLOWING = 34;

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.size = 48;
    this.auto = true;
    this.settled = false;
    /** Pixels of the largest cell that auto chooses. */
    this.largest = LARGEST;
  }

  /** Where auto wants to be for a box of cells, a head and a viewport in pixels. */
  aim(box, head, width, height) {
    const columns = box.right - box.left + 1;
    const rows = box.top - box.bottom + 1;
    const [across, down] = [Math.max(1, width - 2 * EDGE), Math.max(1, height - 2 * EDGE)];
    const fitted = Math.min(this.largest, width / (columns + 1.2), height / (rows + 1.6), across / columns, down / rows);
    const strip = rows <= 6 || rows * 12 < columns;
    if (fitted < READABLE && strip) {
      return {
        x: head.x + 0.5,
        y: (box.top + box.bottom + 1) / 2,
        size: Math.min(FOLLOWING, height / (rows + 1.6)),
      };
    }
    return {
      x: (box.left + box.right + 1) / 2,
      y: (box.bottom + box.top + 1) / 2,
      size: Math.max(SMALLEST, fitted),
    };
  }

  /** Move towards an aim; at once when not settled yet. True while still on the way. */
  approach(aim, milliseconds) {
    const share = this.settled ? 1 - Math.exp(-milliseconds / 140) : 1;
    this.settled = true;
    const gap = (Math.abs(aim.x - this.x) + Math.abs(aim.y - this.y)) * aim.size;
    const stretch = Math.abs(Math.log(aim.size / this.size));
    if (gap < 0.5 && stretch < 0.002) {
      Object.assign(this, aim);
      return false;
    }
    this.x += (aim.x - this.x) * share;
    this.y += (aim.y - this.y) * share;
    this.size *= (aim.size / this.size) ** share;
    return true;
  }

  pan(dx, dy) {
    this.auto = false;
    this.x -= dx / this.size;
    this.y += dy / this.size;
  }

  /** Zoom so that the cell under the point (pixels from the centre) stays there. */
  zoom(factor, px = 0, py = 0) {
    this.auto = false;
    const size = Math.min(2 * LARGEST, Math.max(SMALLEST, this.size * factor));
    this.x += px / this.size - px / size;
    this.y -= py / this.size - py / size;
    this.size = size;
  }

  fit() {
    this.auto = true;
  }
}
