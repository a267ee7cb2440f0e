// The browser's learner on data of Python's; driven by test_learner.py.

import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { classroom } from "../../src/dfst/viewer/web/classroom.js";
import { firstDoubtful, toldApart } from "../../src/dfst/viewer/web/doubtful.js";
import { defaultRng } from "../../src/dfst/viewer/web/learner_random.js";
import { flatTraces, learnExamples } from "../../src/dfst/viewer/web/learner.js";
import { recipeFor } from "../../src/dfst/viewer/web/learner_recipe.js";
import { described, shownBy } from "../../src/dfst/viewer/web/learner_result.js";
import { batchOf, Trainer } from "../../src/dfst/viewer/web/learner_train.js";
import { InputError } from "../../src/dfst/viewer/web/input.js";
import { readTraces } from "../../src/dfst/viewer/web/traces.js";

const actions = {
  random: ({ seeds, count }) =>
    seeds.map((seed) => {
      const random = defaultRng(seed);
      return Array.from({ length: count }, random);
    }),
  batches: ({ seed, steps, n, size }) => steps.map((step) => batchOf(seed, step, n, size)),
  recipe: ({ sizes }) => sizes.map((d) => recipeFor(d)),
  losses({ file, d, seed, recipe, steps }) {
    const trainer = new Trainer(flatTraces(readTraces(file, "it")), d, seed, recipe);
    return Array.from({ length: steps }, () => {
      trainer.advance();
      return trainer.loss;
    });
  },
  /** The processor's seconds until the page shows what the examples say, or says that it cannot. */
  seconds({ file }) {
    const before = process.cpuUsage();
    answer({ action: "shown", file });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  },
  /** Stop while a worker is so busy that it hears nothing: what the page says, and whether the worker has ended. */
  async stopped() {
    const busy = new Worker("for (;;) {}", { eval: true });
    const ended = new Promise((resolve) => busy.on("exit", () => resolve(true)));
    const room = classroom(() => busy);
    await new Promise((resolve) => busy.on("online", resolve));
    await room.learn("");
    await room.stop();
    return { phase: (await room.learning(0)).phase, ended: await ended };
  },
  shown: ({ file }) => shownBy(flatTraces(readTraces(file, "it"))).machine,
  doubtful({ file, asked }) {
    const traces = flatTraces(readTraces(file, "it"));
    const { machine } = shownBy(traces);
    const read = Array.from(traces.start.slice(0, -1), (from, i) => [...traces.x.slice(from, traces.start[i + 1])]);
    const [shown, other] = [read.slice(0, asked), read.slice(asked)];
    const runs = other.map((symbols, i) => ({ input: String(i), symbols }));
    return {
      machine,
      told: read.map((symbols) => toldApart(machine, symbols)),
      first: firstDoubtful(machine, shown, runs),
    };
  },
  learn({ file }) {
    const read = readTraces(file, "it");
    const traces = flatTraces(read);
    const work = learnExamples(traces, recipeFor);
    for (;;) {
      const { value, done } = work.next();
      if (done) return described(read, traces, value);
    }
  },
};

function answer({ action, ...question }) {
  try {
    return actions[action](question);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { refused: error.message };
  }
}

console.log(JSON.stringify(await Promise.all(JSON.parse(readFileSync(0, "utf8")).map(answer))));
