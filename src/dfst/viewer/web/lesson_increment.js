// The algorithm of the lesson: binary increment, as a machine that knows what the next step is.

import { MOTION_NAMES } from "./grid.js";

const motion = (names) => [...names].map((name) => MOTION_NAMES.indexOf(name));

/** Walk to the end of the number, then back with the carry. */
export const INCREMENT = {
  name: "increment",
  title: "increment",
  alphabet: ["0", "1", "λ"],
  blank: 2,
  layout: "first",
  task: null,
  kind: "table",
  origin: "machine",
  limit: 1_000_000,
  chalk: true,
  states: ["walk", "carry"],
  write: [0, 1, 2, 1, 0, 1],
  motion: motion("RRLSLS"),
  next: [0, 0, 1, -1, 1, -1],
  ends: [],
  end: [],
  stuck_rejects: false,
  samples: [],
  source: "",
};

/** The steps {read, wrote, moved} of a number, by name. */
export function workedSteps(digits) {
  const { alphabet, blank, write, motion, next } = INCREMENT;
  const tape = Array.from(digits, (digit) => alphabet.indexOf(digit));
  const steps = [];
  for (let [at, state] = [0, 0]; state >= 0; ) {
    const read = tape[at] ?? blank;
    const rule = state * alphabet.length + read;
    tape[at] = write[rule];
    const moved = next[rule] < 0 ? "S" : MOTION_NAMES[motion[rule]];
    steps.push({ read: alphabet[read], wrote: alphabet[write[rule]], moved });
    at += moved === "R" ? 1 : moved === "L" ? -1 : 0;
    state = next[rule];
  }
  return steps;
}
