// Learning on the page: one worker at a time, asked as the local server is asked.

import { flatTraces } from "./learner.js";
import { shownBy } from "./learner_result.js";
import { readTraces } from "./traces.js";

/** `startWorker` makes a worker that runs learner_worker.js. */
export function classroom(startWorker) {
  let worker = null;
  let told = { phase: "idle" };

  function end() {
    worker?.terminate();
    worker = null;
  }

  return {
    shown: async (examples) => shownBy(flatTraces(readTraces(examples, "the examples"))),
    learn: async (examples) => {
      end();
      told = { phase: "learning", said: "", iterations: 0, curve: [] };
      worker = startWorker();
      worker.onmessage = ({ data }) => {
        if (data.phase === "learning") {
          told.iterations = data.steps;
          told.curve.push(data.point);
          [told.d, told.A] = [data.d, data.A];
        } else {
          Object.assign(told, data);
          end();
        }
      };
      worker.onerror = ({ message }) => {
        Object.assign(told, { phase: "failed", said: `the training broke off: ${message}` });
        end();
      };
      worker.postMessage(examples);
    },
    learning: async (after) => ({ ...told, curve: told.curve.slice(after) }),
    stop: async () => {
      end();
      if (told.phase === "learning") told.phase = "stopped";
    },
  };
}
