// The past of a tape below the tape: a line for each key frame, time running down, as busy beavers are drawn.

export const HISTORY_SHARE = 0.66;
const COLUMNS = 1024;
const REFRESH_MS = 400;

export class History {
  constructor() {
    this.canvas = null;
    this.drawnAt = -1e9;
    this.frames = null;
  }

  draw(pen, timeline, width, height, time, paint) {
    const stale = this.frames !== timeline.frames || this.count !== timeline.frames.length;
    if (this.canvas === null || (stale && time - this.drawnAt > REFRESH_MS))
      this.render(timeline, time, paint);
    const top = height * (1 - HISTORY_SHARE);
    const room = height - top - 14;
    const shown = Math.min(1, timeline.step / Math.max(1, this.until));
    const margin = 14;
    pen.save();
    pen.fillStyle = "rgba(0, 0, 0, 0.2)";
    pen.fillRect(margin, top, width - 2 * margin, room);
    pen.imageSmoothingEnabled = this.columns > width;
    pen.globalAlpha = 0.22;
    pen.drawImage(this.canvas, margin, top, width - 2 * margin, room);
    pen.globalAlpha = 0.9;
    if (shown > 0) {
      const rows = Math.max(1, Math.round(shown * this.canvas.height));
      pen.drawImage(
        this.canvas,
        0,
        0,
        this.canvas.width,
        rows,
        margin,
        top,
        width - 2 * margin,
        (room * rows) / this.canvas.height,
      );
    }
    pen.globalAlpha = 1;
    pen.fillStyle = "#ffd45e";
    pen.fillRect(margin, top + room * shown - 0.75, width - 2 * margin, 1.5);
    pen.restore();
  }

  /** One pixel row a key frame; where a pixel stands for many cells it is as bright as they are many. */
  render(timeline, time, paint) {
    this.drawnAt = time;
    this.frames = timeline.frames;
    this.count = timeline.frames.length;
    this.until = Math.max(timeline.known, 1);
    const { left, right } = timeline.frontier.grid.box;
    const cells = right - left + 1;
    this.columns = Math.min(COLUMNS, cells);
    const canvas = document.createElement("canvas");
    canvas.width = this.columns;
    canvas.height = Math.max(1, timeline.frames.length);
    const pen = canvas.getContext("2d");
    pen.globalAlpha = Math.min(1, (1.8 * this.columns) / cells);
    const { blank } = timeline.subject;
    timeline.frames.forEach((frame, row) => {
      for (const tile of frame.grid.tiles.values()) {
        if (tile.ty !== 0) continue;
        for (let i = 0; i < 32; i++) {
          if (tile.cells[i] === blank) continue;
          pen.fillStyle = paint(tile.cells[i]);
          pen.fillRect(Math.floor(((tile.tx * 32 + i - left) * this.columns) / cells), row, 1, 1);
        }
      }
    });
    this.canvas = canvas;
  }
}
