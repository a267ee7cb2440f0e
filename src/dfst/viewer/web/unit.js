// Control units: what sits on the head. A table of rules, or a DFST; both step on a symbol.
//
// `step(symbol)` decides and moves on; the decision stands in `written` (symbol index), `shown`
// (motion an onlooker sees, S for a halt) and `move` (motion of the head), until the next step.
// `save()` and `load(saved)` are what key frames are made of.
//
// A DFST sums in the order of the Python rollout (j ascending, each product and each sum rounded to
// the model's own precision), so both take the same decisions step for step.

import { HALTING, MOTION_NAMES } from "./grid.js";

const HALT = -1;
const MISSING = -2;
const STAYS = 5;

export class TableUnit {
  constructor(subject) {
    this.kind = "table";
    this.subject = subject;
    this.symbols = subject.alphabet.length;
    this.next = Int32Array.from(subject.next);
    this.writes = Uint8Array.from(subject.write);
    this.moves = Uint8Array.from(subject.motion);
    this.reset();
  }

  reset() {
    this.state = 0;
    this.halted = false;
  }

  save() {
    return this.state;
  }

  load(saved) {
    this.state = saved;
    this.halted = false;
  }

  has(symbol) {
    return this.next[this.state * this.symbols + symbol] !== MISSING;
  }

  step(symbol) {
    const rule = this.state * this.symbols + symbol;
    const following = this.next[rule];
    this.written = this.writes[rule];
    this.move = this.moves[rule];
    this.halted = following === HALT;
    this.shown = this.halted ? HALTING : this.move === HALTING ? STAYS : this.move;
    if (!this.halted) this.state = following;
  }

  /** Why a symbol cannot be worked on, in words. */
  complaint(symbol, x, y, step) {
    const { name, states, alphabet } = this.subject;
    return (
      `${name} has no rule for state ${quote(states[this.state])} reading ${quote(alphabet[symbol])} ` +
      `(cell x=${x}, y=${y}, step ${step})`
    );
  }

  label() {
    return this.subject.states[this.state];
  }
}

function quote(text) {
  return `‘${text}’`;
}

export class DfstUnit {
  constructor(subject) {
    this.kind = "dfst";
    this.subject = subject;
    this.d = subject.d;
    this.symbols = subject.alphabet.length;
    this.motionCodes = subject.motions.map((name) => MOTION_NAMES.indexOf(name));
    this.single = subject.precision === "float32";
    this.tensor = {};
    for (const name of ["A", "B", "C", "h0"]) this.tensor[name] = unpack(subject[name], this.single);
    this.h = this.tensor.h0.slice();
    this.following = this.h.slice();
    this.symbolScores = new this.h.constructor(this.symbols);
    this.motionScores = new this.h.constructor(this.motionCodes.length);
    this.product = this.single ? matrixVector32 : matrixVector64;
    this.halted = false;
  }

  reset() {
    this.h.set(this.tensor.h0);
    this.halted = false;
  }

  save() {
    return this.h.slice();
  }

  load(saved) {
    this.h.set(saved);
    this.halted = false;
  }

  /** A model that diverged can decide nothing. */
  has() {
    let sum = 0;
    for (const value of this.h) sum += value;
    return Number.isFinite(sum);
  }

  complaint(symbol, x, y, step) {
    return `${this.subject.name}: the hidden state overflowed at step ${step}`;
  }

  /** Fills symbolScores and motionScores for the hidden state h and the symbol read. */
  score(symbol, h = this.h) {
    const { B, C } = this.tensor;
    this.product(B, symbol * this.symbols * this.d, h, this.symbolScores);
    this.product(C, symbol * this.motionCodes.length * this.d, h, this.motionScores);
  }

  step(symbol) {
    this.score(symbol);
    this.written = argmax(this.symbolScores);
    this.shown = this.motionCodes[argmax(this.motionScores)];
    this.move = this.shown;
    this.halted = this.shown === HALTING;
    this.product(this.tensor.A, symbol * this.d * this.d, this.h, this.following);
    [this.h, this.following] = [this.following, this.h];
  }

  label() {
    return "";
  }
}

export function makeUnit(subject) {
  return subject.kind === "dfst" ? new DfstUnit(subject) : new TableUnit(subject);
}

/** The place of the largest score; the first of equals, as numpy has it. */
export function argmax(scores) {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if (scores[i] > scores[best]) best = i;
  return best;
}

/** The gap between the best and the second-best score. */
export function margin(scores) {
  let first = -Infinity;
  let second = -Infinity;
  for (const score of scores) {
    if (score > first) [first, second] = [score, first];
    else if (score > second) second = score;
  }
  return first - second;
}

function matrixVector64(matrix, offset, h, out) {
  const d = h.length;
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += matrix[offset++] * h[j];
    out[i] = sum;
  }
}

function matrixVector32(matrix, offset, h, out) {
  const d = h.length;
  const round = Math.fround;
  for (let i = 0; i < out.length; i++) {
    let sum = round(0);
    for (let j = 0; j < d; j++) sum = round(sum + round(matrix[offset++] * h[j]));
    out[i] = sum;
  }
}

function unpack(base64, single) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return single ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}
