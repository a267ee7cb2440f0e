// Learning from worked examples in the browser: train some seeds, merge what they learnt, write it back.
//
// `learnExamples` is a generator, so that a worker can report and be stopped between two slices of work. What comes
// out is the machine that most seeds agree on, and the weights it was written back into.

import { count } from "./dom.js";
import { InputError } from "./input.js";
import { learntMachine, writtenBack } from "./learner_states.js";
import { smallestMachine } from "./learner_smallest.js";
import { Trainer } from "./learner_train.js";
import { BLANK, contradictions } from "./traces.js";

const MOST_STATES = 32;
const MOST_STEPS = 20_000;
const SLICE = 100;
const SEEDS = [0, 1, 2];

/** Examples of a trace file as flat arrays; the blank comes last in the alphabet. */
export function flatTraces({ alphabet, examples }) {
  const symbols = [...alphabet.filter((symbol) => symbol !== BLANK), BLANK];
  const moves = examples.flatMap(({ steps }) => steps.map(({ moved }) => moved));
  const motions = [..."UDLRS", ...(moves.includes("N") ? ["N"] : [])];
  const steps = examples.flatMap((example) => example.steps);
  if (steps.length > MOST_STEPS)
    throw new InputError(
      `the page learns from at most ${count(MOST_STEPS)} steps, found ${count(steps.length)}; ` +
        "save the examples, and run dfst learn on that file",
    );
  for (const [number, { other }] of contradictions(examples))
    throw new InputError(
      `examples ${other + 1} and ${number + 1} contradict each other: after the same symbols they act differently; ` +
        "delete one",
    );
  const start = [0];
  for (const example of examples) start.push(start.at(-1) + example.steps.length);
  return {
    alphabet: symbols,
    motionNames: motions,
    symbols: symbols.length,
    motions: motions.length,
    halt: motions.indexOf("S"),
    start,
    x: steps.map(({ read }) => symbols.indexOf(read)),
    s: steps.map(({ wrote }) => symbols.indexOf(wrote)),
    m: steps.map(({ moved }) => motions.indexOf(moved)),
  };
}

/**
 * Yields {step, steps, losses} after every slice of training; returns {machine, weights, agreed, losses, raw} of the
 * machine that most seeds agree on, or null where no seed became a machine.
 */
export function* learnExamples(traces, recipeFor, seeds = SEEDS) {
  const d = hiddenSize(traces);
  const recipe = recipeFor(d);
  const trainers = seeds.map((seed) => new Trainer(traces, d, seed, recipe));
  for (let step = 0; step < recipe.steps; step += SLICE) {
    for (const trainer of trainers)
      for (let i = 0; i < SLICE && trainer.alive && trainer.step < recipe.steps; i++) trainer.advance();
    yield {
      step: Math.min(step + SLICE, recipe.steps),
      steps: recipe.steps,
      losses: trainers.map(({ loss }) => loss),
      d,
      A: trainers[0].theta.slice(0, traces.symbols * d * d),
    };
  }
  return chosen(trainers, traces, d);
}

/** As many dimensions as the smallest machine that explains the examples has states. */
function hiddenSize(traces) {
  const smallest = smallestMachine(traces);
  if (smallest !== null && smallest.next.length <= MOST_STATES) return smallest.next.length;
  const need = smallest === null ? "are too many to look through" : `need ${smallest.next.length} states`;
  throw new InputError(
    `these examples ${need}, the page learns up to ${MOST_STATES}; save them, and run dfst learn on that file`,
  );
}

function chosen(trainers, traces, d) {
  const found = new Map();
  for (const trainer of trainers.filter(({ alive }) => alive)) {
    const machine = learntMachine(trainer, traces);
    if (machine === null) continue;
    const key = JSON.stringify([machine.next, machine.write, machine.motion]);
    const group = found.get(key) ?? { machine, agreed: 0, loss: Infinity, raw: null };
    group.agreed += 1;
    if (trainer.loss < group.loss) [group.loss, group.raw] = [trainer.loss, trainer.theta];
    found.set(key, group);
  }
  if (found.size === 0) return null;
  const best = [...found.values()].reduce((one, two) => (better(two, one) ? two : one));
  return { ...best, d, weights: writtenBack(best.machine, traces, d), seeds: trainers.length };
}

/** More seeds agree on it; else it has fewer states; else its loss is smaller. */
function better(one, two) {
  const order = [two.agreed - one.agreed, one.machine.next.length - two.machine.next.length, one.loss - two.loss];
  return order.find((difference) => difference !== 0) < 0;
}
