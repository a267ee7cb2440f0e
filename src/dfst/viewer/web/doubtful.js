// Which states of a learnt machine the examples leave in doubt, and the shortest input that would tell them apart.
//
// As dfst/traces/telling_apart.py counts it: that a rule leads to a state, and not to another one, is told where what
// follows in a run could not have come from the other.

import { HALT, MISSING } from "./learner_states.js";

/** The places, rule · states + state, that a run of these symbols tells apart; the start is the last rule. */
export function toldApart(machine, symbols) {
  const { alphabet, next } = machine;
  const [n, k] = [machine.states.length, alphabet.length];
  const states = [0];
  for (const symbol of symbols.slice(0, -1)) states.push(next[states.at(-1) * k + symbol]);
  const told = [];
  let later = new Array(n).fill(false);
  for (let t = symbols.length - 1; t >= 0; t--) {
    const own = states[t] * k + symbols[t];
    const now = Array.from({ length: n }, (_, p) => {
      const other = p * k + symbols[t];
      if (other === own || next[other] === MISSING) return false;
      return seen(machine, other) !== seen(machine, own) || (next[other] !== HALT && later[next[other]]);
    });
    const place = t === 0 ? n * k : states[t - 1] * k + symbols[t - 1];
    now.forEach((tells, p) => tells && told.push(place * n + p));
    later = now;
  }
  return told;
}

/** What an onlooker sees of a rule. */
function seen({ write, motion, next }, rule) {
  return `${write[rule]} ${motion[rule]} ${next[rule] === HALT}`;
}

/**
 * {states, input} of the first place that one of the runs tells apart and no example does; null where there is none.
 * `shown` holds the symbols that each example reads, `runs` {input, symbols} of other inputs, the shorter first.
 */
export function firstDoubtful(machine, shown, runs) {
  const [n, k] = [machine.states.length, machine.alphabet.length];
  const told = new Set(shown.flatMap((symbols) => toldApart(machine, symbols)));
  for (const { input, symbols } of runs) {
    const place = toldApart(machine, symbols).find((each) => !told.has(each));
    if (place === undefined) continue;
    const rule = Math.floor(place / n);
    const to = rule === n * k ? 0 : machine.next[rule];
    return { states: [to, place % n].map((state) => machine.states[state]), input };
  }
  return null;
}
