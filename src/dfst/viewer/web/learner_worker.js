// A worker that learns: told a trace file, it tells how far it is, and in the end what came of it.

import { InputError } from "./input.js";
import { flatTraces, learnExamples } from "./learner.js";
import { recipeFor } from "./learner_recipe.js";
import { described } from "./learner_result.js";
import { readTraces } from "./traces.js";

/** Milliseconds between two reports. */
const EVERY_MS = 60;

self.onmessage = ({ data }) => {
  try {
    const file = readTraces(data, "the examples");
    const traces = flatTraces(file);
    const work = learnExamples(traces, recipeFor);
    let told = 0;
    for (;;) {
      const { value, done } = work.next();
      if (done) {
        self.postMessage(described(file, traces, value));
        return;
      }
      if (performance.now() - told < EVERY_MS && value.step < value.steps) continue;
      told = performance.now();
      const loss = Math.min(...value.losses.filter(Number.isFinite));
      const { step, steps, d, A } = value;
      self.postMessage({ phase: "learning", steps, point: [step, loss], d, A });
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    self.postMessage({ phase: "failed", said: error.message });
  }
};
