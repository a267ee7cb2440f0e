// What came of learning in the browser, as the page shows it: the model, its machine, and what is known of it.

import { base64, fingerprint } from "./data.js";
import { counted } from "./dom.js";
import { MISSING } from "./learner_states.js";
import { smallestMachine } from "./learner_smallest.js";
import { MOTION_NAMES } from "./grid.js";

const STEPS_AHEAD = 1_000_000;

/** {phase, said, machine, model} of what `learnExamples` returned. */
export function described(file, traces, learnt) {
  if (learnt === null)
    return {
      phase: "failed",
      said: "no seed became a machine; show more examples, and short ones among them",
    };
  const machine = ruleTable(learnt.machine, traces);
  const model = modelOf(file, traces, learnt);
  return { phase: "done", said: known(file, machine, learnt), machine, model };
}

/** The smallest machine that explains the examples, with how often each of its rules is used. */
export function shownBy(traces) {
  const found = smallestMachine(traces);
  return { machine: found === null ? null : ruleTable(found, traces) };
}

/** A machine as the page draws it, and how often the examples use each of its rules. */
function ruleTable({ write, motion, next }, { alphabet, symbols, motionNames, start, x }) {
  const uses = new Array(next.length * symbols).fill(0);
  for (let i = 0; i + 1 < start.length; i++) {
    let state = 0;
    for (let t = start[i]; t < start[i + 1] && state >= 0; t++) {
      uses[state * symbols + x[t]] += 1;
      state = next[state][x[t]];
    }
  }
  return {
    states: next.map((_, q) => String(q)),
    alphabet,
    blank: symbols - 1,
    write: write.flat(),
    motion: motion.flatMap((row, q) =>
      row.map((m, symbol) => (next[q][symbol] < 0 ? stays : seen(motionNames[m]))),
    ),
    next: next.flat(),
    uses,
  };
}

const stays = MOTION_NAMES.indexOf("S");

/** A table says S where the head stays and the run goes on. */
function seen(name) {
  return name === "N" ? stays : MOTION_NAMES.indexOf(name);
}

function modelOf({ name, start }, { alphabet, symbols, motionNames }, { weights, d }) {
  const packed = Object.fromEntries(
    Object.entries(weights).map(([each, numbers]) => [
      each,
      base64(new Uint8Array(Float32Array.from(numbers).buffer)),
    ]),
  );
  return {
    name,
    title: name,
    key: `taught:${name}#${fingerprint(new TextEncoder().encode(Object.values(packed).join()))}`,
    alphabet,
    blank: symbols - 1,
    layout: start,
    task: null,
    kind: "dfst",
    origin: "learnt DFST",
    limit: STEPS_AHEAD,
    motions: motionNames,
    d,
    precision: "float32",
    samples: [],
    samples_seen: "",
    source: "",
    ...packed,
  };
}

/** What is known, in short sentences. */
function known({ examples }, { states, next, uses }, { agreed, seeds }) {
  const open = next.filter((to) => to === MISSING).length;
  const rules = uses.filter((times) => times > 0).length;
  return (
    `it works ${examples.length === 1 ? "the example" : `all ${examples.length} examples`} as shown. ` +
    `${agreed} of ${counted(seeds, "seed")} found this machine: ${counted(states.length, "state")}, ` +
    `${counted(rules, "rule")}. ` +
    (open === 0 ? "No case is open" : `Open: ${counted(open, "case")} that no example shows`)
  );
}
