// A proof file as the checker on the page reads it: JSON, packed arrays, tables of rules. The twin of proof/reading.py.

import { bytesIn } from "./data.js";
import { InputError } from "./input.js";

export const FORMAT = "dfst-proof/4";
export const HALT = -1;
export const MISSING = -2;
const LARGEST = 2 ** 30;
const ARRAYS = { int32: Int32Array, float64: Float64Array };

/** The proof does not hold; the message says where. */
export class Rejected extends InputError {}

export function demand(condition, message) {
  if (!condition) throw new Rejected(message);
}

export function whole(value, low = 0, high = LARGEST) {
  demand(Number.isInteger(value) && low <= value && value <= high, `${value} is no whole number ${low} to ${high}`);
  return value;
}

/** The proof in a text, its format and its digest checked. */
export async function readProof(text) {
  let proof;
  try {
    proof = JSON.parse(text);
  } catch {
    throw new Rejected("it is no proof file");
  }
  demand(proof?.format === FORMAT, `it is no proof file, or not of the format ${FORMAT}`);
  demand(!/\d[.eE]/.test(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "")), "a number is not whole");
  demand((await digestOf(proof)) === proof.digest, "it is damaged: its digest does not fit");
  return proof;
}

/** A hash of all of the proof but the hash itself. */
export async function digestOf({ digest: _, ...rest }) {
  return sha256(new TextEncoder().encode(asPython(rest)));
}

export async function sha256(...parts) {
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON as Python's `json.dumps` writes it, keys in order. */
export function asPython(value) {
  if (Array.isArray(value)) return `[${value.map(asPython).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${asPython(value[key])}`).join(", ")}}`;
}

/** A packed array of two dimensions: {rows, width, data}. */
export async function arrayIn(packed, dtype) {
  demand(packed?.dtype === dtype && packed.shape?.length === 2, `an array is not ${dtype} in rows`);
  const [rows, width] = packed.shape.map((size) => whole(size));
  const size = rows * width * ARRAYS[dtype].BYTES_PER_ELEMENT;
  let bytes;
  try {
    bytes = await inflated(bytesIn(packed.data), size);
  } catch {
    throw new Rejected("an array is damaged");
  }
  demand(bytes.length === size, "an array has another size than it says");
  return { rows, width, data: new ARRAYS[dtype](bytes.buffer) };
}

/** Its bytes, read no further than one beyond `most`. */
async function inflated(bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const parts = [];
  for (let size = 0; size <= most; ) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The rows of a packed array of whole numbers, all different. */
export async function rowsIn(packed, width) {
  const found = await arrayIn(packed, "int32");
  demand(found.width === width, `an array has not ${width} numbers in a row`);
  const listed = Array.from({ length: found.rows }, (_, i) => [...found.data.subarray(i * width, (i + 1) * width)]);
  demand(new Set(listed.map(String)).size === listed.length, "an array says something twice");
  return listed;
}

/** {write, motion, next, states} of a table, flat, each rule sound. */
export async function tableIn(packed, symbols) {
  const [write, motion, next] = await Promise.all(
    ["write", "motion", "next"].map((part) => arrayIn(packed[part], "int32")),
  );
  const states = Math.max(write.rows, 1);
  for (const { rows, width } of [write, motion, next])
    demand(rows === states && width === symbols, "a table has a wrong shape");
  next.data.forEach((to, i) => {
    demand(to >= MISSING && to < states, "a rule leads nowhere");
    if (to === MISSING) return;
    demand(write.data[i] >= 0 && write.data[i] < symbols, "a rule writes no symbol");
    demand(motion.data[i] >= 0 && motion.data[i] < 5, "a rule makes no motion");
  });
  return { states, write: write.data, motion: motion.data, next: next.data };
}
