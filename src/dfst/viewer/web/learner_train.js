// Training in the browser: Adam on the mean squared next-action loss, as dfst/train does it, in float64.
//
// Traces are flat arrays: x read, s written, m moved (an index into the motions), trace i from start[i] to
// start[i + 1]. Parameters of one model are one array: A (Σ, d, d), B (Σ, Σ, d), C (Σ, M, d), h0 (d).

import { defaultRng } from "./learner_random.js";

const ROUNDS = 4;
const NORM_PACE = 0.01; // as in train/engine_cpu.py

/** A 32-bit avalanche, as in kernels/reference/noise.py. */
function mix(z) {
  z = Math.imul(z ^ (z >>> 16), 0x7feb352d);
  z = Math.imul(z ^ (z >>> 15), 0x846ca68b);
  return (z ^ (z >>> 16)) >>> 0;
}

/** The trace at a position of the endless stream of shuffled epochs of n traces (train/order.py). */
function pick(seed, position, n) {
  const epoch = Math.floor(position / n);
  let i = position % n;
  const key = mix(mix(seed) + epoch);
  let bits = 1;
  while (2 ** (2 * bits) < n) bits += 1;
  const low = 2 ** bits - 1;
  do {
    let [left, right] = [i >>> bits, i & low];
    for (let r = 0; r < ROUNDS; r++) {
      const turned = mix(right + key + Math.imul(r, 0x9e3779b9)) & low;
      [left, right] = [right, left ^ turned];
    }
    i = (left << bits) | right;
  } while (i >= n);
  return i;
}

/** The traces that a step sees: the whole set in order where it is no larger than the batch. */
export function batchOf(seed, step, n, size) {
  const b = Math.min(size, n);
  return Array.from({ length: b }, (_, slot) => (b >= n ? slot : pick(seed, step * b + slot, n)));
}

/** How much each step counts: one over its share of the set, to a power, 1 on average. */
export function reweighted(traces, power) {
  const { x, s, m, start } = traces;
  const kind = new Array(x.length);
  const shown = new Map();
  for (let i = 0; i + 1 < start.length; i++) {
    let before = "";
    for (let t = start[i]; t < start[i + 1]; t++) {
      const step = `${x[t]},${s[t]},${m[t]}`;
      kind[t] = `${before}|${step}`;
      before = step;
      shown.set(kind[t], (shown.get(kind[t]) ?? 0) + 1);
    }
  }
  let total = 0;
  for (const times of shown.values()) total += times ** (1 - power);
  return Float64Array.from(kind, (key) => (shown.get(key) ** -power * x.length) / total);
}

/** One model in training. */
export class Trainer {
  constructor(traces, hiddenSize, seed, recipe) {
    const { symbols, motions } = traces;
    Object.assign(this, { traces, seed, recipe, d: hiddenSize, step: 0, alive: true, loss: NaN, norm: 1 });
    this.weights = reweighted(traces, recipe.reweighting);
    const d = hiddenSize;
    this.at = { B: symbols * d * d };
    this.at.C = this.at.B + symbols * symbols * d;
    this.at.h0 = this.at.C + symbols * motions * d;
    this.theta = this.start(this.at.h0 + d);
    [this.first, this.second, this.gradient] = [0, 1, 2].map(() => new Float64Array(this.theta.length));
    const longest = Math.max(...Array.from({ length: traces.start.length - 1 }, (_, i) => length(traces, i)));
    this.hidden = new Float64Array((longest + 1) * d);
    this.errors = new Float64Array(longest * (symbols + motions));
  }

  /** The paper's: A[x] = identity, B = C = 0, h0 uniform in (0, 1) scaled to length 1. */
  start(size) {
    const { d, at, traces, seed } = this;
    const theta = new Float64Array(size);
    for (let x = 0; x < traces.symbols; x++)
      for (let i = 0; i < d; i++) theta[(x * d + i) * d + i] = 1;
    const random = defaultRng(seed);
    const draw = Array.from({ length: d }, random);
    const norm = Math.hypot(...draw);
    theta.set(
      draw.map((value) => value / norm),
      at.h0,
    );
    return theta;
  }

