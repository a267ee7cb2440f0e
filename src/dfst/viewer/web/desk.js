// A run that a person makes by hand, one step at a time; for a board it looks like any other run.
//
// Symbols go by name and get their numbers as they appear, the blank first, so an alphabet need not be
// known in advance.

import { DX, DY, MOTION_NAMES, TiledGrid } from "./grid.js";
import { BLANK } from "./traces.js";

export class Desk {
  constructor() {
    this.subject = { name: "by hand", alphabet: [BLANK], blank: 0, task: null, chalk: true };
    this.states = null;
    this.lay({ input: "", symbols: [], start: 0 });
  }

  /** Put an input on an empty board, by the names of its symbols. */
  lay({ input, symbols, start, columns }) {
    this.input = input;
    this.steps = [];
    this.recent = [];
    /** The symbol that the next arrow writes; null keeps what is there. */
    this.pending = null;
    const grid = new TiledGrid(0);
    grid.lay(
      symbols.map((name) => this.number(name)),
      start,
      columns,
    );
    this.view = { grid, x: 0, y: 0, step: 0, halted: false };
  }

  /** The example as it was begun, then its first steps; cells that its input does not tell are read off them. */
  load({ input, steps }, laid, until = steps.length) {
    this.lay({ ...laid, input });
    const seen = new Set();
    let [x, y] = [0, 0];
    for (const { read, moved } of steps) {
      if (!seen.has(`${x},${y}`)) this.view.grid.write(x, y, this.number(read));
      seen.add(`${x},${y}`);
      x += DX[MOTION_NAMES.indexOf(moved)];
      y += DY[MOTION_NAMES.indexOf(moved)];
    }
    for (const { wrote, moved } of steps.slice(0, until)) this.act(moved, wrote);
  }

  number(name) {
    const { alphabet } = this.subject;
    const found = alphabet.indexOf(name);
    return found >= 0 ? found : alphabet.push(name) - 1;
  }

  /** What the board asks of a run. */
  get frontier() {
    return this.view;
  }

  get known() {
    return this.view.step;
  }

  get complete() {
    return false;
  }

  get step() {
    return this.view.step;
  }

  get last() {
    return this.recent.at(-1) ?? null;
  }

  /** The symbol under the head. */
  get read() {
    return this.subject.alphabet[this.view.grid.read(this.view.x, this.view.y)];
  }

  /** One step: write (what was chosen, or what is there), move. */
  act(moved, wrote = this.pending ?? this.read) {
    const { view, read } = this;
    if (view.halted) return;
    const { x, y } = view;
    const [before, after, shown] = [this.number(read), this.number(wrote), MOTION_NAMES.indexOf(moved)];
    this.steps.push({ read, wrote, moved });
    this.recent.push({ x, y, read: before, written: after, shown });
    view.grid.write(x, y, after);
    view.x += DX[shown];
    view.y += DY[shown];
    view.grid.visit(view.x, view.y);
    view.step += 1;
    view.halted = moved === "S";
    this.pending = null;
  }

  /** Take back the symbol that was chosen, else the last step. */
  undo() {
    if (this.pending !== null) {
      this.pending = null;
      return;
    }
    const last = this.recent.pop();
    if (last === undefined) return;
    this.steps.pop();
    const { view } = this;
    view.grid.write(last.x, last.y, last.read);
    view.x = last.x;
    view.y = last.y;
    view.step -= 1;
    view.halted = false;
  }
}
