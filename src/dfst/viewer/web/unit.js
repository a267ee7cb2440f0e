// Control units: what sits on the head. A table of rules, or a DFST; both step on a symbol.
//
// `step(symbol)` decides and moves on; the decision stands in `written` (symbol index), `shown`
// (motion an onlooker sees, S for a halt) and `move` (motion of the head), until the next step.
// `save()` and `load(saved)` are what key frames are made of.

import { HALTING } from "./grid.js";
import { isFinite, KEPT, modelOf } from "./model.js";

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

  /** What `hurry` goes by: next, writes, moves and symbols. */
  get rules() {
    return this;
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

  /** The name of the end that a halt on a symbol has led to, and whether it accepts; null without names. */
  endOn(symbol) {
    const { ends, end } = this.subject;
    return ends.length > 0 ? ends[end[this.state * this.symbols + symbol]] : null;
  }
}

function quote(text) {
  return `‘${text}’`;
}

export class DfstUnit {
  constructor(subject) {
    this.kind = "dfst";
    this.subject = subject;
    this.model = modelOf(subject);
    /** Which hidden states it has been in, by number, and those of them that nobody was told of. */
    this.met = new Uint8Array(KEPT);
    this.fresh = [];
    this.reset();
  }

  /** What the model remembers, as a table has it; null where its hidden state is none that it keeps. */
  get rules() {
    return this.number < 0 ? null : this.model.rules;
  }

  get state() {
    return this.number;
  }

  set state(number) {
    this.number = number;
    this.h = this.model.kept[number];
  }

  reset() {
    this.load(this.model.h0);
  }

  /** The hidden state; never changed in place. */
  save() {
    return this.h;
  }

  load(saved) {
    this.h = saved;
    this.number = this.model.numberOf(saved);
    this.halted = false;
  }

  /** A model that diverged can decide nothing. */
  has() {
    return this.number >= 0 || isFinite(this.h);
  }

  complaint(symbol, x, y, step) {
    return `${this.subject.name}: the hidden state overflowed at step ${step}`;
  }

  step(symbol) {
    const { next, writes, moves, symbols } = this.model.rules;
    const edge = this.number * symbols + symbol;
    if (this.number >= 0 && next[edge] >= 0) {
      this.written = writes[edge];
      this.shown = moves[edge];
      this.state = next[edge];
    } else this.compute(symbol, edge);
    this.move = this.shown;
    this.halted = this.shown === HALTING;
  }

  compute(symbol, edge) {
    const { model } = this;
    model.score(symbol, this.h);
    this.written = argmax(model.symbolScores);
    this.shown = model.motionCodes[argmax(model.motionScores)];
    const { h, number } = model.keep(model.next(symbol, this.h));
    if (this.number >= 0 && number >= 0 && this.shown !== HALTING) {
      model.rules.next[edge] = number;
      model.rules.writes[edge] = this.written;
      model.rules.moves[edge] = this.shown;
    }
    this.h = h;
    this.number = number;
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
