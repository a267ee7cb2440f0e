// Any machine as an exact one-hot model: the twin of model/compile.py.

import { base64 } from "./data.js";
import { HALTING, MOTION_NAMES } from "./grid.js";

const MISSING = -2;
const STAYS = 5;
const STEPS_AHEAD = 1_000_000;

/** State i is the basis vector e_i; a rule becomes a one each in A, B and C. */
export function compiled(machine) {
  const { alphabet, states, blank, write, motion, next } = machine;
  const [k, d] = [alphabet.length, states.length];
  const shown = next.map((to, i) => (to < 0 ? HALTING : motion[i] === HALTING ? STAYS : motion[i]));
  const stays = next.some((to, i) => to !== MISSING && shown[i] === STAYS);
  const motions = stays ? MOTION_NAMES : MOTION_NAMES.slice(0, STAYS);
  const m = motions.length;
  const [A, B, C, h0] = [k * d * d, k * k * d, k * m * d, d].map((size) => new Float32Array(size));
  h0[0] = 1;
  next.forEach((to, rule) => {
    if (to === MISSING) return;
    const [i, j] = [Math.floor(rule / k), rule % k];
    if (to >= 0) A[(j * d + to) * d + i] = 1;
    B[(j * k + write[rule]) * d + i] = 1;
    C[(j * m + shown[rule]) * d + i] = 1;
  });
  const packed = (numbers) => base64(new Uint8Array(numbers.buffer));
  return {
    name: `compiled:${machine.name}`,
    title: `compiled:${machine.name}`,
    alphabet: alphabet.map((symbol, i) => (i === blank ? "λ" : symbol)),
    blank,
    layout: machine.layout,
    task: machine.task,
    kind: "dfst",
    origin: "compiled DFST",
    limit: STEPS_AHEAD,
    motions,
    d,
    precision: "float32",
    samples: machine.task === null ? [] : machine.samples,
    samples_seen: "",
    source: "",
    A: packed(A),
    B: packed(B),
    C: packed(C),
    h0: packed(h0),
  };
}