  /** Take one step; false once the loss or the gradient is no finite number. */
  advance() {
    const { recipe, step } = this;
    const left = 0.5 * (1 + Math.cos((Math.PI * step) / recipe.steps));
    this.loss = this.differentiate(batchOf(this.seed, step, this.traces.start.length - 1, recipe.batch_size));
    const fade = Math.max(0, 1 - step / recipe.steps / recipe.weight_decay_until);
    this.alive = Number.isFinite(this.loss) && this.adam(recipe.learning_rate * left, recipe.weight_decay * fade);
    this.step += 1;
    return this.alive;
  }

  /** The loss of a batch, and its gradient in place. */
  differentiate(batch) {
    this.gradient.fill(0);
    let loss = 0;
    for (const trace of batch) loss += this.backpropagate(trace, 1 / batch.length);
    return loss;
  }

  backpropagate(trace, share) {
    const { d, at, theta, gradient, hidden, errors, weights } = this;
    const { x, s, m, start, symbols, motions } = this.traces;
    const [from, steps] = [start[trace], length(this.traces, trace)];
    if (steps === 0) return 0;
    const outputs = symbols + motions;
    for (let j = 0; j < d; j++) hidden[j] = theta[at.h0 + j];
    let loss = 0;
    for (let t = 0; t < steps; t++) {
      const [symbol, h] = [x[from + t], t * d];
      let squares = 0;
      for (let k = 0; k < outputs; k++) {
        const row = k < symbols ? at.B + (symbol * symbols + k) * d : at.C + (symbol * motions + k - symbols) * d;
        let score = 0;
        for (let j = 0; j < d; j++) score += theta[row + j] * hidden[h + j];
        const wanted = k === s[from + t] || k === symbols + m[from + t] ? 1 : 0;
        errors[t * outputs + k] = score - wanted;
        squares += (score - wanted) ** 2;
      }
      loss += (weights[from + t] * squares * share) / (2 * steps);
      for (let i = 0; i < d; i++) {
        const row = (symbol * d + i) * d;
        let value = 0;
        for (let j = 0; j < d; j++) value += theta[row + j] * hidden[h + j];
        hidden[h + d + i] = value;
      }
    }
    let after = new Float64Array(d);
    let slope = new Float64Array(d);
    for (let t = steps - 1; t >= 0; t--) {
      const [symbol, h, scale] = [x[from + t], t * d, (weights[from + t] * share) / steps];
      slope.fill(0);
      for (let k = 0; k < outputs; k++) {
        const row = k < symbols ? at.B + (symbol * symbols + k) * d : at.C + (symbol * motions + k - symbols) * d;
        const error = errors[t * outputs + k] * scale;
        for (let j = 0; j < d; j++) {
          gradient[row + j] += error * hidden[h + j];
          slope[j] += error * theta[row + j];
        }
      }
      for (let i = 0; i < d; i++) {
        const row = (symbol * d + i) * d;
        const passed = after[i];
        if (passed === 0) continue;
        for (let j = 0; j < d; j++) {
          gradient[row + j] += passed * hidden[h + j];
          slope[j] += passed * theta[row + j];
        }
      }
      [after, slope] = [slope, after];
    }
    for (let j = 0; j < d; j++) gradient[at.h0 + j] += after[j];
    return loss;
  }

  adam(rate, decay) {
    const { theta, first, second, gradient, recipe, step } = this;
    const { beta1, beta2, epsilon } = recipe;
    let squares = 0;
    for (const slope of gradient) squares += slope * slope;
    if (!Number.isFinite(squares)) return false;
    const scale = this.clipping(Math.sqrt(squares));
    const keep = 1 - rate * decay;
    const pace = rate / (1 - beta1 ** (step + 1));
    const root = 1 / Math.sqrt(1 - beta2 ** (step + 1));
    for (let i = 0; i < theta.length; i++) {
      const slope = gradient[i] * scale;
      first[i] = beta1 * first[i] + (1 - beta1) * slope;
      second[i] = beta2 * second[i] + (1 - beta2) * slope * slope;
      theta[i] = keep * theta[i] - (pace * first[i]) / (Math.sqrt(second[i]) * root + epsilon);
    }
    return true;
  }

  /** What the gradient is multiplied by: its norm is limited relative to the running average of what is left. */
  clipping(norm) {
    const limit = this.recipe.gradient_clip * this.norm;
    const left = limit > 0 ? Math.min(norm, limit) : norm;
    this.norm += NORM_PACE * (left - this.norm);
    return left < norm ? left / norm : 1;
  }
}

function length({ start }, trace) {
  return start[trace + 1] - start[trace];
}
