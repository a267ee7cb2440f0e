// What the answer should be, by the browser's own integers: nobody has to believe the model, or its expert.

import { operandsOf } from "./input.js";

/** Digits beyond which nobody waits for the arithmetic. */
const MOST_DIGITS = 20_000;
const CHUNK = 8;

const SOLVE = {
  add: (radix, a, b) => valueOf(a, radix) + valueOf(b, radix),
  mult: (radix, a, b) => valueOf(a, radix) * valueOf(b, radix),
  sub: (radix, a, b) => valueOf(a, radix) - valueOf(b, radix),
  compare: (radix, a, b) => {
    const difference = valueOf(a, radix) - valueOf(b, radix);
    return difference === 0n ? 0n : difference > 0n ? 1n : -1n;
  },
  increment: (radix, a) => (valueOf(a, radix) + 1n).toString(radix).padStart(a.length, "0"),
  sort: (radix, a) => [...a].sort().join(""),
};

/** The right answer to an input of a task; null where this page does not know how to find it. */
export function solve(task, input) {
  const own = task === null ? undefined : SOLVE[task.family];
  if (own === undefined || input.length > MOST_DIGITS) return null;
  const found = own(task.radix, ...operandsOf(task, input));
  return typeof found === "bigint" ? found.toString(task.radix) : found;
}

function valueOf(digits, radix) {
  if (digits.length <= CHUNK) return BigInt(parseInt(digits, radix));
  const half = digits.length >> 1;
  const low = digits.slice(half);
  return valueOf(digits.slice(0, half), radix) * BigInt(radix) ** BigInt(low.length) + valueOf(low, radix);
}
