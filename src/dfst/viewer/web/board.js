// The blackboard: a canvas that shows one moment of a timeline.
//
// Three scales: chalk symbols when cells are large, painted squares for machines without digits, and one
// pixel a cell, tile by tile, when a run has grown wide. The head is a frame with the name of the state
// on it; the way it came fades behind it; what it wrote last is still warm.

import { BITS, SIDE } from "./grid.js";
import { Camera, LARGEST } from "./camera.js";
import { drawAway, drawHead, drawTrail, PIXELS } from "./head.js";
import { History, HISTORY_SHARE, LOWEST_HISTORY } from "./history.js";
import { Chalk, VARIANTS } from "./glyphs.js";
import { drawMap } from "./map.js";
import { paintSlate } from "./slate.js";
import { Visits } from "./visits.js";

const LINE = "rgba(226, 238, 230, 0.075)";
const CHALK = "#f3f1e7";
const WARMTH = ["#ffd45e", "#ffdc7f", "#fde39b", "#fae8b4", "#f7ecca", "#f5eedb"];
const PAINTS = ["#f3f1e7", "#7fb3dc", "#f0907f", "#9ccc9f", "#c79bd6", "#e8b765", "#7fc9bf", "#b0bec5"];
const FRESH = 24;
const ANSWER = "#8fd9a8";
const CHANGED = "rgba(143, 217, 168, 0.55)";
const ANSWER_TILES = 1024;
/** Pixels of a cell of an answer that is framed. */
const SMALLEST_ANSWER = 22;
const [WALL, STONE, MORTAR] = ["#", "#77857d", "#4d5a53"];
/** Of a board, a pixel a cell: what a free cell is, and the colour of its other letters. */
const [FREE, LETTER] = [".", "#ff8a7a"];
/** Tiles of fewer pixels are painted as one block. */
const BLOCK = 3;

