// The past of a tape below the tape: a line for each key frame, time running down, as busy beavers are drawn.

export const HISTORY_SHARE = 0.66;
/** Pixels of a board on which there is room for tape, tag and history. */
export const LOWEST_HISTORY = 230;
const COLUMNS = 1024;
const REFRESH_MS = 400;
const MARGIN = 14;
const lines = new WeakMap();

export class History {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.drawnAt = -1e9;
    this.frames = null;
  }

  /** `colour(symbol)` is a number, red in its lowest byte, then green, then blue. */
  draw(pen, timeline, width, height, time, colour) {
    const stale = this.frames !== timeline.frames || this.canvas.height !== timeline.frames.length;
    if (this.frames === null || (stale && (time - this.drawnAt > REFRESH_MS || timeline.complete)))
      this.render(timeline, time, colour);
    const top = height * (1 - HISTORY_SHARE);
    const [across, room] = [width - 2 * MARGIN, height - top - MARGIN];
    const rows = this.canvas.height;
    const past = Math.min(rows, Math.floor(timeline.step / this.spacing) + 1);
    pen.save();
    pen.fillStyle = "rgba(0, 0, 0, 0.2)";
    pen.fillRect(MARGIN, top, across, room);
    pen.imageSmoothingEnabled = this.canvas.width > width;
    pen.globalAlpha = 0.22;
    pen.drawImage(this.canvas, MARGIN, top, across, room);
    pen.globalAlpha = 0.9;
    const deep = (room * past) / rows;
    pen.drawImage(this.canvas, 0, 0, this.canvas.width, past, MARGIN, top, across, deep);
    pen.globalAlpha = 1;
    pen.fillStyle = "#ffd45e";
    pen.fillRect(MARGIN, top + deep - 0.75, across, 1.5);
    pen.restore();
  }

  /** One pixel row a key frame; where a pixel stands for many cells it is as bright as they are many. */
  render(timeline, time, colour) {
    this.drawnAt = time;
    this.frames = timeline.frames;
    this.spacing = timeline.spacing;
    const { left, right } = timeline.frontier.grid.box;
    const cells = right - left + 1;
    const columns = Math.min(COLUMNS, cells);
    const rows = timeline.frames.length;
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const many = new Uint16Array(pixels.length);
    const colours = timeline.subject.alphabet.map((_, symbol) => colour(symbol));
    timeline.frames.forEach((frame, row) => {
      const { at, symbols } = lineOf(frame, timeline.subject.blank);
      for (let i = 0; i < at.length; i++) {
        const pixel = row * columns + Math.trunc(((at[i] - left) * columns) / cells);
        pixels[pixel] = colours[symbols[i]];
        many[pixel] += 1;
      }
    });
    const bright = (1.8 * 255 * columns) / cells;
    for (let i = 0; i < pixels.length; i++) pixels[i] |= Math.min(255, many[i] * bright) << 24;
    this.canvas.width = columns;
    this.canvas.height = rows;
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }
}

/** The symbols on a frame's tape and where they stand; looked up once, as a frame never changes. */
function lineOf(frame, blank) {
  const kept = lines.get(frame);
  if (kept !== undefined) return kept;
  const [at, symbols] = [[], []];
  for (const tile of frame.grid.tiles.values()) {
    if (tile.ty !== 0) continue;
    for (let i = 0; i < 32; i++) {
      if (tile.cells[i] === blank) continue;
      at.push(tile.tx * 32 + i);
      symbols.push(tile.cells[i]);
    }
  }
  const line = { at: Int32Array.from(at), symbols: Uint8Array.from(symbols) };
  lines.set(frame, line);
  return line;
}
