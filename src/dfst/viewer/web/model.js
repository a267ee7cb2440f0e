// The numbers of a DFST, and its memory of hidden states.
//
// A DFST in finite precision is a finite machine: the same bits of h and the same symbol give the same
// bits again. Each hidden state met is kept once, with the outcome of each symbol once known, so an
// exact model turns into a table as it runs; one that never repeats is computed step by step. Hidden
// states are never changed after they are made, so a key frame can hold them without a copy.
//
// Sums run in the order of the Python rollout (j ascending, each product and each sum rounded to the
// model's own precision), so both take the same decisions step for step.

import { MOTION_NAMES } from "./grid.js";

export const KEPT = 4096;
const UNKNOWN = -1;
const NEAR = 2 ** 40;
const FAR = 2 ** 60;
/** Hidden states never met before, after which a model is taken for one that does not repeat. */
const PATIENCE = 4 * KEPT;
const models = new WeakMap();

/** The model of a subject; units of the same subject share it. */
export function modelOf(subject) {
  if (!models.has(subject)) models.set(subject, new Model(subject));
  return models.get(subject);
}

export function isFinite(h) {
  for (let i = 0; i < h.length; i++) if (!(Math.abs(h[i]) < Infinity)) return false;
  return true;
}

/** h itself, or times 2^±60 where its largest component is beyond 2^60 or below 2^-60: exact, and decisions
 * depend on the direction of h alone. As `rescaled` in Python, to the bit. */
function rescaled(h) {
  if (Math.abs(h[0]) >= 1 / NEAR && Math.abs(h[0]) < NEAR) return h;
  let largest = 0;
  for (let i = 0; i < h.length; i++) largest = Math.max(largest, Math.abs(h[i]));
  if (largest >= FAR) return h.map((part) => part / FAR);
  return largest > 0 && largest < 1 / FAR ? h.map((part) => part * FAR) : h;
}

class Model {
  constructor(subject) {
    this.d = subject.d;
    this.symbols = subject.alphabet.length;
    this.motionCodes = subject.motions.map((name) => MOTION_NAMES.indexOf(name));
    const single = subject.precision === "float32";
    this.product = single ? matrixVector32 : matrixVector64;
    [this.A, this.B, this.C, this.h0] = ["A", "B", "C", "h0"].map((name) => unpack(subject[name], single));
    this.numbers = this.h0.constructor;
    this.symbolScores = new this.numbers(this.symbols);
    this.motionScores = new this.numbers(this.motionCodes.length);
    this.kept = [];
    this.strangers = 0;
    this.byBits = new Map();
    /** What is known of hidden states, by number, and symbols; halts are not kept. */
    this.rules = {
      next: new Int32Array(KEPT * this.symbols).fill(UNKNOWN),
      writes: new Uint8Array(KEPT * this.symbols),
      moves: new Uint8Array(KEPT * this.symbols),
      symbols: this.symbols,
    };
    this.h0 = this.keep(this.h0).h;
  }

  /** Fills symbolScores and motionScores for the hidden state h and the symbol read. */
  score(symbol, h) {
    this.product(this.B, symbol * this.symbols * this.d, h, this.symbolScores);
    this.product(this.C, symbol * this.motionCodes.length * this.d, h, this.motionScores);
  }

  /** The hidden state after h and the symbol read. */
  next(symbol, h) {
    const following = new this.numbers(this.d);
    this.product(this.A, symbol * this.d * this.d, h, following);
    return rescaled(following);
  }

  /** The kept hidden state with these bits and its number; the number is -1 where it was not kept. */
  keep(h) {
    if (this.strangers > PATIENCE) return { h, number: -1 };
    const bits = String.fromCharCode.apply(null, new Uint16Array(h.buffer));
    let number = this.byBits.get(bits);
    if (number === undefined) {
      this.strangers += 1;
      if (this.kept.length >= KEPT || !isFinite(h)) return { h, number: -1 };
      number = this.kept.push(h) - 1;
      this.byBits.set(bits, number);
    }
    return { h: this.kept[number], number };
  }

  numberOf(h) {
    return this.keep(h).number;
  }
}

/** out = matrix · h, four rows at a time: their sums do not wait for each other, and each keeps its order. */
function matrixVector64(matrix, offset, h, out) {
  const d = h.length;
  const n = out.length;
  let i = 0;
  for (; i + 4 <= n; i += 4, offset += 4 * d) {
    let [a, b, c, e] = [0, 0, 0, 0];
    for (let j = 0; j < d; j++) {
      const x = h[j];
      a += matrix[offset + j] * x;
      b += matrix[offset + d + j] * x;
      c += matrix[offset + 2 * d + j] * x;
      e += matrix[offset + 3 * d + j] * x;
    }
    out[i] = a;
    out[i + 1] = b;
    out[i + 2] = c;
    out[i + 3] = e;
  }
  for (; i < n; i++, offset += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += matrix[offset + j] * h[j];
    out[i] = sum;
  }
}

/** The same, each product and each sum rounded to single precision. */
function matrixVector32(matrix, offset, h, out) {
  const d = h.length;
  const n = out.length;
  let i = 0;
  for (; i + 4 <= n; i += 4, offset += 4 * d) {
    let [a, b, c, e] = [Math.fround(0), Math.fround(0), Math.fround(0), Math.fround(0)];
    for (let j = 0; j < d; j++) {
      const x = h[j];
      a = Math.fround(a + Math.fround(matrix[offset + j] * x));
      b = Math.fround(b + Math.fround(matrix[offset + d + j] * x));
      c = Math.fround(c + Math.fround(matrix[offset + 2 * d + j] * x));
      e = Math.fround(e + Math.fround(matrix[offset + 3 * d + j] * x));
    }
    out[i] = a;
    out[i + 1] = b;
    out[i + 2] = c;
    out[i + 3] = e;
  }
  for (; i < n; i++, offset += d) {
    let sum = Math.fround(0);
    for (let j = 0; j < d; j++) sum = Math.fround(sum + Math.fround(matrix[offset + j] * h[j]));
    out[i] = sum;
  }
}

function unpack(base64, single) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return single ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}