export class Board {
  /** `label`: a function that gives the words on the head's tag. */
  constructor(canvas, label) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.label = label;
    this.camera = new Camera();
    this.chalk = new Chalk();
    this.images = new WeakMap();
    this.history = new History();
    this.timeline = null;
    /** How often each cell was visited, for subjects that work on a board; else null. */
    this.visits = null;
    /** A cell to point at, {x, y}; null for none. */
    this.mark = null;
    this.glide = { x: 0, y: 0, began: -1e9, lasts: 1 };
    this.drawnAt = 0;
    this.width = this.height = 0;
    this.ratio = 1;
  }

  show(timeline) {
    this.timeline = timeline;
    this.camera.settled = false;
    this.camera.fit();
    this.images = new WeakMap();
    this.visits = timeline.subject.task?.plane ? new Visits() : null;
    this.glide.began = -1e9;
  }

  /** Let the head glide from where it is shown now; call before the view moves by one step. */
  glideFrom(time, lasts) {
    const at = this.shownHead(time);
    this.glide = { x: at.x, y: at.y, began: time, lasts };
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.width = Math.max(1, box.width);
    this.height = Math.max(1, box.height);
    // In a room the board is read from the last row.
    this.camera.largest = document.body.classList.contains("projector") ? this.height / 3 : LARGEST;
    const [w, h] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
  }

  /** Draw; true if something still moves and the next frame must draw again. */
  draw(time) {
    if (this.timeline === null || this.width === 0) return false;
    const { view } = this.timeline;
    let moving = time - this.glide.began < this.glide.lasts;
    if (this.camera.auto) {
      const aim = this.camera.aim(this.boxInSight(), view, this.width, this.height);
      if (this.showsHistory) aim.y -= (this.height * HISTORY_SHARE) / 2 / aim.size;
      moving = this.camera.approach(aim, Math.min(100, time - this.drawnAt)) || moving;
    }
    this.drawnAt = time;
    const { pen } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawSlate();
    const size = this.camera.size;
    const painted = !isWritten(this.timeline.subject);
    if (size >= 16) this.drawLines();
    if (this.showsHistory)
      this.history.draw(pen, this.timeline, this.width, this.height, time, (symbol) =>
        pixelOf(this.paint(symbol)),
      );
    if (this.visits !== null) this.visits.draw(this);
    const changes = this.visits !== null && this.timeline.view.halted;
    if (changes && size >= PIXELS) this.drawChanged(CHANGED);
    drawTrail(this);
    if (size < PIXELS || (painted && size < 14)) this.drawPixels();
    else this.drawSymbols(time, painted);
    if (changes && size < PIXELS) this.drawChanged(ANSWER);
    if (this.mark !== null) this.drawMark(this.mark);
    this.drawAnswer();
    drawHead(this, time);
    drawAway(this, time);
    if (!this.showsHistory) drawMap(this);
    return moving;
  }

  /** A machine on a tape leaves the board empty below it: room for its past. */
  get showsHistory() {
    const { box } = this.timeline.frontier.grid;
    return (
      !isWritten(this.timeline.subject) &&
      box.top === box.bottom &&
      this.timeline.known > 0 &&
      this.height >= LOWEST_HISTORY &&
      this.camera.auto
    );
  }

  /** A finished run is framed whole from the start, unless that would make it tiny; at its end, the answer is. */
  boxInSight() {
    const { timeline } = this;
    const answer = this.answerBox();
    if (answer !== null && this.visits === null && answer.right - answer.left < this.width / SMALLEST_ANSWER)
      return answer;
    const whole = timeline.frontier.grid.box;
    if (timeline.complete) {
      const aim = this.camera.aim(whole, timeline.view, this.width, this.height);
      if (aim.size >= 20) return whole;
    }
    return timeline.view.grid.box;
  }

  /** Where the answer of a halted run stands: the box of its one row, or of its board; null for none. */
  answerBox() {
    const { view, subject } = this.timeline;
    if (!view.halted || !isWritten(subject) || view.grid.tiles.size > ANSWER_TILES) return null;
    if (this.answered?.view === view && this.answered.step === view.step) return this.answered.box;
    const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    view.grid.forEachNonblank((x, y) => {
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.bottom = Math.min(box.bottom, y);
      box.top = Math.max(box.top, y);
    });
    const found = box.top === box.bottom || subject.task?.plane ? box : null;
    this.answered = { view, step: view.step, box: found };
    return found;
  }

  drawAnswer() {
    const box = this.answerBox();
    if (box === null) return;
    const { pen } = this;
    const [inset, size] = [this.camera.size * 0.1, this.camera.size];
    pen.strokeStyle = ANSWER;
    pen.lineWidth = Math.max(2, Math.min(4, size * 0.06));
    pen.beginPath();
    const [left, top, width] = [this.left(box.left), this.top(box.top), (box.right - box.left + 1) * size];
    const height = (box.top - box.bottom + 1) * size;
    pen.roundRect(left - inset, top - inset, width + 2 * inset, height + 2 * inset, size * 0.2);
    pen.stroke();
  }

  /** At the end of a run on a board: the cells that are other than they were at first. */
  drawChanged(colour) {
    const { pen, timeline } = this;
    const [first] = timeline.frames;
    const size = Math.max(1.5, this.camera.size);
    pen.fillStyle = colour;
    for (const [key, { tx, ty, cells }] of timeline.view.grid.tiles) {
      const before = first.grid.tiles.get(key)?.cells;
      for (let i = 0; i < cells.length; i++) {
        if (cells[i] === (before?.[i] ?? timeline.subject.blank)) continue;
        pen.fillRect(this.left(tx * SIDE + (i % SIDE)), this.top(ty * SIDE + Math.floor(i / SIDE)), size, size);
      }
    }
  }

  drawSlate() {
    const { width, height } = this.canvas;
    if (this.slate?.width !== width || this.slate?.height !== height) this.slate = paintSlate(width, height);
    this.pen.drawImage(this.slate, 0, 0, this.width, this.height);
  }

  left(x) {
    return this.width / 2 + (x - this.camera.x) * this.camera.size;
  }

  /** The upper edge on the canvas of the row y. */
  top(y) {
    return this.height / 2 - (y + 1 - this.camera.y) * this.camera.size;
  }

  window() {
    const { x, y, size } = this.camera;
    const [w, h] = [this.width / 2 / size, this.height / 2 / size];
    return {
      left: Math.floor(x - w),
      right: Math.ceil(x + w),
      bottom: Math.floor(y - h),
      top: Math.ceil(y + h),
    };
  }

  /** A dashed frame around a cell: here two runs part. */
  drawMark({ x, y }) {
    const { pen } = this;
    const size = Math.max(9, this.camera.size);
    const inset = (this.camera.size - size) / 2 - 2;
    pen.save();
    pen.strokeStyle = "#ff8a7a";
    pen.lineWidth = Math.max(2, size * 0.06);
    pen.setLineDash([size * 0.18, size * 0.1]);
    pen.strokeRect(this.left(x) + inset, this.top(y) + inset, size + 4, size + 4);
    pen.restore();
  }

  drawLines() {
    const { pen } = this;
    const { left, right, bottom, top } = this.window();
    pen.strokeStyle = LINE;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = left; x <= right; x++) {
      pen.moveTo(this.left(x), 0);
      pen.lineTo(this.left(x), this.height);
    }
    for (let y = bottom; y <= top; y++) {
      pen.moveTo(0, this.top(y));
      pen.lineTo(this.width, this.top(y));
    }
    pen.stroke();
  }

  /** Cells changed lately → how many steps ago. */
  freshCells() {
    const fresh = new Map();
    const recent = this.timeline.recent;
    for (let i = Math.max(0, recent.length - FRESH); i < recent.length; i++) {
      const { x, y, read, written } = recent[i];
      if (read !== written) fresh.set(`${x},${y}`, recent.length - 1 - i);
    }
    return fresh;
  }

  visibleTiles() {
    const { left, right, bottom, top } = this.window();
    const tiles = [];
    for (const tile of this.timeline.view.grid.tiles.values()) {
      const [x, y] = [tile.tx * SIDE, tile.ty * SIDE];
      if (x <= right && x + SIDE >= left && y <= top && y + SIDE >= bottom) tiles.push(tile);
    }
    return tiles;
  }

  drawSymbols(time, painted) {
    const { blank } = this.timeline.subject;
    const fresh = this.freshCells();
    const { left, right, bottom, top } = this.window();
    const fade = this.progress(time);
    for (const { tx, ty, cells } of this.visibleTiles()) {
      for (let i = 0; i < cells.length; i++) {
        if (cells[i] === blank) continue;
        const x = tx * SIDE + (i % SIDE);
        const y = ty * SIDE + Math.floor(i / SIDE);
        if (x < left || x > right || y < bottom || y > top) continue;
        const age = fresh.get(`${x},${y}`);
        this.drawSymbol(cells[i], x, y, age, age === 0 ? fade : 1, painted);
      }
    }
    const last = this.timeline.last;
    if (last !== null && last.read !== last.written && last.read !== blank && fade < 1) {
      this.drawSymbol(last.read, last.x, last.y, undefined, 1 - fade, painted);
    }
    this.pen.globalAlpha = 1;
  }

  drawSymbol(symbol, x, y, age, alpha, painted) {
    const { pen } = this;
    const size = this.camera.size;
    const { alphabet } = this.timeline.subject;
    const variant = Math.abs(x * 7 + y * 13) % VARIANTS;
    const warm =
      age === undefined
        ? CHALK
        : WARMTH[Math.min(WARMTH.length - 1, Math.floor((age * WARMTH.length) / FRESH))];
    pen.globalAlpha = alpha;
    let colour = warm;
    if (this.timeline.subject.task?.plane && alphabet[symbol] === WALL) {
      this.drawWall(this.left(x), this.top(y), size);
      return;
    }
    if (painted) {
      pen.fillStyle = this.paint(symbol);
      pen.globalAlpha = alpha * (age === undefined ? 0.86 : 1);
      const inset = size * 0.06;
      pen.beginPath();
      pen.roundRect(
        this.left(x) + inset,
        this.top(y) + inset,
        size - 2 * inset,
        size - 2 * inset,
        size * 0.14,
      );
      pen.fill();
      if (size < 22 || alphabet.length === 2) return;
      colour = "#2a3834";
    }
    const sprite = this.chalk.sprite(alphabet[symbol], size * this.ratio, colour, variant);
    pen.drawImage(sprite, this.left(x), this.top(y), size, size);
  }

  /** Two courses of bricks. */
  drawWall(left, top, size) {
    const { pen } = this;
    pen.fillStyle = STONE;
    pen.fillRect(left, top, size + 0.5, size + 0.5);
    if (size < 14) return;
    pen.strokeStyle = MORTAR;
    pen.lineWidth = Math.max(1, size * 0.05);
    pen.beginPath();
    for (const y of [0, 0.5]) {
      pen.moveTo(left, top + y * size);
      pen.lineTo(left + size, top + y * size);
      pen.moveTo(left + (0.25 + y) * size, top + y * size);
      pen.lineTo(left + (0.25 + y) * size, top + (y + 0.5) * size);
    }
    pen.stroke();
  }

  /** The colour of a symbol; null for a free cell of a board. */
  paint(symbol) {
    const { alphabet, blank, task } = this.timeline.subject;
    if (task?.plane) {
      const name = alphabet[symbol];
      if (name === WALL) return STONE;
      if (name === FREE) return null;
      if (task.letters.includes(name)) return LETTER;
    }
    return PAINTS[(symbol <= blank ? symbol : symbol - 1) % PAINTS.length];
  }

  drawPixels() {
    const { pen } = this;
    const side = SIDE * this.camera.size;
    pen.imageSmoothingEnabled = this.camera.size < 1;
    pen.fillStyle = CHALK;
    for (const tile of this.visibleTiles()) {
      if (side < BLOCK) {
        const thick = Math.max(1.5, side);
        pen.fillRect(this.left(tile.tx * SIDE), this.top(tile.ty * SIDE + SIDE - 1), thick, thick);
        continue;
      }
      pen.drawImage(
        this.tileImage(tile),
        this.left(tile.tx * SIDE),
        this.top(tile.ty * SIDE + SIDE - 1),
        side,
        side,
      );
    }
    pen.imageSmoothingEnabled = true;
  }

  tileImage(tile) {
    const kept = this.images.get(tile);
    if (kept !== undefined && kept.version === tile.version) return kept.canvas;
    const canvas = kept?.canvas ?? document.createElement("canvas");
    canvas.width = canvas.height = SIDE;
    const pen = canvas.getContext("2d");
    const { blank } = this.timeline.subject;
    const image = pen.createImageData(SIDE, SIDE);
    const pixels = new Uint32Array(image.data.buffer);
    const paints = this.timeline.subject.alphabet.map((_, symbol) => this.paint(symbol));
    const colours = paints.map((paint, symbol) =>
      paint === null || symbol === blank ? 0 : (pixelOf(paint) | 0xff000000) >>> 0,
    );
    for (let i = 0; i < tile.cells.length; i++)
      pixels[(SIDE - 1 - (i >> BITS)) * SIDE + (i % SIDE)] = colours[tile.cells[i]];
    pen.putImageData(image, 0, 0);
    this.images.set(tile, { version: tile.version, canvas });
    return canvas;
  }

  /** How far the last step's animation is, 0 to 1, easing out. */
  progress(time) {
    const share = (time - this.glide.began) / this.glide.lasts;
    return share >= 1 ? 1 : 1 - (1 - Math.max(0, share)) ** 3;
  }

  shownHead(time) {
    if (this.timeline === null) return { x: 0, y: 0 };
    const { x, y } = this.timeline.view;
    const { glide } = this;
    if (Math.abs(glide.x - x) + Math.abs(glide.y - y) > 1.5) return { x, y };
    const share = this.progress(time);
    return { x: glide.x + (x - glide.x) * share, y: glide.y + (y - glide.y) * share };
  }
}

/** A colour as the pixels of an image hold it, without its opacity. */
function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return red | (green << 8) | (blue << 16);
}

/** Whether its symbols are written in chalk, as digits are, and not painted as squares. */
function isWritten({ task, chalk }) {
  return Boolean(task) || chalk === true;
}
