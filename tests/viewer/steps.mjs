// Runs subjects in the viewer's own code and tells what it did; driven by test_steps.py.

import { readFileSync } from "node:fs";
import { Comparison, Timeline } from "../../src/dfst/viewer/web/timeline.js";
import { encodeInput, InputError } from "../../src/dfst/viewer/web/input.js";
import { solve } from "../../src/dfst/viewer/web/verdict.js";
import { describeStep, headWords } from "../../src/dfst/viewer/web/words.js";
import { readAnswer } from "../../src/dfst/viewer/web/grid.js";

function moment(timeline) {
  const { view } = timeline;
  let nonblank = 0;
  let checksum = 0;
  view.grid.forEachNonblank((x, y, symbol) => {
    nonblank += 1;
    checksum = (checksum + (symbol + 1) * ((x * 31 + y * 1009) % 65521)) % 2 ** 40;
  });
  let visits = 0;
  view.visits?.forEachNonblank((x, y, times) => (visits += times * (1 + ((x * 31 + y * 1009 + 65521) % 127))));
  const { unit } = view;
  const inside = unit.kind === "dfst" ? Array.from(unit.h) : unit.state;
  const { box } = view.grid;
  const states = timeline.states?.seen.length ?? null;
  return { step: view.step, head: [view.x, view.y], nonblank, checksum, visits, box: { ...box }, inside, states };
}

function trace({ subject, input, limit }) {
  const timeline = new Timeline(subject, encodeInput(subject, input), limit);
  const [read, written, shown] = [[], [], []];
  while (timeline.step < limit && timeline.forward()) {
    read.push(timeline.last.read);
    written.push(timeline.last.written);
    shown.push(timeline.last.shown);
  }
  const { view } = timeline;
  const answer = view.halted ? readAnswer(view.grid, subject.alphabet, subject.task?.plane) : null;
  const states = timeline.states?.seen.length ?? null;
  return {
    read,
    written,
    shown,
    halted: view.halted,
    stuck: view.stuck,
    answer,
    states,
    ...moment(timeline),
  };
}

const actions = {
  trace,
  /** What the page says at the end of a run: on the head's tag, and below the board. */
  ending({ subject, input, limit }) {
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    while (timeline.forward());
    return { head: headWords(timeline), step: describeStep(timeline) };
  },
  /** The moment after each seek, in the order asked for. */
  seek({ subject, input, limit, targets }) {
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    let work = 0;
    const { view } = timeline;
    const advance = view.advance.bind(view);
    view.advance = () => {
      work += 1;
      return advance();
    };
    return targets.map((target) => {
      work = 0;
      timeline.seek(target);
      return { ...moment(timeline), work, frames: timeline.frames.length, spacing: timeline.spacing };
    });
  },
  /** The moment at each step, the run taken one step at a time. */
  plainly({ subject, input, limit, targets }) {
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    return targets.map((target) => {
      while (timeline.step < target && timeline.forward());
      return moment(timeline);
    });
  },
  /** The moments that a skimmed run shows on its way to the end. */
  skim({ subject, input, limit, targets }) {
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    while (timeline.extend(50));
    return targets.map((target) => {
      timeline.skim(target);
      return moment(timeline);
    });
  },
  /** Steps after which a jump to the next write stops, and the same going back. */
  writes({ subject, input, limit }) {
    const timeline = new Timeline(subject, encodeInput(subject, input), limit);
    const [there, back] = [[], []];
    while (timeline.nextWrite()) there.push(timeline.step);
    timeline.seek(timeline.known);
    while (timeline.previousWrite()) back.push(timeline.step);
    return { there, back };
  },
  compare({ subject, against, input, limit }) {
    const comparison = new Comparison(
      subject,
      encodeInput(subject, input),
      against,
      encodeInput(against, input),
      limit,
    );
    while (comparison.extend(50));
    return { difference: comparison.difference, steps: comparison.left.step };
  },
  solve({ subject, input }) {
    return solve(subject.task, input);
  },
  encode({ subject, input }) {
    try {
      return encodeInput(subject, input);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { error: error.message };
    }
  },
};

const jobs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(jobs.map((job) => actions[job.action](job))));
