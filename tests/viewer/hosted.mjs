// What a page without a server answers, and the steps it then takes; driven by test_hosted.py.

import { readFileSync } from "node:fs";
import { hostedServer } from "../../src/dfst/viewer/web/hosted.js";
import { encodeInput, InputError } from "../../src/dfst/viewer/web/input.js";
import { machineGraph } from "../../src/dfst/viewer/web/machine_graph.js";
import { Timeline } from "../../src/dfst/viewer/web/timeline.js";

const { home, jobs } = JSON.parse(readFileSync(0, "utf8"));
const server = hostedServer(home);

const actions = {
  graph: async ({ name }) => machineGraph(await server.subject(name)),
  subject: ({ name }) => server.subject(name),
  read: ({ file, content }) => server.read(file, Uint8Array.from(Buffer.from(content, "base64")).buffer),
  async replay({ subject, against, input }) {
    const both = {
      subject: await server.subject(subject),
      against: against && (await server.subject(against)),
    };
    return server.replay({ input }, both);
  },
  /** [read, written, shown] of each step. */
  async steps({ name, input, limit }) {
    const subject = await server.subject(name);
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    const steps = [];
    while (timeline.step < limit && timeline.forward())
      steps.push([timeline.last.read, timeline.last.written, timeline.last.shown]);
    return { steps, halted: timeline.view.halted };
  },
};

const answers = [];
for (const job of jobs) {
  try {
    answers.push(await actions[job.action](job));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    answers.push({ error: error.message });
  }
}
console.log(JSON.stringify(answers));
