// Where a learnt model is left to itself: the first step of a run that no example has shown.

import { readableSymbol } from "./dom.js";
import { encodeInput } from "./input.js";
import { Timeline } from "./timeline.js";

/** Steps of a run that are looked through. */
const MOST_STEPS = 20_000;
const HALT = -1;

/**
 * {step, state, symbol, rule} of the first symbol that a model reads in a learnt state in which no example reads it; null
 * where there is none. `machine` is the learnt machine with its `uses`, `laid` the input on the grid; `symbols` takes
 * those that are read up to there.
 */
export function firstUnshown(model, machine, laid, most = MOST_STEPS, symbols = []) {
  const timeline = new Timeline(model, laid, most);
  let state = 0;
  while (timeline.step < most && timeline.forward()) {
    const { read } = timeline.last;
    const symbol = read === model.blank ? machine.blank : machine.alphabet.indexOf(model.alphabet[read]);
    const rule = state * machine.alphabet.length + symbol;
    if (!(machine.uses[rule] > 0))
      return { step: timeline.step, state: machine.states[state], symbol: readableSymbol(model, read), rule };
    symbols.push(symbol);
    state = machine.next[rule];
    if (state === HALT) return null;
  }
  return null;
}

/** Inputs that are tried, and steps of each. */
const [MOST_INPUTS, SHORT_STEPS] = [300, 2_000];

/**
 * The shortest inputs over `symbols`, tried one after the other: {open, runs} with the rules that a run meets though
 * no example shows them, {state, symbol, input} each, by the number of the rule, and what each run reads.
 */
export function shortestUnshown(model, machine, symbols) {
  const open = new Map();
  const spaced = symbols.some((symbol) => symbol.length > 1) ? " " : "";
  const runs = [];
  let words = [[]];
  while (runs.length < MOST_INPUTS && symbols.length > 0) {
    words = words.flatMap((word) => symbols.map((symbol) => [...word, symbol])).slice(0, MOST_INPUTS - runs.length);
    for (const word of words) {
      const run = { input: word.join(spaced), symbols: [] };
      const found = firstUnshown(model, machine, encodeInput(model, run.input), SHORT_STEPS, run.symbols);
      if (found !== null && !open.has(found.rule)) open.set(found.rule, { ...found, input: run.input });
      runs.push(run);
    }
  }
  return { open, runs };
}
