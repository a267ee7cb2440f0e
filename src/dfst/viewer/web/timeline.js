// A run that can be watched in any order: forward, back, and to any of a million steps at once.
//
// Nothing is stored per step. A *frontier* computes ahead and leaves key frames (grid, unit, head); when
// there are too many, every second one goes and the spacing doubles. The *view* is the moment shown: to
// seek, it takes the nearest key frame before and steps on. The last few hundred steps before the view
// are kept with their undo, for the trail, for fresh writes, and for stepping back at no cost.

import { DX, DY, TiledGrid } from "./grid.js";
import { hurry, MOST_VISITS } from "./hurry.js";
import { LearntStates } from "./states.js";
import { makeUnit } from "./unit.js";

export const RECENT = 256;
/** A short run has a key frame a step, so that its history shows every one of them. */
const MOST_FRAMES = 128;
/** A board is played in ten seconds however long the run: so many frames are thirty a second. */
const MOST_OF_A_BOARD = 384;
const FIRST_SPACING = 1;
/** Steps that are taken at once between two looks at the clock. */
const MOST_AT_ONCE = 16_384;

class Cursor {
  constructor(subject, { symbols, start, columns }) {
    this.unit = makeUnit(subject);
    this.grid = new TiledGrid(subject.blank);
    this.grid.lay(symbols, start, columns);
    /** How often the head was on each cell, where the subject works on a board; else null. */
    this.visits = subject.task?.plane ? new TiledGrid(0, Uint16Array) : null;
    this.x = 0;
    this.y = 0;
    this.step = 0;
    this.halted = false;
    this.stuck = "";
    this.read = 0;
    if (this.visits !== null) this.count(1);
  }

  get over() {
    return this.halted || this.stuck !== "";
  }

  /** One step; false when the run is over. */
  advance() {
    if (this.halted || this.stuck !== "") return false;
    const read = this.grid.read(this.x, this.y);
    if (!this.unit.has(read)) {
      this.stuck = this.unit.complaint(read, this.x, this.y, this.step);
      return false;
    }
    this.unit.step(read);
    this.read = read;
    this.grid.write(this.x, this.y, this.unit.written);
    this.x += DX[this.unit.move];
    this.y += DY[this.unit.move];
    this.grid.visit(this.x, this.y);
    if (this.visits !== null) this.count(1);
    this.halted = this.unit.halted;
    this.step += 1;
    return true;
  }

  /** On to a step, or to the end of the run. */
  advanceTo(step) {
    do hurry(this, step - this.step - 1);
    while (this.step < step && this.advance());
  }

  /** One visit more, or one less, of the head's cell. */
  count(by) {
    const { visits, x, y } = this;
    visits.write(x, y, Math.min(MOST_VISITS, visits.read(x, y) + by));
  }

  save() {
    const { x, y, step, halted } = this;
    const visits = this.visits?.snapshot();
    return { x, y, step, halted, grid: this.grid.snapshot(), visits, unit: this.unit.save() };
  }

  load(frame) {
    this.grid.restore(frame.grid);
    this.visits?.restore(frame.visits);
    this.unit.load(frame.unit);
    this.x = frame.x;
    this.y = frame.y;
    this.step = frame.step;
    this.halted = frame.halted;
    this.stuck = "";
  }
}

export class Timeline {
  /** `limit`: steps after which the frontier waits to be told to go on. */
  constructor(subject, input, limit = 1_000_000) {
    this.subject = subject;
    this.limit = limit;
    this.frontier = new Cursor(subject, input);
    this.view = new Cursor(subject, input);
    this.frames = [this.frontier.save()];
    this.spacing = FIRST_SPACING;
    this.mostFrames = subject.task?.plane ? MOST_OF_A_BOARD : MOST_FRAMES;
    /** Steps before the view, oldest first: {x, y, read, written, shown, unit} with the unit as it was before. */
    this.recent = [];
    this.states = null;
    if (this.frontier.unit.kind === "dfst") {
      this.states = new LearntStates();
      this.states.see(this.frontier.unit.h);
    }
  }

  get step() {
    return this.view.step;
  }

  /** Steps computed so far; the length of the run once `complete`. */
  get known() {
    return this.frontier.step;
  }

  get complete() {
    return this.frontier.over;
  }

  get waiting() {
    return !this.complete && this.frontier.step >= this.limit;
  }

  /** Compute ahead for some milliseconds; true if there is more to do. */
  extend(milliseconds) {
    const end = now() + milliseconds;
    while (!this.complete && this.frontier.step < this.limit) {
      this.hasten();
      for (let i = 0; i < 256 && this.frontier.step < this.limit; i++) if (!this.push()) return false;
      if (now() >= end) return true;
    }
    return false;
  }

  /** The frontier on to just before its next key frame, or a few steps, as far as what it does is known. */
  hasten() {
    const { frontier, spacing, states } = this;
    const left = Math.min(spacing - (frontier.step % spacing), this.limit - frontier.step, MOST_AT_ONCE);
    hurry(frontier, left - 1);
    for (const number of frontier.unit.fresh?.splice(0) ?? []) states.see(frontier.unit.model.kept[number]);
  }

