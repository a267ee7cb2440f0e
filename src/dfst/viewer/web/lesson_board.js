// The one board of the lesson: shows a machine at work, or waits for a person's keys.

import { Board } from "./board.js";
import { Desk } from "./desk.js";
import { element } from "./dom.js";
import { encodeInput } from "./input.js";
import { THEME_CHANGED } from "./theme.js";
import { Timeline } from "./timeline.js";
import { BLANK } from "./traces.js";

const GLIDE_MS = 180;

export class LessonBoard {
  constructor(host) {
    this.canvas = element("canvas", { class: "board", role: "img", tabindex: "0", "aria-label": "Blackboard" });
    host.append(element("div", { class: "frame" }, [this.canvas]));
    this.board = new Board(this.canvas, (shown) => (shown.view.halted ? "done" : this.tag));
    this.tag = "";
    this.desk = new Desk();
    this.board.show(this.desk);
    const again = () => {
      this.board.resize();
      this.redraw();
    };
    new ResizeObserver(again).observe(this.canvas);
    window.addEventListener(THEME_CHANGED, again);
  }

  get still() {
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** An input for a person to work on. */
  lay(input) {
    this.desk.lay({ input, symbols: Array.from(input, (symbol) => symbol || BLANK), start: 0 });
    this.board.show(this.desk);
    this.redraw();
  }

  act({ moved, wrote }) {
    if (!this.still) this.board.glideFrom(performance.now(), GLIDE_MS);
    this.desk.act(moved, wrote);
    this.redraw();
  }

  /**
   * Let a subject work, at so many steps a second, or within so many seconds; `until` is a step to stop before.
   * Gives the timeline when it has ended, or null where another run began meanwhile.
   */
  async run(subject, input, { pace = null, seconds = null, until = Infinity } = {}) {
    const timeline = new Timeline(subject, encodeInput(subject, input), 1_000_000);
    timeline.extend(2000);
    const end = Math.min(timeline.known, until);
    const lasts = pace === null ? seconds * 1000 : (end / pace) * 1000;
    this.board.show(timeline);
    this.running = timeline;
    const began = performance.now();
    for (;;) {
      const time = await new Promise((resolve) => requestAnimationFrame(resolve));
      if (this.running !== timeline) return null;
      const target = Math.min(end, Math.floor(((time - began) / Math.max(1, lasts)) * end));
      if (target === timeline.step + 1 && !this.still) this.board.glideFrom(time, Math.min(GLIDE_MS, lasts / end));
      if (target > timeline.step) timeline.seek(target);
      this.board.draw(time);
      this.canvas.dataset.shown ??= String(Math.round(performance.now()));
      if (timeline.step >= end && time - began > lasts) break;
    }
    this.redraw();
    return timeline;
  }

  stop() {
    this.running = null;
  }

  redraw() {
    if (this.frame !== undefined) return;
    this.frame = requestAnimationFrame((time) => {
      this.frame = undefined;
      if (this.board.draw(time)) this.redraw();
    });
  }
}
