// Where a learnt model is left to itself: the first step of a run that no example has shown.

import { readableSymbol } from "./dom.js";
import { Timeline } from "./timeline.js";

/** Steps of a run that are looked through. */
const MOST_STEPS = 20_000;
const HALT = -1;

/**
 * {step, state, symbol} of the first symbol that a model reads in a learnt state in which no example reads it; null
 * where there is none. `machine` is the learnt machine with its `uses`, `laid` the input on the grid.
 */
export function firstUnshown(model, machine, laid) {
  const timeline = new Timeline(model, laid, MOST_STEPS);
  let state = 0;
  while (timeline.step < MOST_STEPS && timeline.forward()) {
    const { read } = timeline.last;
    const symbol = read === model.blank ? machine.blank : machine.alphabet.indexOf(model.alphabet[read]);
    const rule = state * machine.alphabet.length + symbol;
    if (!(machine.uses[rule] > 0))
      return { step: timeline.step, state: machine.states[state], symbol: readableSymbol(model, read) };
    state = machine.next[rule];
    if (state === HALT) return null;
  }
  return null;
}