  /** One step of the frontier. */
  push() {
    const frontier = this.frontier;
    if (!frontier.advance()) return false;
    if (this.states !== null && !this.states.overflowed) this.states.see(frontier.unit.h);
    if (frontier.step % this.spacing === 0) this.keep();
    return true;
  }

  keep() {
    this.frames.push(this.frontier.save());
    if (this.frames.length > this.mostFrames) {
      this.spacing *= 2;
      this.frames = this.frames.filter((frame) => frame.step % this.spacing === 0);
    }
  }

  /** Bring the view to a step, or to the end if the run has fewer. */
  seek(target) {
    target = Math.max(0, Math.trunc(target));
    if (target < this.step && this.step - target < this.recent.length) {
      while (this.step > target) this.undo();
      return;
    }
    while (this.frontier.step < target) {
      if (target - this.frontier.step > MOST_AT_ONCE) this.hasten();
      if (!this.push()) break;
    }
    const quiet = Math.max(0, Math.min(target, this.known) - RECENT);
    if (target < this.step || quiet > this.step) {
      const frame = this.frameBefore(quiet);
      if (target < this.step || frame.step > this.step) {
        this.view.load(frame);
        this.recent = [];
      }
    }
    if (this.step < quiet) {
      this.view.advanceTo(quiet);
      this.recent = [];
    }
    while (this.step < target && this.forward());
  }

  /** On to the last key frame before a step, at hardly any cost; to the step itself where the run ends there. */
  skim(target) {
    const frame = this.frameBefore(target);
    if (this.complete && target >= this.known) this.seek(target);
    else if (frame.step > this.step) {
      this.view.load(frame);
      this.recent = [];
      this.forward();
    }
  }

  /** One step forward, remembered; false at the end of the run. */
  forward() {
    const { view } = this;
    if (this.frontier.step === view.step) this.push();
    const { x, y } = view;
    const unit = view.unit.save();
    if (!view.advance()) return false;
    this.recent.push({ x, y, read: view.read, written: view.unit.written, shown: view.unit.shown, unit });
    if (this.recent.length > 2 * RECENT) this.recent = this.recent.slice(-RECENT);
    return true;
  }

  undo() {
    const { x, y, read, unit } = this.recent.pop();
    const { view } = this;
    if (view.visits !== null) view.count(-1);
    view.stuck = "";
    view.halted = false;
    view.x = x;
    view.y = y;
    view.step -= 1;
    view.grid.write(x, y, read);
    view.unit.load(unit);
  }

  back() {
    if (this.step > 0) this.seek(this.step - 1);
  }

  /** On to just after the next step that changes a cell, or to the end of what is allowed. */
  nextWrite() {
    while (this.step < this.limit && this.forward()) {
      const last = this.recent.at(-1);
      if (last.read !== last.written) return true;
    }
    return false;
  }

  /** Back to just after the last step before this one that changed a cell, or to the start. */
  previousWrite() {
    for (let end = this.step - 1; end > 0;) {
      this.seek(end);
      const changes = (entry) => entry.read !== entry.written;
      const at = this.recent.findLastIndex(changes);
      if (at >= 0) {
        this.seek(end - (this.recent.length - 1 - at));
        return true;
      }
      end = this.step - this.recent.length;
    }
    this.seek(0);
    return false;
  }

  frameBefore(step) {
    let low = 0;
    let high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].step <= step) low = middle;
      else high = middle - 1;
    }
    return this.frames[low];
  }

  /** The step just taken, or null at the start. */
  get last() {
    return this.recent.at(-1) ?? null;
  }
}

/** Two units on one input, in step: finds the first decision in which they differ. */
export class Comparison {
  constructor(left, leftInput, right, rightInput, limit) {
    this.left = new Cursor(left, leftInput);
    this.right = new Cursor(right, rightInput);
    this.limit = limit;
    /** The number of steps that agree before the first that does not; null while none was found. */
    this.difference = null;
    /** Where that was, what was read there, and what each did: {x, y, read, did: [{written, shown} or null]}. */
    this.parting = null;
    this.finished = false;
  }

  /** Compare for some milliseconds; true if there is more to do. */
  extend(milliseconds) {
    const end = now() + milliseconds;
    while (!this.finished) {
      for (let i = 0; i < 256 && !this.finished; i++) this.push();
      if (now() >= end) return !this.finished;
    }
    return false;
  }

  push() {
    const { left, right } = this;
    const { x, y, step: agreed } = left;
    const read = left.grid.read(x, y);
    const went = left.advance();
    const also = right.advance();
    if (went !== also || (went && !this.agree())) {
      const did = ({ unit }, goes) => (goes ? { written: unit.written, shown: unit.shown } : null);
      this.difference = agreed;
      this.parting = { x, y, read, did: [did(left, went), did(right, also)] };
    }
    this.finished = this.difference !== null || !went || left.step >= this.limit;
  }

  agree() {
    const { left, right } = this;
    const name = (cursor, symbol) =>
      symbol === cursor.unit.subject.blank ? "" : cursor.unit.subject.alphabet[symbol];
    return (
      left.unit.shown === right.unit.shown &&
      name(left, left.unit.written) === name(right, right.unit.written)
    );
  }
}

function now() {
  return performance.now();
}
